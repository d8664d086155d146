// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/suite_command.h"

#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <set>

#include "ir/op_info.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::IsSubsetOf;

class SuiteTest : public testing::Test {
 protected:
  static Suite Stablehlo() {
    Expected<Suite> suite = LoadSuite(TestSource("generator/suite/stablehlo"));
    EXPECT_TRUE(suite) << suite.error().message;
    return suite ? *suite : Suite{};
  }

  static Manifest Make(const Suite& suite, Level level, const std::string& ops = "*") {
    const Expected<SplitResult> result =
        MakeCases(suite, level, ops, [](const std::string&, const std::string&) -> Expected<void> { return {}; });
    EXPECT_TRUE(result) << result.error().message;
    return result ? result->manifest : Manifest{};
  }

  static std::vector<std::string> Ids(const Manifest& manifest) {
    std::vector<std::string> ids;
    for (const Case& c : manifest.cases) ids.push_back(c.id);
    return ids;
  }
};

// Ops of which no case is made, each with the reason.
const std::map<std::string, std::string> kWithoutRecipe = {
    {"stablehlo.return", "ends a region: in the programs of ops with regions"},
    {"stablehlo.constant", "folded into the cases of other ops"},
    {"chlo.constant", "folded into the cases of other ops"},
};

TEST_F(SuiteTest, SmokeHoldsAtMostTwoThousandCases) {
  const Manifest manifest = Make(Stablehlo(), Level::kSmoke);
  EXPECT_LE(manifest.cases.size(), 2000U);
  EXPECT_EQ(manifest.suite->level, "smoke");
}

TEST_F(SuiteTest, FullHoldsAtMostFortyThousandCasesThatAreAllValid) {
  const Manifest manifest = Make(Stablehlo(), Level::kFull);
  EXPECT_LE(manifest.cases.size(), 40000U);
  EXPECT_GE(manifest.cases.size(), 5000U);
}

TEST_F(SuiteTest, EveryOpHasARecipeOrAReasonForNone) {
  std::set<std::string> ops;
  for (const Recipe& recipe : Stablehlo().recipes) ops.insert(recipe.op);
  for (const OpInfo& op : AllOps()) {
    if (!op.name.starts_with("stablehlo.") && !op.name.starts_with("chlo.")) continue;
    EXPECT_NE(ops.contains(op.name.str()), kWithoutRecipe.contains(op.name.str())) << op.name.str();
  }
}

TEST_F(SuiteTest, EveryRecipeIsOfAnOp) {
  for (const Recipe& recipe : Stablehlo().recipes) EXPECT_NE(LookUpOp(recipe.op), nullptr) << recipe.op;
}

TEST_F(SuiteTest, EveryCaseSaysWhatItCovers) {
  for (const Case& c : Make(Stablehlo(), Level::kSmoke).cases) EXPECT_FALSE(c.covers.empty()) << c.id;
}

TEST_F(SuiteTest, MakingItTwiceGivesTheSame) {
  EXPECT_EQ(WriteManifest(Make(Stablehlo(), Level::kSmoke)), WriteManifest(Make(Stablehlo(), Level::kSmoke)));
}

TEST_F(SuiteTest, IdsOfCasesStayWhenRecipesAreAddedOrMoved) {
  Suite all = Stablehlo();
  Suite some = all;
  std::erase_if(some.recipes, [](const Recipe& recipe) { return recipe.file.stem() != "elementwise_binary"; });
  std::reverse(all.recipes.begin(), all.recipes.end());
  EXPECT_THAT(Ids(Make(some, Level::kSmoke)), IsSubsetOf(Ids(Make(all, Level::kSmoke))));
}

TEST_F(SuiteTest, AGlobChoosesOps) {
  std::set<std::string> ops;
  for (const Case& c : Make(Stablehlo(), Level::kSmoke, "chlo.erf*").cases) ops.insert(c.op);
  EXPECT_THAT(ops, testing::ElementsAre("chlo.erf", "chlo.erf_inv", "chlo.erfc"));
}

TEST_F(SuiteTest, AGlobThatMatchesNoOpIsAnError) {
  const auto sink = [](const std::string&, const std::string&) -> Expected<void> { return {}; };
  EXPECT_EQ(MakeCases(Stablehlo(), Level::kSmoke, "adf", sink).error().code, ExitCode::kNothingToDo);
}

}  // namespace
}  // namespace opbyop::generator
