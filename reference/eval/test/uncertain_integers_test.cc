// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of ops on integers and booleans that a device may have otherwise, as quantization and comparisons give them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/bounds/integer_errors.h"
#include "reference/eval/test/inexact_arguments.h"
#include "reference/eval/test/one_result.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

// How %r is computed from %a and %b, of type T; {} is T.
struct Op {
  const char* text;
  const char* result;  // {} is T
};

std::string Replaced(std::string_view text, const std::string& type) {
  std::string out(text);
  for (size_t at = out.find("{}"); at != std::string::npos; at = out.find("{}")) out.replace(at, 2, type);
  return out;
}

Tensor Of(ElementType type, const std::vector<int64_t>& values) {
  Tensor t = Tensor::Make(type, {3, 3});
  WithStorage(t.kind(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Complex>) {
      std::ranges::transform(values, t.Mutable<T>().begin(), [](int64_t v) { return static_cast<T>(v); });
    }
  });
  return t;
}

// Small numbers, and some large ones, with errors of up to 2.
Tensor Inexact(ElementType type, Devices& devices) {
  const bool boolean = KindOf(type) == ElementKind::kBool;
  std::vector<int64_t> values;
  std::vector<double> errors;
  for (int i = 0; i < 9; ++i) {
    const int64_t size = devices.Below(4) != 0 ? 9 : 1000;
    values.push_back(std::clamp<int64_t>(devices.Below(size) - size / 2, boolean ? 0 : MinInteger(type),
                                         boolean ? 1 : MaxInteger(type)));
    errors.push_back(static_cast<double>(std::max<int64_t>(devices.Below(5) - 2, 0)));
  }
  return WithErrors(Of(type, values), errors);
}

class UncertainIntegersTest : public testing::TestWithParam<ElementType> {};

TEST_P(UncertainIntegersTest, ABoundCoversWhatADeviceMayHave) {
  const std::string type = fmt::format("tensor<3x3x{}>", NameOf(GetParam()));
  std::vector<Op> ops = {{"%r = stablehlo.and %a, %b : {}", "{}"},
                         {"%r = stablehlo.or %a, %b : {}", "{}"},
                         {"%r = stablehlo.xor %a, %b : {}", "{}"},
                         {"%r = stablehlo.xor %a, %a : {}", "{}"},
                         {"%r = stablehlo.not %a : {}", "{}"},
                         {"%r = stablehlo.maximum %a, %b : {}", "{}"},
                         {"%r = stablehlo.minimum %a, %b : {}", "{}"},
                         {"%r = stablehlo.add %a, %b : {}", "{}"},
                         {"%r = stablehlo.multiply %a, %b : {}", "{}"},
                         {"%r = stablehlo.compare LT, %a, %b : ({}, {}) -> tensor<3x3xi1>", "tensor<3x3xi1>"},
                         {"%r = stablehlo.compare NE, %a, %b : ({}, {}) -> tensor<3x3xi1>", "tensor<3x3xi1>"},
                         {"%r = stablehlo.convert %a : ({}) -> tensor<3x3xi32>", "tensor<3x3xi32>"},
                         {"%r = stablehlo.convert %a : ({}) -> tensor<3x3xi4>", "tensor<3x3xi4>"},
                         {"%r = stablehlo.convert %a : ({}) -> tensor<3x3xi1>", "tensor<3x3xi1>"},
                         {"%r = stablehlo.convert %a : ({}) -> tensor<3x3xf32>", "tensor<3x3xf32>"},
                         {"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}", "{}"}};
  if (KindOf(GetParam()) == ElementKind::kInteger) {
    for (const Op op : std::initializer_list<Op>{
             {"%r = stablehlo.subtract %a, %b : {}", "{}"},
             {"%r = stablehlo.divide %a, %b : {}", "{}"},
             {"%r = stablehlo.remainder %a, %b : {}", "{}"},
             {"%r = stablehlo.power %a, %b : {}", "{}"},
             {"%r = stablehlo.clamp %b, %a, %b : {}", "{}"},
             {"%r = stablehlo.negate %a : {}", "{}"},
             {"%r = stablehlo.popcnt %a : {}", "{}"},
             {"%r = stablehlo.count_leading_zeros %a : {}", "{}"},
             {"%r = stablehlo.shift_left %a, %b : {}", "{}"},
             {"%r = stablehlo.shift_right_logical %a, %b : {}", "{}"},
             {"%r = stablehlo.shift_right_arithmetic %a, %b : {}", "{}"},
             {"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> tensor<3x3xi32>",
              "tensor<3x3xi32>"},
             {"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> tensor<3x3xf32>",
              "tensor<3x3xf32>"}}) {
      ops.push_back(op);
    }
  }
  if (Info(GetParam()).is_signed) ops.push_back({"%r = stablehlo.sign %a : {}", "{}"});
  Devices devices;
  for (const auto& [op, result] : ops) {
    const std::string text = fmt::format("func.func @main(%a: {0}, %b: {0}) -> {1} {{\n{2}\nreturn %r : {1}\n}}", type,
                                         Replaced(result, type), Replaced(op, type));
    for (int round = 0; round < 8; ++round)
      devices.ExpectCovered(text, {Inexact(GetParam(), devices), Inexact(GetParam(), devices)});
  }
}

TEST_P(UncertainIntegersTest, ABoundOfAReductionCoversWhatADeviceMayHave) {
  const std::string element(NameOf(GetParam()));
  Devices devices;
  for (const std::string op : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"}) {
    const std::string text = fmt::format(
        "func.func @main(%a: tensor<3x3x{0}>, %i: tensor<{0}>) -> tensor<3x{0}> {{\n"
        "%r = stablehlo.reduce(%a init: %i) applies stablehlo.{1} across dimensions = [1]"
        " : (tensor<3x3x{0}>, tensor<{0}>) -> tensor<3x{0}>\nreturn %r : tensor<3x{0}>\n}}",
        element, op);
    const Tensor start = Tensor::Zeros(GetParam(), {});
    for (int round = 0; round < 20; ++round) devices.ExpectCovered(text, {Inexact(GetParam(), devices)}, {start});
  }
}

INSTANTIATE_TEST_SUITE_P(All, UncertainIntegersTest,
                         testing::Values(ElementType::kI1, ElementType::kI8, ElementType::kUi8, ElementType::kI32),
                         [](const auto& type) { return std::string(NameOf(type.param)); });

TEST(IntegerErrorsTest, AProductOfASureAndAnUnsureIntegerIsOffByTheSureOne) {
  const std::string text =
      "func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {\n"
      "%r = stablehlo.multiply %a, %b : tensor<3xi32>\nreturn %r : tensor<3xi32>\n}";
  const Tensor a = WithErrors(I32({3}, {5, 9, 4}), {1, 0, 2});
  EXPECT_THAT(OneResult(text, Values{a, I32({3}, {100, 100, -7})}, {.bounds = true}).bounds(), ElementsAre(100, 0, 14));
}

TEST(IntegerErrorsTest, AComparisonBeyondTheErrorIsDecided) {
  const std::string text =
      "func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi1> {\n"
      "%r = stablehlo.compare LT, %a, %b : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>\nreturn %r : "
      "tensor<3xi1>\n}";
  const Tensor a = WithErrors(I32({3}, {5, 5, 5}), {1, 1, 1});
  EXPECT_THAT(OneResult(text, Values{a, I32({3}, {7, 6, 3})}, {.bounds = true}).bounds(), ElementsAre(0, 1, 0));
}

TEST(IntegerErrorsTest, AWideErrorOfASumIsThatOfItsEnds) {
  const std::string text =
      "func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {\n"
      "%r = stablehlo.add %a, %b : tensor<2xi32>\nreturn %r : tensor<2xi32>\n}";
  const Tensor a = WithErrors(I32({2}, {5, 2147483000}), {1e6, 1e6});
  EXPECT_THAT(OneResult(text, Values{a, I32({2}, {7, 6})}, {.bounds = true}).bounds(), ElementsAre(1e6, kInf))
      << "the second may wrap around";
}

}  // namespace
}  // namespace opbyop::reference
