// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::exhaustive {
namespace {

using reference::ElementType;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> NamesOf(const std::vector<Function>& functions) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.push_back(f.Name());
  return names;
}

std::vector<std::string> Find(const std::vector<std::string>& patterns, ElementType type) {
  const Expected<std::vector<Function>> found = FindFunctions(patterns, type);
  EXPECT_TRUE(found) << found.error().message;
  return found ? NamesOf(*found) : std::vector<std::string>();
}

TEST(FunctionsTest, AnOpIsFoundWithAndWithoutItsDialect) {
  EXPECT_THAT(Find({"tanh"}, ElementType::kF32), ElementsAre("tanh_f32"));
  EXPECT_THAT(Find({"stablehlo.tanh"}, ElementType::kBf16), ElementsAre("tanh_bf16"));
  EXPECT_THAT(Find({"tan"}, ElementType::kF16), ElementsAre("chlo_tan_f16", "tan_f16"));
}

TEST(FunctionsTest, GlobsMatchEveryOpOnce) {
  EXPECT_THAT(Find({"chlo.erf*", "chlo.erf"}, ElementType::kF32),
              ElementsAre("chlo_erf_f32", "chlo_erf_inv_f32", "chlo_erfc_f32"));
}

TEST(FunctionsTest, ConversionsAreFunctionsByTheirResult) {
  EXPECT_THAT(Find({"convert:bf16", "bitcast_convert:*i16"}, ElementType::kF16),
              ElementsAre("bitcast_convert_f16_to_i16", "bitcast_convert_f16_to_ui16", "convert_f16_to_bf16"));
  EXPECT_THAT(Find({"reduce_precision:e5m10"}, ElementType::kF32), ElementsAre("reduce_precision_f32_e5m10"));
}

TEST(FunctionsTest, AFunctionMayReturnBooleans) {
  const Expected<std::vector<Function>> found = FindFunctions({"is_finite"}, ElementType::kF32);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().result, "i1");
}

TEST(FunctionsTest, OpsOfOtherTypesOrOfSeveralNumbersAreNoFunctions) {
  const std::vector<std::string> of_floats = NamesOf(AllFunctions(ElementType::kF16));
  EXPECT_THAT(of_floats, Not(Contains("popcnt_f16")));
  EXPECT_THAT(of_floats, Not(Contains("add_f16")));
  const std::vector<std::string> of_integers = NamesOf(AllFunctions(ElementType::kUi8));
  EXPECT_THAT(of_integers, Contains("popcnt_ui8"));
  EXPECT_THAT(of_integers, Not(Contains("tanh_ui8")));
  EXPECT_THAT(of_integers, Not(Contains("bitcast_convert_ui8_to_i16")));
}

TEST(FunctionsTest, APatternWithoutAFunctionOfTheTypeIsAnError) {
  const Expected<std::vector<Function>> found = FindFunctions({"tanh", "tanhh"}, ElementType::kF32);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::kUsage);
  EXPECT_THAT(found.error().message, HasSubstr("`tanhh` is no function of one f32"));
  EXPECT_FALSE(FindFunctions({"popcnt"}, ElementType::kF32));
  EXPECT_FALSE(FindFunctions({"convert:f33"}, ElementType::kF32));
}

TEST(FunctionsTest, NamesAreDifferentAndProgramsAreValid) {
  for (const ElementType type : {ElementType::kF32, ElementType::kI8, ElementType::kI1, ElementType::kF4E2M1Fn}) {
    const std::vector<Function> functions = AllFunctions(type);
    std::vector<std::string> names = NamesOf(functions);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    for (const Function& f : functions) EXPECT_TRUE(ReadModuleFromBytes(ProgramOf(f, 16), f.Name(), context)) << f.op;
  }
}

TEST(FunctionsTest, ValuesAreAllBitPatterns) {
  EXPECT_EQ((Function{.type = ElementType::kF32}).Values(), uint64_t{1} << 32);
  EXPECT_EQ((Function{.type = ElementType::kF6E2M3Fn}).Values(), 64U);
  EXPECT_EQ((Function{.type = ElementType::kI1}).Values(), 2U);
}

}  // namespace
}  // namespace opbyop::exhaustive
