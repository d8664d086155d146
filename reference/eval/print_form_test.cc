// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/print_form.h"

#include <gtest/gtest.h>

#include <limits>

namespace opbyop::reference {
namespace {

TEST(PrintFormTest, AScalarTakesOneLine) {
  EXPECT_EQ(PrintForm(Tensor::Splat<int64_t>(ElementType::kUi8, {}, 1)), "tensor<ui8> {1}");
}

TEST(PrintFormTest, DimensionsNest) {
  EXPECT_EQ(PrintForm(Tensor::Of<int64_t>(ElementType::kI8, {2, 2}, {1, 2, 3, 4})),
            "tensor<2x2xi8> {\n  [\n    [1, 2],\n    [3, 4]\n  ]\n}");
}

TEST(PrintFormTest, EmptyDimensionsShowTheirRows) {
  EXPECT_EQ(PrintForm(Tensor::Make(ElementType::kI8, {0, 2})), "tensor<0x2xi8> {\n  []\n}");
  EXPECT_EQ(PrintForm(Tensor::Make(ElementType::kI8, {2, 0})), "tensor<2x0xi8> {\n  [\n    [],\n    []\n  ]\n}");
}

TEST(PrintFormTest, FloatsHaveSixDigitsIfTheseIdentifyTheNumber) {
  EXPECT_EQ(PrintForm(Tensor::Of<double>(ElementType::kF32, {2}, {-3, static_cast<float>(0.1)})),
            "tensor<2xf32> {\n  [-3.000000e+00, 1.000000e-01]\n}");
  EXPECT_EQ(PrintForm(Tensor::Splat<double>(ElementType::kF32, {}, std::numeric_limits<double>::infinity())),
            "tensor<f32> {0x7F800000}");
}

TEST(PrintFormTest, ComplexNumbersArePairs) {
  EXPECT_EQ(PrintForm(Tensor::Splat<Complex>(ElementType::kC64, {1}, {1, -2})),
            "tensor<1xcomplex<f32>> {\n  [[1.000000e+00, -2.000000e+00]]\n}");
}

}  // namespace
}  // namespace opbyop::reference
