// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/suite_command.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "generator/suite/pairs.h"
#include "ir/op_info.h"
#include "support/files/file.h"
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

  // Made once for all tests.
  static const Manifest& Full() {
    static const Manifest kFull = Make(Stablehlo(), Level::kFull);
    return kFull;
  }

  static std::vector<std::string> Ids(const Manifest& manifest) {
    std::vector<std::string> ids;
    for (const Case& c : manifest.cases) ids.push_back(c.id);
    return ids;
  }
};

// Ops for which no case is made, each with the reason.
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
  EXPECT_LE(Full().cases.size(), 40000U);
  EXPECT_GE(Full().cases.size(), 5000U);
}

// "## heading" and the text below it, from all pages of docs/findings/.
std::vector<std::string> Findings() {
  std::vector<std::string> findings;
  for (const auto& file : std::filesystem::directory_iterator(TestSource("docs/findings"))) {
    const Expected<std::string> page = ReadFile(file.path());
    EXPECT_TRUE(page) << page.error().message;
    if (!page) continue;
    bool is_finding = false;
    std::istringstream lines(*page);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("## ")) {
        is_finding = true;
        findings.emplace_back();
      }
      if (is_finding) findings.back() += line + "\n";
    }
  }
  return findings;
}

// The texts in backticks.
std::set<std::string> Quoted(std::string text) {
  std::set<std::string> found;
  for (size_t at = 0; (at = text.find('`', at)) != std::string::npos;) {
    const size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    found.insert(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return found;
}

// "Suite: `case`, `case`." with ops that the heading or the paragraph before names, or "Suite: no case: why."
TEST_F(SuiteTest, EachFindingNamesACaseThatShowsItOrAReasonWhyNone) {
  std::map<std::string, std::string> ops;
  for (const Level level : {Level::kSmoke, Level::kFull}) {
    const Manifest smoke = level == Level::kSmoke ? Make(Stablehlo(), level) : Manifest{};
    for (const Case& c : level == Level::kSmoke ? smoke.cases : Full().cases) ops[c.id] = c.op;
  }
  const Expected<Pairs> pairs = MakePairs(Stablehlo(), TestSource("generator/suite/stablehlo"), Level::kSmoke, "*",
                                          [](const std::string&, const std::string&) -> Expected<void> { return {}; });
  ASSERT_TRUE(pairs) << pairs.error().message;
  for (const Case& c : pairs->result.manifest.cases) ops[c.id] = c.op;
  const std::vector<std::string> findings = Findings();
  EXPECT_GT(findings.size(), 40U);
  for (const std::string& finding : findings) {
    const std::string heading = finding.substr(0, finding.find('\n'));
    const size_t at = finding.find("\nSuite: ");
    ASSERT_NE(at, std::string::npos) << heading << ": no line 'Suite: `case id`.' in docs/findings/";
    const std::string line = finding.substr(at + 1, finding.find("\n\n", at) - at - 1);
    if (line.starts_with("Suite: no case: ")) {
      EXPECT_GT(line.size(), std::string("Suite: no case: ").size()) << heading;
      continue;
    }
    const std::set<std::string> ids = Quoted(line);
    EXPECT_FALSE(ids.empty()) << heading;
    for (const std::string& id : ids) {
      ASSERT_TRUE(ops.contains(id)) << heading << ": the suite has no case " << id;
      EXPECT_THAT(finding, testing::HasSubstr(ops[id].substr(ops[id].find('.') + 1))) << heading << ": " << id;
    }
  }
}

TEST_F(SuiteTest, EveryOpHasARecipeOrAReasonForNone) {
  std::set<std::string> ops;
  for (const Recipe& recipe : Stablehlo().recipes) ops.insert(recipe.op);
  for (const OpInfo& op : AllOps()) {
    if (!op.name.starts_with("stablehlo.") && !op.name.starts_with("chlo.")) continue;
    EXPECT_NE(ops.contains(op.name.str()), kWithoutRecipe.contains(op.name.str())) << op.name.str();
  }
}

TEST_F(SuiteTest, EveryRecipeIsForAnOp) {
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
