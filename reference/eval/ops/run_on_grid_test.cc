// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/ops/run_on_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Evaluates the body of @main(%a: tensor<2xT>) -> R on a grid. Process i gets `arguments`[i].
Expected<Values> ResultsOf(const std::string& body, const std::string& type, const std::string& result,
                           const Grid& grid, const std::vector<Tensor>& arguments,
                           const EvalOptions& options = {.bounds = true}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(
      "func.func @main(%a: " + type + ") -> " + result + " {\n" + body + "\nreturn %r : " + result + "\n}\n",
      "test.mlir", context);
  if (!module) return Unexpected(module.error());
  const Expected<mlir::Operation*> entry = EntryOf(**module);
  if (!entry) return Unexpected(entry.error());
  return EvaluateOnGrid(**module, *entry, options, grid, Values(arguments.begin(), arguments.end()));
}

std::string Reduced(const std::string& op, const std::string& groups, const std::string& type) {
  return "%r = \"stablehlo.all_reduce\"(%a) <{replica_groups = " + groups + "}> ({\n^bb0(%x: tensor<" + type +
         ">, %y: tensor<" + type + ">):\n%s = stablehlo." + op + " %x, %y : tensor<" + type +
         ">\nstablehlo.return %s : tensor<" + type + ">\n}) : (tensor<2x" + type + ">) -> tensor<2x" + type + ">";
}

Tensor Two(double first, double second) { return F32({2}, {first, second}); }

const std::string kPairs = "dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>";

TEST(RunOnGridTest, EachProcessHasArgumentsAndResultsOfItsOwn) {
  const Expected<Values> results = ResultsOf(Reduced("add", kPairs, "f32"), "tensor<2xf32>", "tensor<2xf32>",
                                             {.replicas = 4}, {Two(1, 2), Two(10, 20), Two(100, 200), Two(1000, 2000)});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 4U);
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(101, 202));
  EXPECT_THAT(Elements<double>((*results)[1].tensor()), ElementsAre(1010, 2020));
  EXPECT_THAT(Elements<double>((*results)[2].tensor()), ElementsAre(101, 202));
}

TEST(RunOnGridTest, TheResultOfAGroupIsOneValue) {
  const Expected<Values> results = ResultsOf(Reduced("add", kPairs, "f32"), "tensor<2xf32>", "tensor<2xf32>",
                                             {.replicas = 4}, {Two(1, 2), Two(1, 2), Two(3, 4), Two(3, 4)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_TRUE((*results)[0].tensor().IsSameValueAs((*results)[2].tensor()));
  EXPECT_FALSE((*results)[0].tensor().IsSameValueAs((*results)[1].tensor())) << "equal numbers, but two groups";
}

TEST(RunOnGridTest, SumsAllowEveryOrderOfTheProcesses) {
  // In the order of the group 2^24 + 1 + 1 is 2^24; in another it is 2^24 + 2.
  const Expected<Values> results =
      ResultsOf(Reduced("add", "dense<[[0, 1, 2]]> : tensor<1x3xi64>", "f32"), "tensor<2xf32>", "tensor<2xf32>",
                {.replicas = 3}, {Two(0x1p24, 0.1), Two(1, 0.2), Two(1, 0.3)});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(Elements<double>((*results)[0].tensor())[0], 0x1p24 + 2);
  ASSERT_FALSE((*results)[0].tensor().bounds().empty());
  EXPECT_GE((*results)[0].tensor().bounds()[0], 2);
}

// Processes wait for each other within an op, while the next one begins its own.
TEST(RunOnGridTest, AnEvaluationThatRoundsTowardZeroLeavesTheNextOneAsItWas) {
  const auto sum = [](bool toward_zero) {
    std::vector<Tensor> arguments(3, Tensor::Splat<double>(ElementType::kBf16, {2}, 0x1p-8));
    arguments[0] = Tensor::Splat<double>(ElementType::kBf16, {2}, 1 - 0x1p-9);
    const Expected<Values> results =
        ResultsOf(Reduced("add", "dense<[[0, 1, 2]]> : tensor<1x3xi64>", "bf16"), "tensor<2xbf16>", "tensor<2xbf16>",
                  {.replicas = 3}, arguments, {.rounds_toward_zero = toward_zero});
    return results ? Elements<double>((*results)[1].tensor())[0] : 0;
  };
  EXPECT_EQ(sum(true), 1);
  EXPECT_FALSE(RoundingTowardZero::IsOn());
  EXPECT_EQ(sum(false), 1 + 0x1p-7);
}

TEST(RunOnGridTest, TheZerosBesideASumInAWiderTypeAreOfThatType) {
  const Expected<Values> results = ResultsOf(
      "%r = \"stablehlo.collective_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n"
      "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.add %x, %y : tensor<f32>\n"
      "stablehlo.return %s : tensor<f32>\n}) : (tensor<2xbf16>) -> tensor<2xf32>",
      "tensor<2xbf16>", "tensor<2xf32>", {.replicas = 2},
      std::vector<Tensor>(2, Tensor::Splat<double>(ElementType::kBf16, {2}, 1)));
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 2));
  EXPECT_EQ((*results)[1].tensor().type(), ElementType::kF32);
  EXPECT_THAT(Elements<double>((*results)[1].tensor()), ElementsAre(0, 0));
}

TEST(RunOnGridTest, MaximaAndMovementAreExact) {
  const std::vector<Tensor> arguments = {Two(1, 8), Two(4, 2)};
  const Expected<Values> most = ResultsOf(Reduced("maximum", "dense<[[0, 1]]> : tensor<1x2xi64>", "f32"),
                                          "tensor<2xf32>", "tensor<2xf32>", {.replicas = 2}, arguments);
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_THAT(Elements<double>((*most)[1].tensor()), ElementsAre(4, 8));
  EXPECT_TRUE((*most)[1].tensor().bounds().empty());
  const Expected<Values> moved = ResultsOf(
      "%r = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : "
      "tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>",
      "tensor<2xf32>", "tensor<4xf32>", {.replicas = 2}, arguments);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_THAT(Elements<double>((*moved)[0].tensor()), ElementsAre(4, 2, 1, 8))
      << "in the order of the group, not of the ids";
  EXPECT_TRUE((*moved)[0].tensor().bounds().empty());
}

TEST(RunOnGridTest, AnErrorNamesItsProcess) {
  const Expected<Values> results =
      ResultsOf(Reduced("add", "dense<[[0, 1]]> : tensor<1x2xi64>", "f32"), "tensor<2xf32>", "tensor<2xf32>",
                {.replicas = 3}, {Two(1, 2), Two(1, 2), Two(1, 2)});
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().message, HasSubstr("process (2, 0)"));
  EXPECT_THAT(results.error().message, HasSubstr("is in no group"));
}

TEST(RunOnGridTest, ArgumentsAreNeededForEveryProcess) {
  const Expected<Values> results = ResultsOf(Reduced("add", kPairs, "f32"), "tensor<2xf32>", "tensor<2xf32>",
                                             {.replicas = 4}, {Two(1, 2), Two(1, 2)});
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().message, HasSubstr("2 arguments for 4 processes that take 1 each"));
}

}  // namespace
}  // namespace opbyop::reference
