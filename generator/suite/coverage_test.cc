// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/coverage.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "generator/suite/lock.h"
#include "generator/suite/model_use.h"
#include "generator/suite/pairs.h"
#include "ir/op_info.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kFolder = TestSource("generator/suite/stablehlo");

class CoverageTest : public testing::Test {
 protected:
  // The suite's cases, made and counted once for all tests.
  static const SuiteCases& Cases() {
    static const SuiteCases kCases = [] {
      Expected<SuiteCases> cases = MakeAllCases(*LoadSuite(kFolder), kFolder);
      EXPECT_TRUE(cases) << cases.error().message;
      return cases ? std::move(*cases) : SuiteCases{};
    }();
    return kCases;
  }

  static const Coverage& CountText() {
    static const Coverage kCoverage = [] {
      Coverage coverage = CountCoverage(Cases(), *LoadRequirements(kFolder));
      const Expected<std::vector<CaseText>> models = CasesOfModels(CommittedModels());
      EXPECT_TRUE(models) << models.error().message;
      if (models) coverage.models = UseOfModels(*models, Cases());
      return coverage;
    }();
    return kCoverage;
  }
};

TEST_F(CoverageTest, EveryIdThatARecipeNamesIsARequirement) { EXPECT_THAT(CountText().unknown, IsEmpty()); }

TEST_F(CoverageTest, EveryRequirementIsCoveredOrHasAReasonWhyNot) {
  for (const auto& [name, requirement] : CountText().requirements) {
    const auto op = CountText().ops.find(name);
    for (const std::string& id : requirement.ids) {
      const bool covered = op != CountText().ops.end() && op->second.types_of.contains(id);
      EXPECT_NE(covered, requirement.open.contains(id)) << name << "." << id;
    }
  }
}

TEST_F(CoverageTest, EveryConstraintIsBrokenByAProgramOrHasAReasonWhyNot) {
  for (const auto& [name, requirement] : CountText().requirements) {
    const auto op = CountText().ops.find(name);
    for (const std::string& id : requirement.ids) {
      if (id[0] != 'C') continue;
      const bool broken = op != CountText().ops.end() && op->second.broken.contains(id);
      EXPECT_NE(broken, requirement.unbroken.contains(id)) << name << "." << id;
    }
  }
}

TEST_F(CoverageTest, TheCasesAreThoseOfTheLockedVersion) {
  const std::filesystem::path file = kFolder / kLockFile;
  const Expected<std::string> text = ReadFile(file);
  ASSERT_TRUE(text) << text.error().message;
  const Expected<SuiteLock> lock = ParseLock(*text, file);
  ASSERT_TRUE(lock) << lock.error().message;
  const Suite suite = *LoadSuite(kFolder);
  const Expected<Pairs> pairs = MakePairs(suite, kFolder, Level::kSmoke, "*",
                                          [](const std::string&, const std::string&) -> Expected<void> { return {}; });
  ASSERT_TRUE(pairs) << pairs.error().message;
  const SuiteLock now = LockOf(suite, Cases(), pairs->result.manifest);
  const SuiteChanges changes = CompareLocks(*lock, now);
  EXPECT_TRUE(*text == LockText(now)) << changes.Summary()
                                      << ": raise `version` in suite.yaml if it is that of the lock, then run "
                                         "`opbyop suite stablehlo --lock`";
  const Expected<std::string> page = ReadFile(TestSource("docs/suite-changes.md"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(page->substr(0, page->find("## ") + 40), HasSubstr("## " + now.name + " " + now.version + "\n"));
}

TEST_F(CoverageTest, EveryOpHasRequirements) {
  for (const OpInfo& op : AllOps()) {
    if (op.name == "stablehlo.return" || !(op.name.starts_with("stablehlo.") || op.name.starts_with("chlo."))) continue;
    EXPECT_TRUE(CountText().requirements.contains(std::string(ShortName(op.name.str())))) << op.name.str();
  }
}

TEST_F(CoverageTest, EveryElementTypeThatAnOpTakesIsCoveredOrHasAReasonWhyNot) {
  for (const auto& [name, op] : CountText().ops) {
    const bool has_reason = CountText().requirements.at(name).open.contains(std::string(kElementsKey));
    EXPECT_NE(op.missing_types.empty(), has_reason)
        << name << " lacks " << fmt::format("{}", fmt::join(op.missing_types, ", "));
  }
}

TEST_F(CoverageTest, TheTypesAndRanksThatModelsHaveAreInTheSuiteOrHaveAReasonWhyNot) {
  for (const auto& [name, op] : CountText().models) {
    const auto requirement = CountText().requirements.find(name);
    if (requirement == CountText().requirements.end()) continue;  // an op of another dialect
    const bool has_reason = requirement->second.open.contains(std::string(kModelsKey));
    EXPECT_NE(op.lacking.empty(), has_reason) << name << " lacks " << fmt::format("{}", fmt::join(op.lacking, ", "))
                                              << ": recipes/models.yaml has such cases";
  }
}

TEST_F(CoverageTest, ThePagesAreCurrent) {
  const Suite suite = *LoadSuite(kFolder);
  const std::filesystem::path file = TestSource("docs/coverage.md");
  for (const auto& [path, text] : {std::pair(file, CoveragePage(suite, CountText())),
                                   std::pair(SentencesFile(file), SentencesPage(suite, CountText()))}) {
    const Expected<std::string> page = ReadFile(path);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_TRUE(*page == text) << path
                               << " is stale: write it with `opbyop suite stablehlo --coverage docs/coverage.md`";
  }
}

// A suite with one recipe.
Suite Tiny(Recipe recipe) { return {.name = "tiny", .version = "1", .recipes = {std::move(recipe)}}; }

Coverage CountTiny(Recipe recipe, const Requirements& requirements) {
  const Expected<SuiteCases> cases = MakeAllCases(Tiny(std::move(recipe)));
  EXPECT_TRUE(cases) << cases.error().message;
  return cases ? CountCoverage(*cases, requirements) : Coverage{};
}

TEST(CountCoverageTest, TypesThatAnOpTakesAndNoCaseHasAreMissing) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1"}}}};
  const Coverage coverage = CountTiny({.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C1"}}, requirements);
  const OpCoverage& op = coverage.ops.at("popcnt");
  EXPECT_THAT(op.types, ElementsAre("i32"));
  EXPECT_TRUE(op.missing_types.contains("ui4"));
  EXPECT_FALSE(op.missing_types.contains("f32"));
  EXPECT_THAT(op.types_of.at("C1"), ElementsAre("i32"));
}

TEST(CountCoverageTest, IdsThatAreNoRequirementAreUnknown) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1"}}}};
  const Coverage coverage = CountTiny({.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C2"}}, requirements);
  EXPECT_THAT(coverage.unknown, ElementsAre("popcnt.C2"));
}

TEST(CoveragePageTest, TheLastColumnHasConstraintsAndTypesOfModels) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1", "C2"}}}};
  const Recipe recipe = {.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C1"}};
  Coverage coverage = CountTiny(recipe, requirements);
  coverage.models["popcnt"].types_of = {{"C1", {"i32", "i8"}}, {"C2", {"i32", "i8"}}};
  const std::string page = CoveragePage(Tiny(recipe), coverage);
  EXPECT_THAT(page, HasSubstr("| C1 1, C2 0 | C1 C2: i32 i8 |"));
  EXPECT_THAT(page, HasSubstr("| pairs of a constraint and an element type in models | 1 of 4 (25.0 %) |"));
}

TEST(CoveragePageTest, UncoveredRequirementsAreListedWithTheirReason) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1", "S1"}, .open = {{"S1", "a reason"}}}}};
  const Recipe recipe = {.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C1"}};
  const std::string page = CoveragePage(Tiny(recipe), CountTiny(recipe, requirements));
  EXPECT_THAT(page, HasSubstr("| popcnt.S1 | a reason |"));
  EXPECT_THAT(page, HasSubstr("| constraints | 1 of 1 (100.0 %) |"));
  EXPECT_THAT(page, HasSubstr("| popcnt.C1 | no program yet |"));
}

}  // namespace
}  // namespace opbyop::generator
