// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/ranked_causes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(RankedCausesTest, FixThatTurnsMostModelsGreenIsFirst) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddCase("tanh_1", "stablehlo.tanh", {"nn"});
  example.AddCase("add_2", "stablehlo.add", {"bert"});
  example.AddCase("sort_1", "stablehlo.sort", {"bert"});
  for (const char* id : {"add_1", "add_2"}) example.AddRecord(id, Status::kFail, "lower", "no pattern");
  example.AddRecord("sort_1", Status::kFail, "lower", "no sort");
  example.AddRecord("tanh_1", Status::kFail, "compare", "wrong");
  const View view = example.MakeView();
  const std::vector<RankedCause> blockers = RankCauses(view);
  ASSERT_THAT(blockers, SizeIs(3));
  EXPECT_THAT(blockers[0].of, ElementsAre("stablehlo.tanh"));
  EXPECT_THAT(blockers[0].unlocked, ElementsAre(1));
  EXPECT_THAT(blockers[1].of, ElementsAre("stablehlo.add")) << "more rows before fewer";
  EXPECT_THAT(blockers[1].models, ElementsAre(0));
  EXPECT_THAT(blockers[1].unlocked, ElementsAre());
}

TEST(RankedCausesTest, OneErrorOfManyOpsIsOneGroup) {
  ExampleRun example;
  for (const char* op : {"add", "tanh", "sine"}) {
    for (int i = 1; i <= 4; ++i) {
      const std::string id = fmt::format("{}_{}", op, i);
      example.AddCase(id, fmt::format("stablehlo.{}", op), {"bert", "nn"});
      example.AddRecord(id, Status::kFail, "lower",
                        fmt::format("/tmp/{}/x.mlir:{}: no pattern for {} elements", i, i, i));
    }
  }
  const std::vector<RankedCause> blockers = RankCauses(example.MakeView());
  ASSERT_THAT(blockers, SizeIs(1));
  EXPECT_THAT(blockers[0].of, ElementsAre("stablehlo.add", "stablehlo.sine", "stablehlo.tanh"));
  EXPECT_EQ(blockers[0].rows, 24);
  EXPECT_EQ(blockers[0].cases, 12);
  EXPECT_EQ(blockers[0].ops, 48);
  EXPECT_EQ(blockers[0].diagnostics, 4);
}

TEST(RankedCausesTest, StageStatusAndFingerprintDistinguishGroups) {
  ExampleRun example;
  for (const char* id : {"add_1", "add_2", "add_3", "add_4"}) example.AddCase(id, "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_1", Status::kFail, "lower", "one");
  example.AddRecord("add_2", Status::kFail, "lower", "two");
  example.AddRecord("add_3", Status::kCrash, "lower", "two");
  example.AddRecord("add_4", Status::kFail, "load", "two");
  EXPECT_THAT(RankCauses(example.MakeView()), SizeIs(4));
}

TEST(RankedCausesTest, RowsThatAreNoProblemBlockNothing) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kUnsupported, "lower", "no");
  EXPECT_THAT(RankCauses(example.MakeView()), SizeIs(0));
}

TEST(RankedCausesTest, CallsAreNamedByWhatTheyCall) {
  ExampleRun example;
  example.AddCase("a", "stablehlo.custom_call", {"bert"}).target = "mhlo.erf";
  example.AddCase("b", "stablehlo.custom_call", {"bert"}).target = "mhlo.topk";
  const std::vector<RankedCause> blockers = RankCauses(example.MakeView());
  ASSERT_THAT(blockers, SizeIs(1)) << "both are missing";
  EXPECT_THAT(blockers[0].of, ElementsAre("stablehlo.custom_call @mhlo.erf", "stablehlo.custom_call @mhlo.topk"));
}

}  // namespace
}  // namespace opbyop::reports
