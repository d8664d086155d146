// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/model_use.h"

#include <gmock/gmock.h>

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// A program of one addition of tensors of this type.
std::string Addition(const std::string& type) {
  return "func.func @main(%a: tensor<" + type + ">) -> tensor<" + type + "> {\n  %0 = stablehlo.add %a, %a : tensor<" +
         type + ">\n  return %0 : tensor<" + type + ">\n}\n";
}

// Cases of a suite that are additions, with the ids that each covers.
SuiteCases Additions(const std::vector<std::pair<std::string, std::vector<std::string>>>& all) {
  SuiteCases cases;
  for (const auto& [type, covers] : all) {
    cases.full.cases.push_back({.id = type, .op = "stablehlo.add", .covers = covers});
    cases.texts[type] = Addition(type);
  }
  return cases;
}

TEST(UseOfModelsTest, AnOpExercisesTheConstraintsOfCasesWithItsTypesAndRanks) {
  const SuiteCases cases = Additions({{"2xf32", {"add.C1", "add.C2", "add.S1"}}, {"2xbf16", {"add.C1"}}});
  const ModelUse use = UseOfModels({{Addition("128xf32"), "m"}, {Addition("64xbf16"), "m"}}, cases);
  EXPECT_THAT(use.at("add").types_of,
              UnorderedElementsAre(Pair("C1", ElementsAre("bf16", "f32")), Pair("C2", ElementsAre("f32"))));
  EXPECT_THAT(use.at("add").lacking, IsEmpty());
}

TEST(UseOfModelsTest, AConstraintThatOnlySomeCasesOfTheTypesExerciseIsNotCounted) {
  const SuiteCases cases = Additions({{"2xf32", {"add.C1", "add.C2"}}, {"3xf32", {"add.C1"}}});
  EXPECT_THAT(UseOfModels({{Addition("8xf32"), "m"}}, cases).at("add").types_of,
              ElementsAre(Pair("C1", ElementsAre("f32"))));
}

TEST(UseOfModelsTest, ARankThatNoCaseHasIsLackingWithAModelThatHasIt) {
  const SuiteCases cases = Additions({{"2xf32", {"add.C1", "add.C2"}}, {"2xbf16", {"add.C1"}}});
  const ModelUse use = UseOfModels({{Addition("2x2xf32"), "llama"}}, cases);
  EXPECT_THAT(use.at("add").lacking, ElementsAre(Pair("(f32[2], f32[2]) -> (f32[2])", "llama")));
  EXPECT_THAT(use.at("add").types_of, ElementsAre(Pair("C1", ElementsAre("f32"))));
}

TEST(CasesOfModelsTest, TheCommittedModelsHaveCases) {
  const Expected<std::vector<CaseText>> cases = CasesOfModels(CommittedModels());
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_GT(cases->size(), 5000U);
}

TEST(CasesOfModelsTest, AFolderThatIsMissingIsAnError) { EXPECT_FALSE(CasesOfModels({"no/such/folder"})); }

}  // namespace
}  // namespace opbyop::generator
