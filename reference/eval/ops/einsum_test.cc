// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

Expected<Values> Einsum(const std::string& config, const std::string& types, Values arguments) {
  // `types` is "(tensor<..>, tensor<..>) -> tensor<..>".
  const size_t comma = types.find(", ");
  const size_t close = types.find(')');
  const bool unary = comma == std::string::npos || comma > close;
  const std::string a = types.substr(1, (unary ? close : comma) - 1);
  const std::string b = unary ? "" : types.substr(comma + 2, close - comma - 2);
  const std::string result = types.substr(types.find("-> ") + 3);
  return EvaluateText("func.func @main(%a: " + a + (unary ? "" : ", %b: " + b) + ") -> " + result +
                          " {\n  %0 = stablehlo." + (unary ? "unary_einsum %a" : "einsum %a, %b") + ", config = \"" +
                          config + "\" : " + types + "\n  return %0 : " + result + "\n}\n",
                      std::move(arguments));
}

std::vector<double> Of(const Expected<Values>& results) {
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? Elements<double>((*results)[0].tensor()) : std::vector<double>();
}

TEST(EvalEinsumTest, AMatrixProduct) {
  EXPECT_THAT(Of(Einsum("ab,bc->ac", "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
                        {F32({2, 2}, {1, 2, 3, 4}), F32({2, 2}, {5, 6, 7, 8})})),
              ElementsAre(19, 22, 43, 50));
}

TEST(EvalEinsumTest, TheResultHasTheOrderOfItsLetters) {
  EXPECT_THAT(Of(Einsum("ab,bc->ca", "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
                        {F32({2, 2}, {1, 2, 3, 4}), F32({2, 2}, {5, 6, 7, 8})})),
              ElementsAre(19, 43, 22, 50));
}

TEST(EvalEinsumTest, ALetterOfOneOperandThatTheResultDropsIsSummed) {
  EXPECT_THAT(Of(Einsum("ab,c->c", "(tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>",
                        {F32({2, 2}, {1, 2, 3, 4}), F32({2}, {1, 10})})),
              ElementsAre(10, 100));
}

TEST(EvalEinsumTest, AnEllipsisStandsForBatchDimensions) {
  EXPECT_THAT(Of(Einsum("...a,...a->...", "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                        {F32({2, 2}, {1, 2, 3, 4}), F32({2, 2}, {1, 1, 2, 2})})),
              ElementsAre(3, 14));
}

TEST(EvalEinsumTest, UnaryFormsTransposeSumAndTakeDiagonals) {
  const Tensor x = F32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(Of(Einsum("ab->ba", "(tensor<2x2xf32>) -> tensor<2x2xf32>", {x})), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(Of(Einsum("ab->b", "(tensor<2x2xf32>) -> tensor<2xf32>", {x})), ElementsAre(4, 6));
  EXPECT_THAT(Of(Einsum("aa->a", "(tensor<2x2xf32>) -> tensor<2xf32>", {x})), ElementsAre(1, 4));
  EXPECT_THAT(Of(Einsum("aa->", "(tensor<2x2xf32>) -> tensor<f32>", {x})), ElementsAre(5));
}

TEST(EvalEinsumTest, AConfigThatDoesNotFitIsAnError) {
  const Expected<Values> results =
      Einsum("abc->ba", "(tensor<2x2xf32>) -> tensor<2x2xf32>", {F32({2, 2}, {1, 2, 3, 4})});
  ASSERT_FALSE(results.has_value());
  EXPECT_EQ(results.error().code, ExitCode::kBadInput);
}

}  // namespace
}  // namespace opbyop::reference
