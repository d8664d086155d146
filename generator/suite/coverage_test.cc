// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/coverage.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "ir/op_info.h"
#include "support/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kFolder = TestSource("generator/suite/stablehlo");

class CoverageTest : public testing::Test {
 protected:
  // Of the suite, counted once for all tests.
  static const Coverage& Counted() {
    static const Coverage kCoverage = [] {
      Expected<Coverage> coverage = CountCoverage(*LoadSuite(kFolder), *LoadRequirements(kFolder));
      EXPECT_TRUE(coverage) << coverage.error().message;
      return coverage ? *coverage : Coverage{};
    }();
    return kCoverage;
  }
};

TEST_F(CoverageTest, EveryIdThatARecipeNamesIsARequirement) { EXPECT_THAT(Counted().unknown, IsEmpty()); }

TEST_F(CoverageTest, EveryRequirementIsCoveredOrSaysWhyNot) {
  for (const auto& [name, requirement] : Counted().requirements) {
    const auto op = Counted().ops.find(name);
    for (const std::string& id : requirement.ids) {
      const bool covered = op != Counted().ops.end() && op->second.types_of.contains(id);
      EXPECT_NE(covered, requirement.open.contains(id)) << name << "." << id;
    }
  }
}

TEST_F(CoverageTest, EveryOpHasRequirements) {
  for (const OpInfo& op : AllOps()) {
    if (op.name == "stablehlo.return" || !(op.name.starts_with("stablehlo.") || op.name.starts_with("chlo."))) continue;
    EXPECT_TRUE(Counted().requirements.contains(std::string(ShortName(op.name.str())))) << op.name.str();
  }
}

TEST_F(CoverageTest, EveryElementTypeThatAnOpTakesIsCoveredOrSaysWhyNot) {
  for (const auto& [name, op] : Counted().ops) {
    const bool has_reason = Counted().requirements.at(name).open.contains(std::string(kElementsKey));
    EXPECT_NE(op.missing_types.empty(), has_reason)
        << name << " lacks " << fmt::format("{}", fmt::join(op.missing_types, ", "));
  }
}

TEST_F(CoverageTest, ThePageIsCurrent) {
  const Expected<std::string> page = ReadFile(TestSource("docs/coverage.md"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(*page == CoveragePage(*LoadSuite(kFolder), Counted()))
      << "docs/coverage.md is stale: write it with `opbyop suite stablehlo --coverage docs/coverage.md`";
}

// A suite of one recipe.
Suite Tiny(Recipe recipe) { return {.name = "tiny", .version = "1", .recipes = {std::move(recipe)}}; }

TEST(CountCoverageTest, TypesThatAnOpTakesAndNoCaseHasAreMissing) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1"}}}};
  const Expected<Coverage> coverage =
      CountCoverage(Tiny({.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C1"}}), requirements);
  ASSERT_TRUE(coverage) << coverage.error().message;
  const OpCoverage& op = coverage->ops.at("popcnt");
  EXPECT_THAT(op.types, ElementsAre("i32"));
  EXPECT_TRUE(op.missing_types.contains("ui4"));
  EXPECT_FALSE(op.missing_types.contains("f32"));
  EXPECT_THAT(op.types_of.at("C1"), ElementsAre("i32"));
}

TEST(CountCoverageTest, IdsThatAreNoRequirementAreUnknown) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1"}}}};
  const Expected<Coverage> coverage =
      CountCoverage(Tiny({.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C2"}}), requirements);
  ASSERT_TRUE(coverage) << coverage.error().message;
  EXPECT_THAT(coverage->unknown, ElementsAre("popcnt.C2"));
}

TEST(CoveragePageTest, WhatIsNotCoveredIsListedWithItsReason) {
  const Requirements requirements = {{"popcnt", {.ids = {"C1", "S1"}, .open = {{"S1", "a reason"}}}}};
  const Suite suite = Tiny({.op = "stablehlo.popcnt", .in = "3 i32", .covers = {"C1"}});
  const std::string page = CoveragePage(suite, *CountCoverage(suite, requirements));
  EXPECT_THAT(page, HasSubstr("| popcnt.S1 | a reason |"));
  EXPECT_THAT(page, HasSubstr("| constraints | 1 of 1 (100.0 %) |"));
}

}  // namespace
}  // namespace opbyop::generator
