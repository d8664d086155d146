// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/lock.h"

#include <gmock/gmock.h>

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SuiteLock Lock(std::map<std::string, std::string> cases, std::string version = "1.0") {
  return {.name = "stablehlo", .version = std::move(version), .digests = {{"smoke", "00"}}, .cases = std::move(cases)};
}

TEST(LockTest, TextIsReadBack) {
  const SuiteLock lock = Lock({{"add_2_f32_00000001", "sf"}, {"slice_C4_00000002", "r"}});
  const Expected<SuiteLock> back = ParseLock(LockText(lock), "cases.lock");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->name, "stablehlo");
  EXPECT_EQ(back->version, "1.0");
  EXPECT_EQ(back->digests, lock.digests);
  EXPECT_EQ(back->cases, lock.cases);
}

TEST(LockTest, PairsAndMeshesHaveADigestAndTheCasesThatNoOtherLevelHas) {
  const auto manifest = [](const std::string& level, std::vector<std::string> ids) {
    Manifest made;
    made.suite = {.name = "stablehlo", .version = "1.0", .level = level, .digest = "0" + level};
    for (std::string& id : ids) made.cases.push_back({.id = std::move(id)});
    return made;
  };
  Suite suite;
  suite.name = "stablehlo";
  suite.version = "1.0";
  SuiteCases cases;
  cases.smoke = manifest("smoke", {"add_2_f32_00000001"});
  cases.mesh = manifest("mesh-2x4", {"add_2_f32_8p_00000003"});
  const SuiteLock lock =
      LockOf(suite, cases, manifest("pairs", {"add_2_f32_00000001", "window_add_abs_2_f32_00000002"}));
  EXPECT_EQ(lock.digests.at("pairs"), "0pairs");
  EXPECT_EQ(lock.cases.at("add_2_f32_00000001"), "s");
  EXPECT_EQ(lock.cases.at("window_add_abs_2_f32_00000002"), "p");
  EXPECT_EQ(lock.digests.at("mesh-2x4"), "0mesh-2x4");
  EXPECT_EQ(lock.cases.at("add_2_f32_8p_00000003"), "m");
}

TEST(LockTest, ALineThatIsNoCaseIsNamed) {
  const auto refusal = [](const std::string& text) { return ParseLock(text, "cases.lock").error().message; };
  EXPECT_THAT(refusal("suite a 1\nadd_2_f32_00000001\n"), HasSubstr("cases.lock:2: `add_2_f32_00000001`"));
  EXPECT_THAT(refusal("suite a 1\nx_1 s\nx_1 s\n"), HasSubstr("cases.lock:3: `x_1 s`"));
  EXPECT_THAT(refusal("suite a 1\n<<<<<<< ours\nx_1 s s\n"), HasSubstr("cases.lock:3"));
  EXPECT_THAT(refusal("x_1 s\n"), HasSubstr("no line `suite NAME VERSION`"));
  EXPECT_THAT(refusal(""), HasSubstr("no line `suite NAME VERSION`"));
}

TEST(LockTest, CasesAreAddedRemovedChangedAndMoved) {
  const SuiteChanges changes = CompareLocks(Lock({{"add_2_f32_00000001", "sf"},
                                                  {"add_3_f32_00000002", "f"},
                                                  {"abs_2_f32_00000003", "f"},
                                                  {"log_2_00000004", "f"}}),
                                            Lock({{"add_2_f32_00000009", "sf"},
                                                  {"add_3_f32_00000002", "f"},
                                                  {"log_2_00000004", "sf"},
                                                  {"sin_2_f32_00000005", "f"}}));
  EXPECT_THAT(changes.added, ElementsAre("sin_2_f32_00000005"));
  EXPECT_THAT(changes.removed, ElementsAre("abs_2_f32_00000003"));
  ASSERT_EQ(changes.changed.size(), 1u);
  EXPECT_EQ(changes.changed[0].from, "add_2_f32_00000001");
  EXPECT_EQ(changes.changed[0].to, "add_2_f32_00000009");
  EXPECT_THAT(changes.moved, ElementsAre("log_2_00000004"));
  EXPECT_EQ(changes.Summary(), "1 case added, 1 removed, 1 changed, 1 in other levels");
}

TEST(LockTest, EqualCasesHaveNoChanges) {
  const SuiteLock lock = Lock({{"add_2_f32_00000001", "sf"}});
  EXPECT_TRUE(CompareLocks(lock, lock).empty());
}

TEST(LockTest, ThePageHasTheNewestVersionFirst) {
  const SuiteLock first = Lock({{"add_2_f32_00000001", "s"}});
  const SuiteLock second = Lock({{"add_2_f32_00000002", "s"}, {"abs_2_f32_00000003", "s"}}, "1.1");
  const std::string one = WithChanges("", first, CompareLocks(Lock({}), first));
  const std::string two = WithChanges(one, second, CompareLocks(first, second));
  EXPECT_LT(two.find("## stablehlo 1.1"), two.find("## stablehlo 1.0"));
  EXPECT_THAT(two, HasSubstr("- add_2_f32_00000001 -> add_2_f32_00000002"));
  EXPECT_THAT(two, HasSubstr("Added:\n\n- abs_2_f32_00000003"));
  EXPECT_EQ(two.find("# Changes of the suite"), two.rfind("# Changes of the suite"));
}

TEST(LockTest, ManyAddedCasesAreCounted) {
  SuiteLock lock = Lock({});
  for (int i = 0; i < 300; ++i) lock.cases["add_" + std::to_string(i) + "_f32_00000001"] = "f";
  EXPECT_THAT(WithChanges("", lock, CompareLocks(Lock({}), lock)), HasSubstr("- `add_…`: 300"));
}

}  // namespace
}  // namespace opbyop::generator
