// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/product_faults/product_faults.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ProductFaultsTest, NothingThatIsDerivedEscapesAndNoRightOutputIsRefused) {
  const ProductSize alone{.rows = 200, .depth = 96, .columns = 150};
  ProductSize shared = alone, narrow = alone;
  shared.checksum_products = 2.0 * 96 * 200 * 4;
  narrow.result = "bf16";
  for (const ProductSize& size : {alone, shared, narrow}) {
    const Expected<ProductFaults> faults = InjectProductFaults(size, 3);
    ASSERT_TRUE(faults) << faults.error().message;
    EXPECT_EQ(faults->right_refused, 0) << size.result;
    for (const FoundFaults& f : faults->found) {
      EXPECT_FALSE(f.escaped()) << faults->judged << " " << ToString(f.spread) << " " << f.bounds;
      EXPECT_EQ(f.tried, 3);
    }
  }
}

TEST(ProductFaultsTest, AnErrorWithinTheBoundIsNotFound) {
  FoundFaults found{.bounds = 1, .tried = 3, .by_sample = 1, .by_checksum = 1, .certain = false};
  EXPECT_FALSE(found.escaped());
  found.certain = true;
  EXPECT_TRUE(found.escaped());
}

TEST(ProductFaultsTest, TheTableSaysHowFaultsAreFound) {
  const ProductFaults faults{
      .size = {.rows = 2, .depth = 3, .columns = 4},
      .judged = "sample and checksums of 16 rows",
      .found = {{.spread = Spread::kElement, .bounds = 8, .tried = 4, .by_checksum = 2},
                {.spread = Spread::kElement, .bounds = 25, .tried = 4, .by_sample = 4, .certain = true}}};
  const std::string text = ToMarkdown(std::span(&faults, 1));
  EXPECT_NE(text.find("2x3 by 3x4, bf16 to f32: sample and checksums of 16 rows; no right outputs refused."),
            std::string::npos);
  EXPECT_NE(text.find("| error of an element, in bounds | 8 | 25 |\n"), std::string::npos);
  EXPECT_NE(text.find("| one element | 50 % checksum | **100 % sample** |\n"), std::string::npos);
}

}  // namespace
}  // namespace opbyop
