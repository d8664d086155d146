// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vendor_dialects.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(VendorDialects, OpsHavePartsByTheirFullNames) {
  EXPECT_EQ(VendorPartOf("ttcore.device_module"), VendorPart::kAroundModule);
  EXPECT_EQ(VendorPartOf("ttir.empty"), VendorPart::kConstant);
  EXPECT_EQ(VendorPartOf("ttnn.empty"), VendorPart::kComputes);
  EXPECT_EQ(VendorPartOf("stablehlo.add"), VendorPart::kComputes);
  EXPECT_EQ(VendorPartOf(""), VendorPart::kComputes);
}

TEST(VendorDialects, KindsAreOfTheVendorsDialectsOnly) {
  EXPECT_EQ(VendorKindOf("ttnn.matmul"), OpKind::kMatmul);
  EXPECT_EQ(VendorKindOf("ttnn_next.matmul"), OpKind::kOther);
  EXPECT_EQ(VendorKindOf("matmul"), OpKind::kOther);
}

TEST(VendorDialects, AttributesAreKnownByTheNameOfTheirDialect) {
  EXPECT_TRUE(IsVendorAttribute("tt.function_type"));
  EXPECT_TRUE(IsVendorAttribute("ttcore.argument_type"));
  EXPECT_FALSE(IsVendorAttribute("ttx.argument_type"));
}

}  // namespace
}  // namespace opbyop
