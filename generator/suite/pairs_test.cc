// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pairs.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "ir/op_info.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

class PairsTest : public testing::Test {
 protected:
  static const std::filesystem::path& Folder() {
    static const std::filesystem::path kFolder = TestSource("generator/suite/stablehlo");
    return kFolder;
  }

  static Pairs Make(Level level, const std::string& ops, std::map<std::string, std::string>* texts = nullptr) {
    const Expected<Suite> suite = LoadSuite(Folder());
    EXPECT_TRUE(suite) << suite.error().message;
    Expected<Pairs> pairs =
        MakePairs(*suite, Folder(), level, ops, [&](const std::string& id, const std::string& text) -> Expected<void> {
          if (texts != nullptr) texts->emplace(id, text);
          return {};
        });
    EXPECT_TRUE(pairs) << pairs.error().message;
    return pairs ? std::move(*pairs) : Pairs{};
  }

  // Made once for all tests.
  static const Pairs& All() {
    static const Pairs kAll = Make(Level::kSmoke, "*");
    return kAll;
  }
};

TEST_F(PairsTest, ThereAreAtMostTwoThousand) {
  EXPECT_LE(All().Count(), 2000U);
  EXPECT_GE(All().Count(), 1000U);
  EXPECT_EQ(All().result.manifest.suite->level, "pairs");
}

TEST_F(PairsTest, EveryOpIsOnBothSidesOrHasAReason) {
  for (const OpInfo& info : AllOps()) {
    const std::string op = info.name.str();
    if (!op.starts_with("stablehlo.") && !op.starts_with("chlo.")) continue;
    EXPECT_NE(All().as_first.contains(op), All().rules.never_first.contains(op)) << op;
    EXPECT_NE(All().as_second.contains(op), All().rules.never_second.contains(op)) << op;
  }
}

TEST_F(PairsTest, EveryRuleMakesPrograms) {
  for (const PairRule& rule : All().rules.rules) EXPECT_TRUE(All().by_rule.contains(rule.name)) << rule.name;
}

TEST_F(PairsTest, EachHasItsOpsAsMembersAndTheRuleInItsOrigin) {
  std::set<std::string> ids;
  for (const Case& c : All().result.manifest.cases) ids.insert(c.id);
  for (const Case& c : All().result.manifest.cases) {
    if (!c.has_several_ops()) continue;
    EXPECT_TRUE(c.members.size() == 1 || c.members.size() == 2) << c.id;
    for (const std::string& member : c.members) EXPECT_TRUE(ids.contains(member)) << c.id;
    EXPECT_TRUE(All().by_rule.contains(c.origins.front().framework_op)) << c.id;
  }
}

TEST_F(PairsTest, AProgramHasBothOpsAndItsNameSaysSo) {
  std::map<std::string, std::string> texts;
  const Pairs pairs = Make(Level::kSmoke, "chlo.erf", &texts);
  ASSERT_GT(pairs.Count(), 1U);
  for (const Case& c : pairs.result.manifest.cases) {
    if (!c.has_several_ops()) continue;
    EXPECT_THAT(c.id, testing::StartsWith("window_"));
    EXPECT_THAT(c.id, HasSubstr("chlo_erf"));
    EXPECT_THAT(texts.at(c.id), HasSubstr("chlo.erf"));
  }
}

TEST_F(PairsTest, TheChoiceDependsOnTheTwoOpsAlone) {
  std::set<std::string> all;
  for (const Case& c : All().result.manifest.cases) all.insert(c.id);
  for (const Case& c : Make(Level::kSmoke, "transpose").result.manifest.cases) EXPECT_TRUE(all.contains(c.id)) << c.id;
}

TEST_F(PairsTest, ThePageIsUpToDate) {
  const Expected<std::string> page = ReadFile(TestSource("docs/pairs.md"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(*page, PairsPage(*LoadSuite(Folder()), All())) << "opbyop suite stablehlo --pairs --coverage docs/pairs.md";
}

TEST(ShapeNamesTest, NamesThatDoNotExistAreLeftOut) {
  const auto names = ShapeNames({3, 5}, "f32");
  EXPECT_EQ(names.at("turned"), "5x3");
  EXPECT_EQ(names.at("flat"), "15");
  EXPECT_EQ(names.at("upper"), "1x5");
  EXPECT_EQ(names.at("lower"), "2x5");
  EXPECT_EQ(names.at("less"), "2x4");
  EXPECT_EQ(names.at("tail"), ": 1");
  EXPECT_EQ(names.at("other"), "bf16");
  EXPECT_FALSE(ShapeNames({}, "f32").contains("turned"));
  EXPECT_FALSE(ShapeNames({1, 5}, "f32").contains("less"));
}

}  // namespace
}  // namespace opbyop::generator
