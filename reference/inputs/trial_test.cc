// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/text/replace_all.h"

namespace opbyop::reference {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr WorkLimits kShort = {.seconds = 0.4};

GeneratedInputs DrawAll(const std::string& text, uint64_t seed = 0, const WorkLimits& limits = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  Expected<GeneratedInputs> drawn = GenerateInputs(module->get(), InputKind::kDomain, "case", seed, limits);
  EXPECT_TRUE(drawn.has_value()) << (drawn ? "" : drawn.error().message);
  return std::move(*drawn);
}

// A program whose loop counts in steps of two while `condition` holds for the counter and the argument.
std::string CountTo(const std::string& condition) {
  return R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %1 = stablehlo.compare )" +
         condition + R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
    return %0 : tensor<i32>
  })";
}

TEST(TrialTest, ALoopGetsInputsUnderWhichItEnds) {
  int again = 0;
  int skipped = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const GeneratedInputs drawn = DrawAll(CountTo("NE, %i, %n"), seed, kShort);
    skipped += drawn.unfit.empty() ? 0 : 1;
    if (!drawn.unfit.empty()) continue;
    const int64_t n = TensorFromBytes(drawn.inputs[0].type, {}, drawn.inputs[0].bytes)->IntegerAt(0);
    EXPECT_EQ(n % 2, 0) << "an odd one is never met";
    EXPECT_GE(n, 0);
    if (!drawn.note.empty()) EXPECT_THAT(drawn.note, HasSubstr("has not ended after 0.2 s of processor time, in "));
    again += drawn.note.empty() ? 0 : 1;
  }
  EXPECT_GT(again, 0);
  EXPECT_LT(skipped, 8);
}

TEST(TrialTest, TheMessageForAnEndlessLoopNamesTheLimitAndItsTrips) {
  const GeneratedInputs drawn = DrawAll(CountTo("EQ, %i, %i"), 0, kShort);
  EXPECT_TRUE(drawn.out_of_time);
  EXPECT_THAT(drawn.unfit, HasSubstr("not runnable with any of 4 sets of generated inputs"));
  EXPECT_THAT(drawn.unfit, testing::ContainsRegex("has not ended after 0.2 s of processor time, in [0-9]+ trips"));
  EXPECT_THAT(drawn.unfit, HasSubstr("the limit of the search is 0.4 s"));
}

TEST(TrialTest, ALoopOfManyTripsHasALimitOfItsOwn) {
  const GeneratedInputs drawn = DrawAll(CountTo("EQ, %i, %i"), 0, {.seconds = 1e6, .seconds_of_many_trips = 0.1});
  EXPECT_THAT(drawn.unfit, testing::ContainsRegex("has not ended after 0.1 s of processor time, in [0-9]{5,} trips"));
  EXPECT_FALSE(drawn.out_of_time);
}

TEST(TrialTest, ALoopMayMakeAnyNumberOfTripsWithinTheTimeLimit) {
  const std::string many = ReplaceAll(CountTo("NE, %i, %limit"),
                                      "%two = ", "%limit = stablehlo.constant dense<40000> : tensor<i32>\n    %two = ");
  const GeneratedInputs drawn = DrawAll(many);
  EXPECT_THAT(drawn.unfit, IsEmpty());
  EXPECT_FALSE(drawn.out_of_time);
}

TEST(TrialTest, ANestedLoopHasTheSameLimit) {
  const GeneratedInputs drawn = DrawAll(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %many = stablehlo.constant dense<1000000> : tensor<i32>
    %0 = stablehlo.while(%i = %n) : tensor<i32>
    cond {
      %1 = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.while(%j = %zero) : tensor<i32>
      cond {
        %3 = stablehlo.compare LT, %j, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %4 = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }
      stablehlo.return %2 : tensor<i32>
    }
    return %0 : tensor<i32>
  })",
                                        0, kShort);
  EXPECT_TRUE(drawn.out_of_time);
}

TEST(TrialTest, InputsThatFailAnAssertionAreDrawnAgain) {
  int again = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const GeneratedInputs drawn = DrawAll(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "n > 0", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      return %n : tensor<i32>
    })",
                                          seed);
    if (!drawn.unfit.empty()) continue;
    EXPECT_GT(TensorFromBytes(drawn.inputs[0].type, {}, drawn.inputs[0].bytes)->IntegerAt(0), 0);
    again += drawn.note.empty() ? 0 : 1;
  }
  EXPECT_GT(again, 0);
}

TEST(TrialTest, AResultThatExceedsTheMemoryIsRefusedBeforeItIsComputed) {
  const GeneratedInputs drawn = DrawAll(R"(func.func @main(%n: tensor<i32>) -> tensor<?x?xf32> {
    %s = stablehlo.constant dense<131072> : tensor<2xi64>
    %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  })");
  EXPECT_THAT(drawn.unfit, HasSubstr("a result of 137.4 GB, limit 6.0 GB"));
}

TEST(TrialTest, AProgramThatRunsWithAnyInputsIsNotEvaluated) {
  const GeneratedInputs drawn = DrawAll(R"(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @vendor(%a) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })");
  EXPECT_THAT(drawn.unfit, IsEmpty());
  EXPECT_EQ(drawn.inputs.size(), 1u);
}

}  // namespace
}  // namespace opbyop::reference
