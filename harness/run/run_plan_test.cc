// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace opbyop::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RunPlanTest : public testing::Test {
 protected:
  RunPlanTest() {
    setup_.target.name = "chip";
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
  EXPECT_THAT(Plan(1'000'000).do_not_fit, ElementsAre("large"));
  EXPECT_THAT(ToText(Plan(1'000'000)), HasSubstr("memory: 1.0 MB, less than the inputs and outputs of 1 case"));
  EXPECT_THAT(ToText(Plan()), HasSubstr("enough for the inputs and outputs of each case"));
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

TEST_F(RunPlanTest, ADeviceThatIsHeldHasOneJob) {
  setup_.target.device.kind = kWorkerDevice;
  setup_.target.device.parallel = false;
  EXPECT_EQ(Plan().jobs, 1);
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
