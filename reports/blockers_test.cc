// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/blockers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/example_run.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(BlockersTest, FixThatTurnsMostModelsGreenIsFirst) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddCase("tanh_1", "stablehlo.tanh", {"nn"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddCase("sort_1", "stablehlo.sort", {"bert"});
  for (const char* id : {"add_1", "add_2", "sort_1"}) example.AddRecord(id, Status::kFail, "lower", "no pattern");
  example.AddRecord("tanh_1", Status::kFail, "compare", "wrong");
  const View view = example.MakeView();
  const std::vector<Blocker> blockers = RankBlockers(view);
  ASSERT_THAT(blockers, SizeIs(3));
  EXPECT_EQ(blockers[0].op, "stablehlo.tanh");
  EXPECT_THAT(blockers[0].unlocked, ElementsAre(1));
  EXPECT_EQ(blockers[1].op, "stablehlo.add") << "more rows before fewer";
  EXPECT_THAT(blockers[1].models, ElementsAre(0));
  EXPECT_THAT(blockers[1].unlocked, ElementsAre());
}

TEST(BlockersTest, GroupIsOpStageAndStatus) {
  ExampleRun example;
  for (const char* id : {"add_1", "add_2", "add_3"}) example.AddCase(id, "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_1", Status::kFail, "lower", "one");
  example.AddRecord("add_2", Status::kFail, "lower", "two");
  example.AddRecord("add_3", Status::kCrash, "lower", "two");
  const View view = example.MakeView();
  const std::vector<Blocker> blockers = RankBlockers(view);
  ASSERT_THAT(blockers, SizeIs(2));
  EXPECT_EQ(blockers[0].cases, 2);
  EXPECT_EQ(blockers[0].rows, 4);
  EXPECT_EQ(blockers[0].ops, 8);
  EXPECT_EQ(blockers[0].diagnostics, 2);
  EXPECT_EQ(blockers[1].status, Status::kCrash);
}

TEST(BlockersTest, WhatIsNoProblemBlocksNothing) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kUnsupported, "lower", "no");
  EXPECT_THAT(RankBlockers(example.MakeView()), SizeIs(0));
}

TEST(BlockersTest, CallsAreGroupedByWhatTheyCall) {
  ExampleRun example;
  example.AddCase("a", "stablehlo.custom_call", {"bert"}).target = "mhlo.erf";
  example.AddCase("b", "stablehlo.custom_call", {"bert"}).target = "mhlo.topk";
  EXPECT_THAT(RankBlockers(example.MakeView()), SizeIs(2));
}

}  // namespace
}  // namespace opbyop::reports
