// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/scatter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kFew = 8;
constexpr int64_t kLarge = int64_t{1} << 21;

// Scatters seven updates into the first eight elements of a vector, some to the same place, one to none.
Tensor Scattered(int64_t size, const std::string& body) {
  const std::string text =
      fmt::format(R"(func.func @main(%a: tensor<{0}xbf16>, %u: tensor<7xbf16>) -> tensor<{0}xbf16> {{
    %i = stablehlo.constant dense<[[1], [3], [1], [0], [1], [-1], [6]]> : tensor<7x1xi32>
    %0 = "stablehlo.scatter"(%a, %i, %u) ({{
      ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
        {1}
    }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}} : (tensor<{0}xbf16>, tensor<7x1xi32>, tensor<7xbf16>) -> tensor<{0}xbf16>
    return %0 : tensor<{0}xbf16>
  }})",
                  size, body);
  const auto in_stored_form = [](Shape shape, auto&& value) {
    Tensor t = Tensor::Make(ElementType::kBf16, shape);
    for (size_t i = 0; i < t.Mutable<double>().size(); ++i) t.Mutable<double>()[i] = value(static_cast<int64_t>(i));
    const std::vector<std::byte> bytes = TensorToBytes(t);
    Buffer buffer(bytes.size());
    std::ranges::copy(bytes, buffer.data());
    return Tensor::OfStored(ElementType::kBf16, std::move(shape), std::move(buffer));
  };
  const auto results = EvaluateText(
      text,
      {in_stored_form({size}, [](int64_t i) { return i < kFew ? 1.0 + static_cast<double>(i) / 8 : 0.5; }),
       in_stored_form({7}, [](int64_t i) { return 0.25 * static_cast<double>((i + 1) * (i % 2 == 0 ? 1 : -1)); })},
      {.bounds = true, .deviations = true});
  EXPECT_TRUE(results.has_value()) << results.error().message;
  return results->front().tensor();
}

// A large operand is judged by the few elements that updates reach.
class ScatterTest : public testing::TestWithParam<std::string> {};

TEST_P(ScatterTest, OfAFewElementsOfManyIsThatOfTheFew) {
  const Tensor few = Scattered(kFew, GetParam()), many = Scattered(kLarge, GetParam());
  ASSERT_EQ(few.bound() == nullptr, many.bound() == nullptr);
  ASSERT_EQ(few.bounds().empty(), many.bounds().empty());
  for (size_t i = 0; i < kFew; ++i) {
    EXPECT_EQ(many.data<double>()[i], few.data<double>()[i]) << i;
    if (few.bounds().empty()) continue;
    EXPECT_EQ(many.bounds()[i], few.bounds()[i]) << i;
    if (few.bound()->deviation_span().empty()) continue;
    // An element that no update reaches is exact: it has no deviation by which the second criterion would count it.
    const bool reached = i == 0 || i == 1 || i == 3 || i == 6;
    EXPECT_EQ(many.bound()->deviation_span()[i], reached ? few.bound()->deviation_span()[i] : 0) << i;
  }
  for (size_t i = kFew; i < kLarge; ++i) {
    ASSERT_EQ(many.data<double>()[i], 0.5) << i;
    ASSERT_TRUE(many.bounds().empty() || many.bounds()[i] == 0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, ScatterTest,
                         testing::Values("%s = stablehlo.add %x, %y : tensor<bf16>\n"
                                         "        stablehlo.return %s : tensor<bf16>",
                                         "%s = stablehlo.multiply %x, %y : tensor<bf16>\n"
                                         "        stablehlo.return %s : tensor<bf16>",
                                         "%s = stablehlo.maximum %x, %y : tensor<bf16>\n"
                                         "        stablehlo.return %s : tensor<bf16>",
                                         "stablehlo.return %y : tensor<bf16>",
                                         "%s = stablehlo.subtract %y, %x : tensor<bf16>\n"
                                         "        stablehlo.return %s : tensor<bf16>"));

}  // namespace
}  // namespace opbyop::reference
