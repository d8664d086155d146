#include "reference/precision_ratio.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "reference/compare.h"
#include "reference/evaluate_text.h"
#include "reference/inputs.h"

namespace opbyop {
namespace {

constexpr int64_t kRows = 9;
constexpr int64_t kColumns = 40;

using SumOfProducts = std::function<float(std::span<const float>, std::span<const float>)>;

struct Judged {
  double bound_ratio;
  double precision_ratio;
};

// The product of two drawn matrices, summed by the device, against the reference that knows what the target declares.
Judged Judge(int64_t k, const SumOfProducts& device, const std::string& declared = "f32") {
  const std::string lhs = fmt::format("tensor<{}x{}xf32>", kRows, k);
  const std::string rhs = fmt::format("tensor<{}x{}xf32>", k, kColumns);
  const std::string out = fmt::format("tensor<{}x{}xf32>", kRows, kColumns);
  const std::string text = fmt::format(
      "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
      ": ({0}, {1}) -> {2}\n  return %0 : {2}\n}}",
      lhs, rhs, out);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  const auto inputs = MakeInputs(module->get(), InputKind::kDomain, SeedOf("case", 1));
  Values arguments;
  for (const InputData& input : *inputs) {
    arguments.emplace_back(*TensorFromBytes(input.type, input.shape, input.bytes));
  }
  const auto a = arguments[0].tensor().data<double>();
  const auto b = arguments[1].tensor().data<double>();
  const std::vector<float> rows(a.begin(), a.end());
  std::vector<float> columns(static_cast<size_t>(k * kColumns));
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < kColumns; ++j) {
      columns[static_cast<size_t>(j * k + p)] = static_cast<float>(b[static_cast<size_t>(p * kColumns + j)]);
    }
  }
  std::vector<double> got;
  const auto length = static_cast<size_t>(k);
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      got.push_back(
          device(std::span(rows).subspan(i * length, length), std::span(columns).subspan(j * length, length)));
    }
  }
  const auto expected =
      EvaluateText(text, arguments, {.bounds = true, .deviations = true, .precision = {{"dot_general", declared}}});
  EXPECT_TRUE(expected) << (expected ? "" : expected.error().message);
  const std::vector<std::byte> bytes = TensorToBytes(F32({kRows, kColumns}, got));
  const auto comparison = CompareOutput(0, (*expected)[0].tensor(), bytes);
  return {comparison->bound_ratio, PrecisionRatio((*expected)[0].tensor(), bytes)};
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

// The significand rounded to so many bits.
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

TEST_P(PrecisionRatioOfLength, RightDevicesOfAnyOrderStayFarBelowOne) {
  for (const SumOfProducts& device : {SumOfProducts(InOrder), SumOfProducts(Fused), SumOfProducts(Pairwise)}) {
    const Judged judged = Judge(GetParam(), device);
    EXPECT_LT(judged.precision_ratio, 0.5);
    EXPECT_GT(judged.precision_ratio, 0);
  }
}

TEST_P(PrecisionRatioOfLength, OperandsOfElevenBitsAreImprecise) {
  EXPECT_GT(Judge(GetParam(), OfOperands(Tf32)).precision_ratio, 10);
}

TEST(PrecisionRatioTest, OperandsOfTwoBf16AreImprecise) {
  const Judged judged = Judge(768, OfOperands(TwoBf16));
  EXPECT_LT(judged.bound_ratio, 0.1) << "the worst case forgives it";
  EXPECT_GT(judged.precision_ratio, 1);
}

TEST_P(PrecisionRatioOfLength, ResultsOfElevenBitsAreImprecise) {
  EXPECT_GT(Judge(GetParam(), [](auto a, auto b) { return Kept(InOrder(a, b), 11); }).precision_ratio, 10);
}

TEST_P(PrecisionRatioOfLength, OneElementOffByAThousandthIsImprecise) {
  int64_t element = 0;
  const Judged judged = Judge(GetParam(), [&](auto a, auto b) {
    const float sum = InOrder(a, b);
    return element++ == kColumns + 5 ? sum * 1.001F : sum;
  });
  EXPECT_GT(judged.precision_ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(Lengths, PrecisionRatioOfLength, testing::Values(768, 1024, 3072));

TEST(PrecisionRatioTest, ADeclaredPrecisionIsGrantedAndNoMore) {
  const Judged bf16 = Judge(1024, OfOperands(Bf16), "bf16");
  EXPECT_LE(bf16.bound_ratio, 1);
  EXPECT_LT(bf16.precision_ratio, 1);
  const Judged tf32 = Judge(1024, OfOperands(Tf32), "tf32");
  EXPECT_LE(tf32.bound_ratio, 1);
  EXPECT_LT(tf32.precision_ratio, 1);
  EXPECT_GT(Judge(1024, OfOperands(Bf16), "tf32").precision_ratio, 1) << "eight bits for eleven";
  EXPECT_GT(Judge(1024, OfOperands(Tf32), "bf16x3").precision_ratio, 1) << "eleven bits for sixteen";
}

TEST(PrecisionRatioTest, NothingIsJudgedWhereNobodyAsksForDeviations) {
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

// Partial sums of eight bits stand still once a term is less than half their last bit.
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
}  // namespace opbyop
