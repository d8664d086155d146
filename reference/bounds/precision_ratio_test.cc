// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/precision_ratio.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "reference/eval/evaluate_text.h"
#include "reference/inputs/inputs.h"
#include "reference/inputs/judge_product.h"
#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 9;
constexpr int64_t kColumns = 40;

using SumOfProducts = std::function<float(std::span<const float>, std::span<const float>)>;

// Judges the product of two random matrices, which `device` sums in f32, by a reference that knows what the target
// declares.
JudgedProduct Judge(int64_t k, const SumOfProducts& device, const std::string& declared = "f32") {
  const auto in_f32 = [&](std::span<const double> a, std::span<const double> b) -> double {
    return device(std::vector<float>(a.begin(), a.end()), std::vector<float>(b.begin(), b.end()));
  };
  return JudgeProduct({.rows = kRows, .k = k, .columns = kColumns}, in_f32, {.precision = {{"dot_general", declared}}});
}

float InOrder(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t p = 0; p < a.size(); ++p) sum += a[p] * b[p];
  return sum;
}

float Fused(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t p = 0; p < a.size(); ++p) sum = std::fmaf(a[p], b[p], sum);
  return sum;
}

float Pairwise(std::span<const float> a, std::span<const float> b) {
  if (a.size() == 1) return a[0] * b[0];
  const size_t half = a.size() / 2;
  return Pairwise(a.first(half), b.first(half)) + Pairwise(a.subspan(half), b.subspan(half));
}

// Rounds the significand to `bits` bits.
float Kept(float v, int bits) {
  if (v == 0) return v;
  const int shift = bits - 1 - std::ilogb(v);
  return std::ldexp(std::nearbyint(std::ldexp(v, shift)), -shift);
}

SumOfProducts OfOperands(const std::function<float(float)>& convert) {
  return [convert](std::span<const float> a, std::span<const float> b) {
    float sum = 0;
    for (size_t p = 0; p < a.size(); ++p) sum += convert(a[p]) * convert(b[p]);
    return sum;
  };
}
float Tf32(float v) { return Kept(v, 11); }
float Bf16(float v) { return Kept(v, 8); }
float TwoBf16(float v) { return Bf16(v) + Bf16(v - Bf16(v)); }

class PrecisionRatioOfLength : public testing::TestWithParam<int64_t> {};

TEST_P(PrecisionRatioOfLength, RightDevicesStayFarBelowOneInAnyOrder) {
  for (const SumOfProducts& device : {SumOfProducts(InOrder), SumOfProducts(Fused), SumOfProducts(Pairwise)}) {
    const JudgedProduct judged = Judge(GetParam(), device);
    EXPECT_LT(judged.precision_ratio, 0.5);
    EXPECT_GT(judged.precision_ratio, 0);
  }
}

TEST_P(PrecisionRatioOfLength, OperandsOfElevenBitsAreImprecise) {
  EXPECT_GT(Judge(GetParam(), OfOperands(Tf32)).precision_ratio, 10);
}

TEST(PrecisionRatioTest, OperandsOfTwoBf16AreImprecise) {
  const JudgedProduct judged = Judge(768, OfOperands(TwoBf16));
  EXPECT_LT(judged.bound_ratio, 0.1) << "the worst case forgives it";
  EXPECT_GT(judged.precision_ratio, 1);
}

TEST_P(PrecisionRatioOfLength, ResultsOfElevenBitsAreImprecise) {
  EXPECT_GT(Judge(GetParam(), [](auto a, auto b) { return Kept(InOrder(a, b), 11); }).precision_ratio, 10);
}

TEST_P(PrecisionRatioOfLength, OneElementOffByAThousandthIsImprecise) {
  int64_t element = 0;
  const JudgedProduct judged = Judge(GetParam(), [&](auto a, auto b) {
    const float sum = InOrder(a, b);
    return element++ == kColumns + 5 ? sum * 1.001F : sum;
  });
  EXPECT_GT(judged.precision_ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(Lengths, PrecisionRatioOfLength, testing::Values(768, 1024, 3072));

TEST(PrecisionRatioTest, ADeclaredPrecisionIsAcceptedAndALowerOneIsNot) {
  const JudgedProduct bf16 = Judge(1024, OfOperands(Bf16), "bf16");
  EXPECT_LE(bf16.bound_ratio, 1);
  EXPECT_LT(bf16.precision_ratio, 1);
  const JudgedProduct tf32 = Judge(1024, OfOperands(Tf32), "tf32");
  EXPECT_LE(tf32.bound_ratio, 1);
  EXPECT_LT(tf32.precision_ratio, 1);
  EXPECT_GT(Judge(1024, OfOperands(Bf16), "tf32").precision_ratio, 1) << "eight bits for eleven";
  EXPECT_GT(Judge(1024, OfOperands(Tf32), "bf16x3").precision_ratio, 1) << "eleven bits for sixteen";
}

TEST(PrecisionRatioTest, TheRatioIsZeroWithoutDeviations) {
  const auto out = EvaluateText(R"(func.func @main(%a: tensor<2x8xf32>, %z: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                {F32({2, 8}, std::vector<double>(16, 0.125)), F32({}, {0})}, {.bounds = true});
  EXPECT_EQ(PrecisionRatio((*out)[0].tensor(), TensorToBytes(F32({2}, {0.75, 1.25}))), 0);
}

TEST(PrecisionRatioTest, ASumThatLosesATermIsImprecise) {
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) values.push_back(static_cast<float>(std::sin(i)));
  const auto out = EvaluateText(R"(func.func @main(%a: tensor<1x4000xf32>, %z: tensor<f32>) -> tensor<1xf32> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1x4000xf32>, tensor<f32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
                                {F32({1, 4000}, values), F32({}, {0})}, {.bounds = true, .deviations = true});
  float sum = 0;
  for (const double v : values) sum += static_cast<float>(v);
  EXPECT_LT(PrecisionRatio((*out)[0].tensor(), TensorToBytes(F32({1}, {sum}))), 0.5);
  const auto lost = static_cast<float>(values.back());
  EXPECT_GT(PrecisionRatio((*out)[0].tensor(), TensorToBytes(F32({1}, {sum - lost}))), 1);
}

std::vector<double> RandomNumbers(int64_t count, uint64_t seed) {
  const CounterStream stream(seed);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(2 * stream.Unit(static_cast<uint64_t>(i)) - 1));
  }
  return values;
}

TEST(PrecisionRatioTest, AScatterThatAddsUpInFewerBitsIsImprecise) {
  const std::vector<double> updates = RandomNumbers(3000, 1);
  const auto out = EvaluateText(
      R"(func.func @main(%a: tensor<3xf32>, %u: tensor<3000xf32>) -> tensor<3xf32> {
    %n = stablehlo.iota dim = 0 : tensor<3000x1xi32>
    %three = stablehlo.constant dense<3> : tensor<3000x1xi32>
    %i = stablehlo.remainder %n, %three : tensor<3000x1xi32>
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = 1>} : (tensor<3xf32>, tensor<3000x1xi32>, tensor<3000xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
      {F32({3}, {0, 0, 0}), F32({3000}, updates)}, {.bounds = true, .deviations = true});
  ASSERT_TRUE(out) << out.error().message;
  const auto ratio = [&](auto&& step) {
    std::vector<double> sums(3);
    for (size_t i = 0; i < updates.size(); ++i)
      sums[i % 3] = step(static_cast<float>(sums[i % 3]) + static_cast<float>(updates[i]));
    const std::vector<std::byte> bytes = TensorToBytes(F32({3}, sums));
    EXPECT_LE(CompareOutput(0, (*out)[0].tensor(), bytes)->bound_ratio, 1);
    return PrecisionRatio((*out)[0].tensor(), bytes);
  };
  EXPECT_LT(ratio([](float v) { return v; }), 0.5);
  EXPECT_GT(ratio([](float v) { return Kept(v, 18); }), 1);
}

// Judges a matrix-vector product of random numbers in which the device adds with `add`.
template <typename T>
double RatioOfProduct(ElementType type, const std::string& name, const std::function<T(T, T, T)>& add) {
  constexpr int64_t kLength = 1024;
  const std::string text =
      "func.func @main(%a: tensor<8x1024x" + name + ">, %b: tensor<1024x" + name + ">) -> tensor<8x" + name +
      "> {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x1024x" + name +
      ">, tensor<1024x" + name + ">) -> tensor<8x" + name + ">\n  return %0 : tensor<8x" + name + ">\n}";
  const std::vector<double> left = RandomNumbers(16 * kLength, 2);
  const std::vector<double> right = RandomNumbers(2 * kLength, 3);
  const auto at = [](const std::vector<double>& from, size_t i) -> T {
    if constexpr (std::is_same_v<T, Complex>)
      return {from[2 * i], from[2 * i + 1]};
    else
      return from[2 * i] + 0x1p-30 * from[2 * i + 1];
  };
  Tensor a = Tensor::Make(type, {8, kLength});
  Tensor b = Tensor::Make(type, {kLength});
  for (size_t i = 0; i < 8 * kLength; ++i) a.Mutable<T>()[i] = at(left, i);
  for (size_t i = 0; i < kLength; ++i) b.Mutable<T>()[i] = at(right, i);
  Tensor got = Tensor::Make(type, {8});
  for (size_t r = 0; r < 8; ++r) {
    T sum{};
    for (size_t k = 0; k < kLength; ++k) sum = add(sum, at(left, r * kLength + k), at(right, k));
    got.Mutable<T>()[r] = sum;
  }
  const auto out = EvaluateText(text, {a, b}, {.bounds = true, .deviations = true});
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  const std::vector<std::byte> bytes = TensorToBytes(got);
  EXPECT_LE(CompareOutput(0, (*out)[0].tensor(), bytes)->bound_ratio, 1);
  return PrecisionRatio((*out)[0].tensor(), bytes);
}

TEST(PrecisionRatioTest, SumsOfF64InFewerBitsAreImprecise) {
  const auto sum = [](double s, double x, double y) { return s + x * y; };
  EXPECT_LT(RatioOfProduct<double>(ElementType::kF64, "f64", sum), 0.5);
  // Rounds to the bits that a sum of two f32 numbers has.
  const auto narrow = [](double s, double x, double y) {
    const auto kept = [](double v) {
      return std::ldexp(std::nearbyint(std::ldexp(v, 47 - std::ilogb(v))), std::ilogb(v) - 47);
    };
    return kept(s + x * y);
  };
  EXPECT_GT(RatioOfProduct<double>(ElementType::kF64, "f64", narrow), 1);
}

TEST(PrecisionRatioTest, ComplexSumsInFewerBitsAreImprecise) {
  const auto in_f32 = [](const Complex& v) {
    return Complex(static_cast<float>(v.real()), static_cast<float>(v.imag()));
  };
  const auto sum = [&](Complex s, Complex x, Complex y) { return in_f32(s + in_f32(x * y)); };
  EXPECT_LT(RatioOfProduct<Complex>(ElementType::kC64, "complex<f32>", sum), 0.5);
  const auto narrow = [&](Complex s, Complex x, Complex y) {
    const auto cut = [](const Complex& v) {
      return Complex(Kept(static_cast<float>(v.real()), 11), Kept(static_cast<float>(v.imag()), 11));
    };
    return in_f32(s + in_f32(cut(x) * cut(y)));
  };
  EXPECT_GT(RatioOfProduct<Complex>(ElementType::kC64, "complex<f32>", narrow), 1);
}

TEST(PrecisionRatioTest, AMeanInFewerBitsIsImprecise) {
  const std::vector<double> x = RandomNumbers(6000, 4);
  const auto out = EvaluateText(R"(func.func @main(%x: tensor<2000x3xf32>, %s: tensor<3xf32>) -> tensor<3xf32> {
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64}
      : (tensor<2000x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2000x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0#1 : tensor<3xf32>
  })",
                                {F32({2000, 3}, x), F32({3}, {1, 1, 1})}, {.bounds = true, .deviations = true});
  ASSERT_TRUE(out) << out.error().message;
  const auto ratio = [&](int bits) {
    std::vector<double> means(3);
    for (size_t i = 0; i < x.size(); ++i) {
      means[i % 3] = Kept(static_cast<float>(means[i % 3]) + static_cast<float>(x[i]), bits);
    }
    for (double& mean : means) mean = static_cast<float>(mean) / 2000;
    const std::vector<std::byte> bytes = TensorToBytes(F32({3}, means));
    EXPECT_LE(CompareOutput(0, (*out)[0].tensor(), bytes)->bound_ratio, 1);
    return PrecisionRatio((*out)[0].tensor(), bytes);
  };
  EXPECT_LT(ratio(24), 0.5);
  EXPECT_GT(ratio(18), 1);
}

// Partial sums of eight bits stop growing once a term is less than half their last bit.
TEST(PrecisionRatioTest, LongSumsInANarrowTypeAreLeftToTheBound) {
  const auto out =
      EvaluateText(R"(func.func @main(%a: tensor<1x512xbf16>, %z: tensor<bf16>) -> tensor<1xbf16> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1x512xbf16>, tensor<bf16>) -> tensor<1xbf16>
    return %0 : tensor<1xbf16>
  })",
                   {Tensor::Splat(ElementType::kBf16, {1, 512}, 1.0), Tensor::Zeros(ElementType::kBf16, {})},
                   {.bounds = true, .deviations = true});
  EXPECT_EQ(PrecisionRatio((*out)[0].tensor(), TensorToBytes(Tensor::Splat(ElementType::kBf16, {1}, 256.0))), 0);
}

}  // namespace
}  // namespace opbyop::reference
