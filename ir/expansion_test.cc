// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/expansion.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

constexpr int kLevels = 40;

// Returns `first`, then kLevels lines of `next`. In these {0} is the number of the level and {1} that of the level
// before.
std::string Nest(std::string_view first, std::string_view next) {
  std::string text = fmt::format("{}\n", first);
  for (int level = 1; level <= kLevels; ++level) text += fmt::format(fmt::runtime(next), level, level - 1) + "\n";
  return text;
}

std::string ErrorOf(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "nested.mlir", context);
  if (module) return "was read";
  EXPECT_EQ(module.error().code, ExitCode::kBadInput);
  return module.error().message;
}

TEST(ExpansionTest, AnAttributeWhoseHalvesAreTheSameIsCounted) {
  const std::string text = Nest("#a0 = \"x\"", "#a{0} = [#a{1}, #a{1}]") +
                           "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                           "  %0 = stablehlo.abs %x {note = #a40} : tensor<2xf32>\n"
                           "  return %0 : tensor<2xf32>\n}";
  EXPECT_THAT(ErrorOf(text), HasSubstr("the note of a stablehlo.abs has 2,199,023,255,551 parts"));
}

TEST(ExpansionTest, ATupleOfTuplesIsCountedBeforeItIsVerified) {
  const std::string text = Nest("!t0 = tuple<tensor<2xf32>, tensor<2xf32>>", "!t{0} = tuple<!t{1}, !t{1}>") +
                           "func.func @main(%x: !t40) -> !t40 { return %x : !t40 }";
  EXPECT_THAT(ErrorOf(text), HasSubstr("parts when it is written out"));
}

TEST(ExpansionTest, ACallSiteOfCallSitesIsCounted) {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.abs %x : tensor<2xf32> loc(#loc40)\n"
      "  return %0 : tensor<2xf32>\n}\n" +
      Nest("#loc0 = loc(\"f.py\":1:1)", "#loc{0} = loc(callsite(#loc{1} at #loc{1}))");
  EXPECT_THAT(ErrorOf(text), HasSubstr("the location of a stablehlo.abs"));
}

TEST(ExpansionTest, ABackendConfigOfDictionariesIsCounted) {
  const std::string text = Nest("#c0 = {a = 1 : i32}", "#c{0} = {{a = #c{1}, b = #c{1}}}") +
                           "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                           "  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = #c40} : "
                           "(tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}";
  EXPECT_THAT(ErrorOf(text), HasSubstr("the backend_config of a stablehlo.custom_call"));
}

TEST(ExpansionTest, MoreThanSixtyThreeLevelsDoNotWrap) {
  std::string text = "#a0 = \"x\"\n";
  for (int level = 1; level <= 70; ++level) text += fmt::format("#a{} = [#a{}, #a{}]\n", level, level - 1, level - 1);
  text += "func.func @main() attributes {note = #a70} { return }";
  EXPECT_THAT(ErrorOf(text), HasSubstr("has more than 9,223,372,036,854,775,807 parts"));
}

TEST(ExpansionTest, AttributesWithLittleSharingAreRead) {
  std::string text = "#a0 = \"x\"\n";
  for (int level = 1; level <= 10; ++level) text += fmt::format("#a{} = [#a{}, #a{}]\n", level, level - 1, level - 1);
  text += "func.func @main() attributes {note = #a10} { return }";
  EXPECT_EQ(ErrorOf(text), "was read");
}

}  // namespace
}  // namespace opbyop
