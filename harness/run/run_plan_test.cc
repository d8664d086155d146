// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opbyop::harness {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

class RunPlanTest : public testing::Test {
 protected:
  RunPlanTest() {
    setup_.target.name = "chip";
    setup_.target.device.kind = kWorkerDevice;
    setup_.target.device.parallel = true;
    setup_.target.stages = {{.name = std::string(kExecuteStage)}};
    setup_.options.jobs = 2;
    setup_.policies.resize(2);
    setup_.policies[1].name = "edge";
    for (const auto& [id, bytes] : {std::pair("small", 1'000), std::pair("large", 5'000'000)}) {
      Case c;
      c.id = id;
      c.bytes = bytes;
      setup_.manifest.cases.push_back(std::move(c));
    }
    const std::vector<Case>& cases = setup_.manifest.cases;
    setup_.rows = {{&cases[0], "a"}, {&cases[0], "b"}, {&cases[1], "a"}};
  }
  RunPlan Plan(int64_t memory = int64_t{1} << 40) const { return PlanOf(setup_, balance_, memory); }

  RunSetup setup_;
  Balance balance_;
};

TEST_F(RunPlanTest, CountsACaseOfSeveralRowsOnce) {
  const RunPlan plan = Plan();
  EXPECT_EQ(plan.cases, 2);
  EXPECT_EQ(plan.rows, 3);
  EXPECT_EQ(plan.bytes, 5'001'000);
  EXPECT_EQ(plan.largest, "large");
  EXPECT_THAT(ToText(plan), HasSubstr("chip: 2 cases for 3 rows, judged under domain, edge and one further draw"));
}

TEST_F(RunPlanTest, NamesTheCasesThatExceedTheMachine) {
  EXPECT_THAT(Plan(1'000'000).do_not_fit, ElementsAre(Field(&NotJudged::id, "large")));
  EXPECT_THAT(ToText(Plan(1'000'000)), HasSubstr("memory: 1.0 MB, less than the inputs and outputs of 1 case"));
  EXPECT_THAT(ToText(Plan()), HasSubstr("enough for the inputs and outputs of each case"));
  EXPECT_THAT(ToText(Plan(1'000'000)), HasSubstr("  large: 5.0 MB of inputs and outputs\n"));
}

TEST_F(RunPlanTest, ARunSaysAtItsStartThatCasesDoNotFit) {
  const std::vector<Case>& cases = setup_.manifest.cases;
  EXPECT_THAT(MemoryNote({&cases[0], &cases[1]}, 1'000'000),
              HasSubstr("outputs of 1 case exceed this machine's memory of 1.0 MB"));
  EXPECT_EQ(MemoryNote({&cases[0], &cases[1]}, 5'000'000), "");
}

TEST_F(RunPlanTest, ALargeProductIsSampledAndOtherLargeCasesAreNamed) {
  std::vector<Case>& cases = setup_.manifest.cases;
  for (Case& c : cases) {
    c.kind = OpKind::kMatmul;
    c.op = "stablehlo.dot_general";
    c.inputs = {{{4}, "bf16"}, {{4}, "bf16"}};
    c.outputs = {{{4}, "bf16"}};
    c.flops = int64_t{1} << 40;
  }
  EXPECT_EQ(Plan().sampled, 2);
  EXPECT_THAT(ToText(Plan()), HasSubstr("judged: 0 cases by every element, 2 products by a sample and checksums\n"));
  cases[1].op = "stablehlo.convolution";
  EXPECT_EQ(Plan().sampled, 2);
  cases[1].outputs = {{{4}, "i32"}};
  EXPECT_EQ(Plan().sampled, 1) << "its operands are no integers";
  EXPECT_THAT(Plan().too_much, ElementsAre(Field(&NotJudged::id, "large")));
  EXPECT_THAT(ToText(Plan()), HasSubstr("  large: about 550 G operations, limit 30 G\n"));
  cases[1].inputs = {{{4}, "i8"}, {{4}, "ui8"}};
  EXPECT_EQ(Plan().sampled, 2);
  cases[0].flops = int64_t{1} << 39;
  EXPECT_EQ(Plan().judged_by_elements(), 1) << "2^38 multiply-adds are below the limit";
}

TEST_F(RunPlanTest, ALoopThatDoesNotFitMayBeJudgedWithFewerTrips) {
  setup_.manifest.cases[1].op = "stablehlo.while";
  EXPECT_THAT(ToText(Plan(1'000'000)),
              HasSubstr("  large: 5.0 MB of inputs and outputs; with three trips instead, if it "
                        "counts up by one\n"));
}

TEST_F(RunPlanTest, WhatTheReferenceHoldsIsCounted) {
  Case& c = setup_.manifest.cases[1];
  c.op = "stablehlo.add";
  c.kind = OpKind::kElementwiseBinary;
  c.inputs = {{{1'000'000}, "f32"}, {{1'000'000}, "f32"}};
  c.outputs = {{{1'000'000}, "f32"}};
  EXPECT_EQ(Plan().most_held, "large");
  EXPECT_EQ(Plan().held_bytes, 2 * 8e6 + 16e6) << "numbers of 8 bytes, and a bound of each of the results";
  EXPECT_THAT(ToText(Plan()), HasSubstr("the reference: holds about 32.0 MB at once of one case (large)"));
  EXPECT_THAT(Plan(36'000'000).too_much, ElementsAre(Field(&NotJudged::id, "large"))) << "5 MB are in files";
  EXPECT_THAT(ToText(Plan(36'000'000)), HasSubstr("  large: about 37.0 MB of inputs, outputs and what the reference"));
  EXPECT_EQ(Plan(38'000'000).judged_by_elements(), 2);
}

TEST_F(RunPlanTest, ACaseBeyondTheReferencesMemoryIsNamed) {
  Case& c = setup_.manifest.cases[1];
  c.op = "stablehlo.while";
  c.inputs = c.outputs = {{{int64_t{1} << 29}, "bf16"}};
  const int64_t memory = 20'000'000'000;
  EXPECT_THAT(Plan(memory).too_much, ElementsAre(Field(&NotJudged::id, "large")));
  EXPECT_THAT(ToText(Plan(memory)), HasSubstr("  large: about 12.9 GB alive at once, limit 10.0 GB; with three trips"));
  EXPECT_EQ(Plan(2 * memory).judged_by_elements(), 2);
  c.op = "stablehlo.reshape";
  c.kind = OpKind::kDataMovement;
  EXPECT_EQ(Plan(memory).held_bytes, 2.0 * 2 * (1 << 29)) << "it is moved as its type stores it";
  EXPECT_EQ(Plan(memory).judged_by_elements(), 2);
}

TEST_F(RunPlanTest, CasesWhoseWorkIsInBodiesAreCounted) {
  Case& c = setup_.manifest.cases[0];
  c.op = "stablehlo.while";
  c.kind = OpKind::kControlFlow;
  EXPECT_EQ(Plan().with_bodies, 1);
  EXPECT_THAT(ToText(Plan()), HasSubstr("judged: 2 cases by every element (1 with branches or a loop, if that is not"));
}

TEST_F(RunPlanTest, ARunningSumIsWorkOfItsLength) {
  Case& c = setup_.manifest.cases[1];
  c.op = "stablehlo.reduce_window";
  c.kind = OpKind::kReduction;
  c.inputs = c.outputs = {{{8, 128256}, "f32"}};
  c.flops = int64_t{8} * 128256 * 128256;
  c.attributes["window_dimensions"] = "array<i64: 1, 128256>";
  EXPECT_EQ(Plan().judged_by_elements(), 2);
  c.attributes["window_dimensions"] = "array<i64: 2, 64128>";
  EXPECT_THAT(Plan().too_much, ElementsAre(Field(&NotJudged::id, "large")));
}

TEST_F(RunPlanTest, CasesOfSeveralDevicesCountWithEachDevicesCopy) {
  Case& c = setup_.manifest.cases[0];
  c.inputs = {{{8}, "f32"}, {{2}, "f32"}};
  c.outputs = {{{8}, "f32"}};
  const Division divided = {{Axis{.stride = 1, .size = 4}}}, whole = {{}};
  c.sharding = std::make_shared<const CaseSharding>(
      CaseSharding{.partitions = 4, .inputs = {divided, whole}, .outputs = {divided}});
  const RunPlan plan = Plan();
  EXPECT_EQ(plan.on_several_devices, 1);
  EXPECT_EQ(plan.device_bytes, 32 + 4 * 8 + 32);
  EXPECT_THAT(ToText(plan), HasSubstr("devices: 1 case on several at once, 96 bytes with each device's copy\n"));
}

TEST_F(RunPlanTest, CasesWithTwinsAreCounted) {
  Case& c = setup_.manifest.cases[1];
  c.op = "stablehlo.add";
  c.kind = OpKind::kElementwiseBinary;
  c.inputs = c.outputs = {{{1 << 23}, "f32"}};
  setup_.policies[1].inputs = InputKind::kSparse;
  EXPECT_EQ(Plan().on_made_twins, 0) << "the length of a sum is an extent";
  setup_.policies[1].inputs = InputKind::kEdge;
  EXPECT_EQ(Plan().on_made_twins, 1);
  EXPECT_THAT(ToText(Plan()),
              HasSubstr("twins: 1 case under some policies on the same program with smaller shapes, 0 of the "));
}

TEST_F(RunPlanTest, DurationsOfAnEarlierRunDecideTheTime) {
  balance_.name = "run 2026, 2 durations 5d0c";
  balance_.ms = {{"small", 60'000}, {"large", 180'000}};
  EXPECT_DOUBLE_EQ(Plan().minutes, 2);
  EXPECT_THAT(ToText(Plan()), HasSubstr("time: about 2 min with 2 jobs, by the durations of 2 cases in run 2026\n"));
}

TEST_F(RunPlanTest, WithoutDurationsTheTimeIsSaidToBeAnEstimate) {
  EXPECT_THAT(ToText(Plan()), HasSubstr("estimated from operations and bytes"));
}

TEST_F(RunPlanTest, WhatDoesNotFitTakesNoTime) {
  const double small_alone = Plan(1'000'000).minutes;
  setup_.rows.pop_back();
  EXPECT_DOUBLE_EQ(Plan().minutes, small_alone);
}

TEST_F(RunPlanTest, ADeviceThatIsHeldHasOneJob) {
  setup_.target.device.parallel = false;
  EXPECT_EQ(Plan().jobs, 1);
}

TEST_F(RunPlanTest, WithoutADeviceNothingIsJudged) {
  EXPECT_THAT(ToText(Plan()), HasSubstr("judged: 2 cases by every element\n"));
  setup_.target.device.kind = "none";
  EXPECT_THAT(ToText(Plan()), HasSubstr("judged: nothing, cases are only compiled\n"));
}

TEST_F(RunPlanTest, ASelectionOfNothingHasNoSizes) {
  setup_.rows.clear();
  EXPECT_THAT(ToText(Plan()), HasSubstr("0 cases for 0 rows"));
  EXPECT_THAT(ToText(Plan()), Not(HasSubstr("data")));
}

TEST_F(RunPlanTest, BytesBeyondTheRangeOfNumbersAreCapped) {
  for (Case& c : setup_.manifest.cases) c.bytes = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Plan().bytes, std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace opbyop::harness
