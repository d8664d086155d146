#include "manifests/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead =
    "schema: opbyop-target/1\nname: t\nworker: ['{bin}/w']\ndevice: {kind: host, parallel: true}\n";

Expected<Target> Load(const std::string& rest) {
  const auto path = std::filesystem::path(testing::TempDir()) / "target.yaml";
  EXPECT_TRUE(WriteFile(path, std::string(kHead) + rest));
  return LoadTarget(path);
}

TEST(TargetTest, StagesKeepTheirOrderAndInheritLimits) {
  const auto target = Load(
      "limits: {timeout_s: 7}\nstages:\n- {name: parse}\n- {name: lower, pipeline: 'builtin.module(cse)', timeout_s: "
      "2}\n"
      "- {name: execute}\n");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->StageNames(), ElementsAre("parse", "lower", "execute", "compare"));
  EXPECT_EQ(target->stages[0].limits.timeout_s, 7);
  EXPECT_EQ(target->stages[1].limits.timeout_s, 2);
  EXPECT_TRUE(target->stages[1].is_compile_stage());
  EXPECT_FALSE(target->stages[2].is_compile_stage());
}

TEST(TargetTest, MisspeltKeyOfAStageIsNamedWithItsLine) {
  const auto target = Load("stages:\n- {name: parse, pipelin: x}\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("target.yaml:6: unknown key `pipelin`"));
}

TEST(TargetTest, DoubledStageIsRefused) {
  const auto target = Load("stages: [{name: parse}, {name: parse}]\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("declared twice"));
}

TEST(TargetTest, CompareIsNotForATargetToDeclare) { EXPECT_FALSE(Load("stages: [{name: compare}]\n")); }

TEST(TargetTest, PipelineAndCommandExcludeEachOther) {
  EXPECT_FALSE(Load("stages: [{name: a, pipeline: x, command: [y]}]\n"));
}

TEST(TargetTest, FlagsRequirementsAndBatchAreOptional) {
  const auto plain = Load("stages: [{name: parse}]\n");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->batch, 1);
  EXPECT_TRUE(plain->flags.empty());
  const auto full = Load("flags: ['--x=y']\nrequirements: r.txt\nbatch: 50\nstages: [{name: parse}]\n");
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_THAT(full->flags, ElementsAre("--x=y"));
  EXPECT_EQ(full->requirements, "r.txt");
  EXPECT_EQ(full->batch, 50);
}

TEST(TargetTest, BatchOfNothingIsRefused) { EXPECT_FALSE(Load("batch: 0\nstages: [{name: parse}]\n")); }

TEST(TargetTest, TargetWithoutStagesIsRefused) { EXPECT_FALSE(Load("")); }

}  // namespace
}  // namespace opbyop
