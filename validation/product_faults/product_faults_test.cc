// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/product_faults/product_faults.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ProductFaultsTest, NothingThatIsDerivedEscapesAndNoRightOutputIsRefused) {
  const ProductSize alone{.rows = 200, .depth = 96, .columns = 150};
  ProductSize shared = alone, narrow = alone, integer = alone, wrapping = alone;
  shared.checksum_products = 2.0 * 96 * 200 * 4;
  narrow.result = "bf16";
  integer.result = wrapping.result = wrapping.operands = "i32";
  integer.operands = "i8";
  const ProductSize convolution{.rows = 144, .depth = 108, .columns = 150, .window = 3};
  ProductSize of_integers = convolution;
  of_integers.result = of_integers.operands = "i16";
  for (const ProductSize& size : {alone, shared, narrow, integer, wrapping, convolution, of_integers}) {
    const Expected<ProductFaults> faults = InjectProductFaults(size, 3);
    ASSERT_TRUE(faults) << faults.error().message;
    EXPECT_EQ(faults->right_refused, 0) << ToText(size);
    for (const FoundFaults& f : faults->found) {
      EXPECT_FALSE(f.escaped()) << ToText(size) << " " << faults->judged << " " << ToString(f.spread) << " "
                                << f.bounds;
      EXPECT_EQ(f.tried, 3);
    }
  }
}

TEST(ProductFaultsTest, ProductsAndConvolutionsAreToldApart) {
  EXPECT_EQ(ToText(ProductSize{.rows = 1024, .depth = 576, .columns = 256, .operands = "f16", .window = 3}),
            "3x3 convolution of 32x32x64, 256 features, f16 to f32");
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
