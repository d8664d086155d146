// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of f32 that are computed many at once must give what the function in f64 gives, rounded to f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/eval/evaluate_text.h"
#include "reference/tensor/vector_math.h"

namespace opbyop::reference {
namespace {

float FloatOf(uint64_t code) { return std::bit_cast<float>(static_cast<uint32_t>(code)); }

// Zeros, subnormal numbers, ends of the range, infinities, NaN, poles, and numbers next to them.
std::vector<double> Specials() {
  std::vector<double> numbers;
  for (const float v : {0.0F, 1.0F, 2.0F, 0.5F, 8.0F, 88.7F, 1e-30F, 1e30F, std::numeric_limits<float>::min(),
                        std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const float towards : {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()}) {
      numbers.insert(numbers.end(), {v, -v, std::nextafter(v, towards), -std::nextafter(v, towards)});
    }
  }
  return numbers;
}

std::vector<double> EveryNth(uint64_t first, uint64_t step, uint64_t end) {
  std::vector<double> numbers;
  for (uint64_t code = first; code < end; code += step) numbers.push_back(FloatOf(code));
  return numbers;
}

// The results of an op on one or two vectors of this type.
std::vector<double> ResultsOf(std::string_view op, ElementType type, const std::vector<std::vector<double>>& operands) {
  const std::string tensor = fmt::format("tensor<{}x{}>", operands[0].size(), NameOf(type));
  Values arguments;
  for (const std::vector<double>& x : operands) {
    arguments.emplace_back(Tensor::Of<double>(type, {static_cast<int64_t>(x.size())}, x));
  }
  const bool one = operands.size() == 1;
  const Expected<Values> results =
      EvaluateText(fmt::format("func.func @main({1}) -> {0} {{\n%r = \"{2}\"({3}) : ({4}) -> {0}\nreturn %r : {0}\n}}",
                               tensor, one ? fmt::format("%a: {0}", tensor) : fmt::format("%a: {0}, %b: {0}", tensor),
                               op, one ? "%a" : "%a, %b", one ? tensor : fmt::format("{0}, {0}", tensor)),
                   std::move(arguments));
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return Elements<double>((*results)[0].tensor());
}

// Checks that the op gives in f32 what it gives in f64, rounded, and that its vector function is within a quarter of the
// error that its table states.
void ExpectAgreement(const VectorFunction& function, const std::vector<std::vector<double>>& operands) {
  const std::vector<double> exact = ResultsOf(function.op, ElementType::kF64, operands);
  const std::vector<double> rounded = ResultsOf(function.op, ElementType::kF32, operands);
  std::array<double, kVectorBlock> near = {};
  for (size_t i = 0; i < exact.size(); ++i) {
    const size_t in_block = i % kVectorBlock;
    if (in_block == 0) {
      std::array<std::array<double, kVectorBlock>, 2> block = {};
      for (size_t k = 0; k < operands.size(); ++k) {
        std::copy_n(operands[k].begin() + static_cast<int64_t>(i), std::min(kVectorBlock, exact.size() - i),
                    block[k].begin());
      }
      function.approximate(block[0].data(), block[1].data(), kVectorBlock, near.data());
    }
    const std::string place = fmt::format("{} of {:a} {:a}", function.op, operands[0][i], operands.back()[i]);
    const double want = static_cast<float>(exact[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(rounded[i])) << place;
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(rounded[i]), std::bit_cast<uint64_t>(want)) << place;
    }
    const double size = std::fabs(near[in_block]);
    if (!(size > 0x1p-900 && size < 0x1p900)) continue;  // computed one by one
    ASSERT_LE(std::fabs(near[in_block] - exact[i]), (function.relative * size + function.absolute) / 4) << place;
  }
}

// The names of the vector functions of so many operands.
std::vector<std::string> NamesOf(int operands) {
  std::vector<std::string> names;
  for (const VectorFunction& function : VectorFunctions()) {
    if (function.operands == operands) names.emplace_back(function.op);
  }
  return names;
}

std::string TestNameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

class VectorFunctionsTest : public testing::TestWithParam<std::string> {
 protected:
  const VectorFunction& function() const { return *FindVectorFunction(GetParam()); }
};
class VectorFunctionsOfTwoTest : public VectorFunctionsTest {};

TEST_P(VectorFunctionsTest, GivesWhatTheFunctionInF64Gives) {
  std::vector<double> numbers = EveryNth(0, 65521, uint64_t{1} << 32);
  for (const double v : Specials()) numbers.push_back(v);
  ExpectAgreement(function(), {numbers});
}

TEST_P(VectorFunctionsTest, AgreesOnOrdinaryNumbers) {
  std::vector<double> numbers(5001);  // no multiple of a block
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(0.01 + 0.0016 * static_cast<double>(i));
  ExpectAgreement(function(), {numbers});
}

// Takes two minutes a function.
TEST_P(VectorFunctionsTest, DISABLED_GivesItForAllNumbersOfF32) {
  constexpr uint64_t kChunk = uint64_t{1} << 20;
  for (uint64_t first = 0; first < uint64_t{1} << 32 && !HasFatalFailure(); first += kChunk) {
    ExpectAgreement(function(), {EveryNth(first, 1, first + kChunk)});
  }
}

TEST_P(VectorFunctionsOfTwoTest, GivesWhatTheFunctionInF64Gives) {
  const std::vector<double> numbers = EveryNth(0, 65521, uint64_t{1} << 32);
  std::vector<double> left, right;
  for (size_t i = 0; i < 4000; ++i) {
    left.push_back(numbers[i * 16]);
    right.push_back(numbers[(i * 4001 + 77) % numbers.size()]);
  }
  for (const double a : Specials()) {
    for (const double b : Specials()) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  ExpectAgreement(function(), {left, right});
}

TEST_P(VectorFunctionsOfTwoTest, AgreesOnOrdinaryNumbers) {
  std::vector<double> left, right;
  for (int i = 0; i < 5001; ++i) {
    const auto number = static_cast<float>(0.01 + 0.0016 * i);
    left.push_back(GetParam() == "chlo.polygamma" ? std::floor(number) : number);
    right.push_back(static_cast<float>(0.02 + i * 7 % 641 / 80.0));
  }
  ExpectAgreement(function(), {left, right});
}

INSTANTIATE_TEST_SUITE_P(All, VectorFunctionsTest, testing::ValuesIn(NamesOf(1)), TestNameOf);
INSTANTIATE_TEST_SUITE_P(All, VectorFunctionsOfTwoTest, testing::ValuesIn(NamesOf(2)), TestNameOf);
// This machine may have no vector functions.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VectorFunctionsTest);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VectorFunctionsOfTwoTest);

}  // namespace
}  // namespace opbyop::reference
