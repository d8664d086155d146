// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of a thousand and more terms under the policy `sparse`: right devices are accepted; narrow operands, narrow
// results and lost terms are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "reference/bounds/compare.h"
#include "reference/eval/evaluate_text.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 3;
constexpr int64_t kColumns = 17;

// Computes one element of a matrix product as a device does.
using SumOfProducts = std::function<float(const std::vector<float>&, const std::vector<float>&)>;

class LongSums : public testing::TestWithParam<int64_t> {
 protected:
  // Returns the worst error in units of its bound, or nullopt if the bounds refuse the device's result.
  std::optional<double> Judge(const SumOfProducts& device) const {
    const int64_t k = GetParam();
    const std::string lhs = fmt::format("tensor<{}x{}xf32>", kRows, k);
    const std::string rhs = fmt::format("tensor<{}x{}xf32>", k, kColumns);
    const std::string out = fmt::format("tensor<{}x{}xf32>", kRows, kColumns);
    const std::string text = fmt::format(
        "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x "
        "[0] "
        ": ({0}, {1}) -> {2}\n  return %0 : {2}\n}}",
        lhs, rhs, out);
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = ReadModuleFromBytes(text, "test.mlir", context);
    const auto inputs = MakeInputs(module->get(), InputKind::kSparse, SeedOf("case", 1));
    Values arguments;
    for (const InputData& input : *inputs) {
      arguments.emplace_back(*TensorFromBytes(input.type, input.shape, input.bytes));
    }
    const auto a = arguments[0].tensor().data<double>();
    const auto b = arguments[1].tensor().data<double>();
    std::vector<double> got;
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < kColumns; ++j) {
        std::vector<float> row(static_cast<size_t>(k));
        std::vector<float> column(static_cast<size_t>(k));
        for (int64_t p = 0; p < k; ++p) {
          row[static_cast<size_t>(p)] = static_cast<float>(a[static_cast<size_t>(i * k + p)]);
          column[static_cast<size_t>(p)] = static_cast<float>(b[static_cast<size_t>(p * kColumns + j)]);
        }
        got.push_back(device(row, column));
      }
    }
    const auto expected = EvaluateText(text, arguments, {.bounds = true});
    EXPECT_TRUE(expected) << (expected ? "" : expected.error().message);
    return RatioIfAccepted((*expected)[0].tensor(), TensorToBytes(F32({kRows, kColumns}, got)));
  }
};

float InOrder(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (size_t p = 0; p < a.size(); ++p) sum += a[p] * b[p];
  return sum;
}

float Fused(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (size_t p = 0; p < a.size(); ++p) sum = std::fmaf(a[p], b[p], sum);
  return sum;
}

// Adds up in eight lanes, then adds the lanes, as vector units do.
float InLanes(const std::vector<float>& a, const std::vector<float>& b) {
  std::array<float, 8> lanes{};
  for (size_t p = 0; p < a.size(); ++p) lanes[p % 8] += a[p] * b[p];
  return std::accumulate(lanes.begin(), lanes.end(), 0.0F);
}

float Pairwise(std::span<const float> a, std::span<const float> b) {
  if (a.size() == 1) return a[0] * b[0];
  const size_t half = a.size() / 2;
  return Pairwise(a.first(half), b.first(half)) + Pairwise(a.subspan(half), b.subspan(half));
}

TEST_P(LongSums, EveryOrderOfARightDeviceIsAccepted) {
  EXPECT_LE(Judge(InOrder).value_or(2), 1);
  EXPECT_LE(Judge(Fused).value_or(2), 1);
  EXPECT_LE(Judge(InLanes).value_or(2), 1);
  EXPECT_LE(Judge([](const auto& a, const auto& b) { return Pairwise(a, b); }).value_or(2), 1);
}

std::vector<float> Kept(std::vector<float> values, int bits) {
  for (float& v : values) {
    if (v == 0) continue;
    const int shift = bits - 1 - std::ilogb(v);
    v = std::ldexp(std::nearbyint(std::ldexp(v, shift)), -shift);
  }
  return values;
}

TEST_P(LongSums, OperandsOfElevenBitsAreRefused) {
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) { return InOrder(Kept(a, 11), Kept(b, 11)); }));
}

TEST_P(LongSums, OneOperandOfElevenBitsIsRefused) {
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) { return InOrder(Kept(a, 11), b); }));
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) { return InOrder(a, Kept(b, 11)); }));
}

TEST_P(LongSums, OperandsOfTwoBf16AreRefused) {
  const auto halves = [](const std::vector<float>& values) {
    std::vector<float> high = Kept(values, 8);
    std::vector<float> low = values;
    for (size_t i = 0; i < low.size(); ++i) low[i] -= high[i];
    low = Kept(low, 8);
    for (size_t i = 0; i < low.size(); ++i) low[i] += high[i];
    return low;
  };
  EXPECT_FALSE(Judge([&](const auto& a, const auto& b) { return InOrder(halves(a), halves(b)); }));
}

TEST_P(LongSums, ResultsOfElevenAndOfEightBitsAreRefused) {
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) { return Kept({InOrder(a, b)}, 11)[0]; }));
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) { return Kept({InOrder(a, b)}, 8)[0]; }));
}

TEST_P(LongSums, PartialSumsOfEightBitsAreRefused) {
  EXPECT_FALSE(Judge([](const auto& a, const auto& b) {
    float sum = 0;
    for (size_t p = 0; p < a.size(); ++p) sum = Kept({sum + a[p] * b[p]}, 8)[0];
    return sum;
  }));
}

TEST_P(LongSums, ALostTermIsRefusedWhereverItIs) {
  const auto k = static_cast<size_t>(GetParam());
  for (const size_t lost : {size_t{0}, k - 1}) {
    EXPECT_FALSE(Judge([lost](std::vector<float> a, const auto& b) {
      a[lost] = 0;
      return InOrder(a, b);
    })) << lost;
  }
}

TEST_P(LongSums, OneElementThatIsOffByAThousandthIsRefused) {
  int64_t element = 0;
  EXPECT_FALSE(
      Judge([&](const auto& a, const auto& b) { return InOrder(a, b) * (element++ == kColumns + 5 ? 1.001F : 1.0F); }));
}

INSTANTIATE_TEST_SUITE_P(Lengths, LongSums, testing::Values(768, 1024, 3072));

std::span<const double> BoundsOf(const Values& values) { return values[0].tensor().bounds(); }

const char* kDot = R"(func.func @main(%a: tensor<4x16xf32>, %b: tensor<16x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
})";

// n u times the magnitude sum, plus half the distance to the neighbour for the reference's own rounding.
double BoundOfSum(double n, double sum) {
  return n * 0x1p-24 / (1 - n * 0x1p-24) * sum + std::ldexp(1, std::ilogb(sum) - 24);
}

// Runs once with nearly all elements zero, for which the evaluator has another algorithm, and once with only many.
TEST(BoundOfZerosTest, OnlyProductsThatAreNotZeroCount) {
  for (const size_t last : {size_t{3}, size_t{16}}) {
    const std::array<size_t, 4> counts = {0, 1, 2, last};
    std::vector<double> a(64, 0);
    for (size_t row = 0; row < 4; ++row) std::fill_n(a.begin() + static_cast<int64_t>(16 * row), counts[row], 1.5);
    const auto out = EvaluateText(kDot, {F32({4, 16}, a), F32({16, 4}, std::vector<double>(64, 1))}, {.bounds = true});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(BoundsOf(*out)[0], 0) << "a sum of zeros is zero";
    for (size_t row = 1; row < 4; ++row) {
      const auto n = static_cast<double>(counts[row]);
      EXPECT_DOUBLE_EQ(BoundsOf(*out)[4 * row], BoundOfSum(n, 1.5 * n)) << n;
    }
  }
}

TEST(BoundOfZerosTest, AnInfinityTimesZeroStaysNan) {
  std::vector<double> a(64, 0);
  a[3] = 2;
  std::vector<double> b(64, 1);
  b[4] = std::numeric_limits<double>::infinity();
  const auto out = EvaluateText(kDot, {F32({4, 16}, a), F32({16, 4}, b)}, {.bounds = true});
  EXPECT_TRUE(std::isnan((*out)[0].tensor().data<double>()[0]));
  EXPECT_TRUE(std::isfinite(BoundsOf(*out)[0]));
}

TEST(BoundOfZerosTest, AZeroWithAnErrorCountsAsATerm) {
  const auto out =
      EvaluateText(R"(func.func @main(%a: tensor<1x8xf32>, %b: tensor<8x1xf32>) -> tensor<1x1xf32> {
    %s = stablehlo.sine %a : tensor<1x8xf32>
    %c = stablehlo.constant dense<0.84147098> : tensor<1x8xf32>
    %0 = stablehlo.subtract %s, %c : tensor<1x8xf32>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
    return %1 : tensor<1x1xf32>
  })",
                   {F32({1, 8}, std::vector<double>(8, 1)), F32({8, 1}, std::vector<double>(8, 1))}, {.bounds = true});
  EXPECT_EQ((*out)[0].tensor().data<double>()[0], 0);
  EXPECT_GE(BoundsOf(*out)[0], 8 * 0x1p-24) << "of eight sines, each off by an ULP at least";
}

TEST(BoundOfZerosTest, ASumOfOneNumberIsThatNumber) {
  const auto out = EvaluateText(R"(func.func @main(%a: tensor<2x8xf32>, %z: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                {F32({2, 8}, {0, 0, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0}), F32({}, {0})},
                                {.bounds = true, .exact_sums = false});
  EXPECT_EQ(BoundsOf(*out)[0], 0);
  EXPECT_DOUBLE_EQ(BoundsOf(*out)[1], BoundOfSum(1, 12));
}

TEST(BoundOfZerosTest, AWindowCountsItsNonzeroElements) {
  const auto out = EvaluateText(R"(func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf32> {
    %0 = "stablehlo.reduce_window"(%a, %z) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                                {F32({4}, {0, 3, 0, 5}), F32({}, {0})}, {.bounds = true, .exact_sums = false});
  EXPECT_EQ(BoundsOf(*out)[0], 0);
  EXPECT_EQ(BoundsOf(*out)[2], 0);
  EXPECT_DOUBLE_EQ(BoundsOf(*out)[3], BoundOfSum(1, 8));
}

TEST(BoundOfZerosTest, ScatteringZerosLeavesAnElementExact) {
  const auto out =
      EvaluateText(R"(func.func @main(%a: tensor<3xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
                   {F32({3}, {1, 1, 1}), I32({4, 1}, {0, 1, 1, 1}), F32({4}, {0, 0, 3, 4})}, {.bounds = true});
  EXPECT_EQ(BoundsOf(*out)[0], 0);
  EXPECT_DOUBLE_EQ(BoundsOf(*out)[1], BoundOfSum(2, 8));
  EXPECT_EQ(BoundsOf(*out)[2], 0);
}

// The mean and the variance of a batch of 1,000 numbers, with their bounds.
Values MomentsOf(const std::vector<double>& x) {
  const auto out = EvaluateText(
      R"(func.func @main(%a: tensor<1000x1xf32>, %s: tensor<1xf32>, %o: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
    %0:3 = "stablehlo.batch_norm_training"(%a, %s, %o) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<1000x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1000x1xf32>, tensor<1xf32>, tensor<1xf32>)
    return %0#1, %0#2 : tensor<1xf32>, tensor<1xf32>
  })",
      {F32({1000, 1}, x), F32({1}, {1}), F32({1}, {0})}, {.bounds = true});
  return out.value();
}

TEST(BoundOfZerosTest, TheBoundOfABatchMeanDependsOnItsNonzeroElements) {
  std::vector<double> x(1000, 0);
  x[17] = 0.7;
  EXPECT_LT(MomentsOf(x)[0].tensor().bounds()[0], 1100 * 0x1p-24 * 0.0007);
  EXPECT_EQ(MomentsOf(std::vector<double>(1000, 0))[0].tensor().bounds()[0], 0x1p-149) << "of zeros";
}

// A running mean rounds at every number, even at zeros.
TEST(BoundOfZerosTest, WelfordsMomentsAreWithinTheirBounds) {
  for (const int nonzero : {1, 3, 15, 1000}) {
    for (const int from : {0, 17, 985}) {
      std::vector<double> x(1000, 0);
      for (int k = 0; k < nonzero; ++k) x[(from + 61 * k) % 1000] = static_cast<float>(0.7 + std::sin(k));
      float mean = 0, squares = 0, count = 0;
      for (const double value : x) {
        const auto v = static_cast<float>(value);
        const float difference = v - mean;
        mean += difference / ++count;
        squares += difference * (v - mean);
      }
      const Values moments = MomentsOf(x);
      for (const auto& [got, at] : {std::pair(mean, 0), std::pair(squares / count, 1)}) {
        const Tensor& expected = moments[at].tensor();
        EXPECT_LE(std::fabs(got - expected.data<double>()[0]), expected.bounds()[0]) << nonzero << " from " << from;
      }
    }
  }
}

// The running mean of an infinity is NaN as soon as a number follows, so the mean is open. The variance is NaN in every
// form.
TEST(BoundOfZerosTest, AnInfinityLeavesTheMeanOpen) {
  std::vector<double> x(1000, 1);
  x[17] = std::numeric_limits<double>::infinity();
  const Values moments = MomentsOf(x);
  EXPECT_TRUE(std::isinf(moments[0].tensor().data<double>()[0]));
  EXPECT_TRUE(std::isinf(moments[0].tensor().bounds()[0]));
  EXPECT_TRUE(std::isnan(moments[1].tensor().data<double>()[0]));
  EXPECT_EQ(moments[1].tensor().bounds()[0], 0);
}

}  // namespace
}  // namespace opbyop::reference
