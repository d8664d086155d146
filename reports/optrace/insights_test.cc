// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/insights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The insight of this rule; empty if the rule returned none.
Insight Of(const Trace& trace, const std::string& rule) {
  const auto insights = Insights(trace);
  const auto found = std::ranges::find(insights, rule, &Insight::rule);
  return found == insights.end() ? Insight{} : *found;
}

TEST(InsightsTest, SaysThatTransfersOutweighCompute) {
  Trace trace = SampleTrace();
  trace.header.mode = RunMode::kWhole;
  const Insight insight = Of(trace, "transfer-over-compute");
  EXPECT_THAT(insight.condition, HasSubstr("of both together"));
  EXPECT_GT(insight.at_stake_ps, 0);
  Trace quick = trace;
  std::erase_if(quick.spans, [](const Span& span) { return span.section == Section::kDataTransfer; });
  EXPECT_EQ(Of(quick, "transfer-over-compute").rule, "");
}

TEST(InsightsTest, OnlyTheModelsInputsOfAChainedRunCountAsTransfers) {
  Trace trace = SampleTrace();
  EXPECT_EQ(Of(trace, "transfer-over-compute").rule, "");
  for (Span& span : trace.spans) {
    if (span.section == Section::kDataTransfer && span.op < 0) span.dur_ps *= 10;
  }
  EXPECT_THAT(Of(trace, "transfer-over-compute").title, HasSubstr("the model's inputs"));
}

TEST(InsightsTest, NamesTheOpThatDominates) {
  const Insight insight = Of(SampleTrace(), "one-op-dominates");
  EXPECT_THAT(insight.ops, ElementsAre(4));
  EXPECT_THAT(insight.condition, HasSubstr("times what its work and bytes take at the device's peaks"));
  EXPECT_EQ(Of(LargeTrace(2000), "one-op-dominates").rule, "");
}

TEST(InsightsTest, SaysThatCompilingTakesLongerThanRunning) {
  EXPECT_EQ(Of(SampleTrace(), "compile-over-run").rule, "");  // a compile time that is not noticed
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) {
    if (span.section == Section::kCompile) span.dur_ps *= 100'000;
  }
  const Insight insight = Of(trace, "compile-over-run");
  EXPECT_THAT(insight.condition, HasSubstr("for 10 compiled ops"));
  EXPECT_THAT(insight.condition, HasSubstr("in the stage object"));
}

TEST(InsightsTest, NamesOpsWithoutTime) {
  Trace trace = SampleTrace();
  std::erase_if(trace.spans, [](const Span& span) { return span.op == 9; });
  EXPECT_THAT(Of(trace, "untimed-ops").ops, ElementsAre(9));
}

TEST(InsightsTest, CountsExecutionsWithinBounds) {
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) {
    if (span.op == 2) span.exactness = Exactness::kBounded;
  }
  EXPECT_THAT(Of(trace, "hidden-ops").title, HasSubstr("of 30 executions"));
}

TEST(InsightsTest, NamesOpsWithoutLocation) {
  Trace trace = SampleTrace();
  trace.ops[3].path.clear(), trace.ops[3].location.clear(), trace.ops[3].framework.clear();
  EXPECT_THAT(Of(trace, "missing-locations").ops, ElementsAre(3));
}

TEST(InsightsTest, NamesUnstableTimesOnlyWithEnoughRepeats) {
  Trace trace = SampleTrace();
  trace.runs[1] = {1, Status::kPass, "compare", "", 10, 100, 100, 200, 300};
  EXPECT_THAT(Of(trace, "unstable-timing").ops, ElementsAre(1));
  trace.runs[1].n = 3;
  EXPECT_EQ(Of(trace, "unstable-timing").rule, "");
}

TEST(InsightsTest, WarnsOfTheHostsClockOnShortOps) {
  Trace trace = SampleTrace();
  EXPECT_EQ(Of(trace, "host-clock").rule, "");
  for (Span& span : trace.spans) span.clock = Clock::kHost;
  EXPECT_EQ(Of(trace, "host-clock").rule, "");  // the quickest takes 18 ns, the average 80
  for (OpRun& run : trace.runs) run.min_ps += 10'000;
  EXPECT_THAT(Of(trace, "host-clock").condition, HasSubstr("no op took less than"));
}

// A trace of a device that reported only when the last stage of each op started and ended.
Trace WithoutTimings() {
  Trace trace = SampleTrace();
  for (OpRun& run : trace.runs) run.n = run.min_ps = run.median_ps = run.p95_ps = run.max_ps = 0;
  for (Span& span : trace.spans) {
    span.clock = Clock::kHost;
    if (span.section == Section::kExecution) span.exactness = Exactness::kBounded;
  }
  // The executions follow each other.
  int64_t end = 0;
  for (Span& span : trace.spans) {
    span.start_ps = end;
    end += span.dur_ps;
  }
  return trace;
}

TEST(InsightsTest, WithoutTimedRunsNoQuickestOpIsNamed) {
  EXPECT_EQ(Of(WithoutTimings(), "host-clock").rule, "");
  for (const Insight& insight : Insights(WithoutTimings()))
    EXPECT_THAT(insight.condition, Not(HasSubstr("e+"))) << insight.rule;
}

TEST(InsightsTest, SaysWhyExecutionsAreKnownOnlyWithinBounds) {
  Trace trace = WithoutTimings();
  EXPECT_THAT(Of(trace, "hidden-ops").cause, HasSubstr("does not time its runs"));
  EXPECT_THAT(Of(trace, "hidden-ops").action, HasSubstr("timing.json"));
  for (OpRun& run : trace.runs) run.n = 3;
  EXPECT_THAT(Of(trace, "hidden-ops").cause, HasSubstr("not when in their stage"));
  trace.header.resolution_ps = 10'000'000;
  EXPECT_THAT(Of(trace, "hidden-ops").cause, HasSubstr("faster than the clock ticks"));
  for (Span& span : trace.spans) span.start_ps = 0;
  EXPECT_THAT(Of(trace, "hidden-ops").cause, HasSubstr("overlap others on the same device"));
}

TEST(InsightsTest, ShortOpsAreComparedWithAMeasuredCall) {
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) span.clock = Clock::kHost;
  trace.header.devices[0].call_ps = 40'000;
  EXPECT_THAT(Of(trace, "host-clock").condition, HasSubstr("an op of one element takes 40 ns"));
  EXPECT_THAT(Of(trace, "host-clock").action, HasSubstr("take up to 40 ns off each op"));
  EXPECT_THAT(Of(trace, "one-op-dominates").cause, Not(HasSubstr("the calls")));
  trace.header.devices[0].call_ps = 400'000;
  EXPECT_THAT(Of(trace, "one-op-dominates").cause, HasSubstr("the calls: an op of one element takes 400 ns"));
}

TEST(InsightsTest, NoMoreIsSubtractedFromAnOpThanItTook) {
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) span.clock = Clock::kHost;
  trace.header.devices[0].call_ps = 400'000;
  EXPECT_THAT(Of(trace, "host-clock").action, HasSubstr("do not rank ops by these times"));
}

TEST(InsightsTest, CallsExplainWhyOpsTakeLongerThanTheWholeModel) {
  Trace trace = SampleTrace();
  trace.footer->whole_model_ps = 500'000;
  EXPECT_THAT(Of(trace, "gap-to-whole-model").cause, HasSubstr("fuses ops"));
  trace.header.devices[0].call_ps = 40'000;
  EXPECT_THAT(Of(trace, "gap-to-whole-model").cause, HasSubstr("each op is a call, which costs 40 ns"));
  trace = WithoutTimings();
  trace.footer->whole_model_ps = 500'000;
  EXPECT_THAT(Of(trace, "gap-to-whole-model").cause, HasSubstr("pays once"));
}

TEST(InsightsTest, OneOpIsSingular) {
  Trace trace = SampleTrace();
  trace.runs[6].status = Status::kFail;
  EXPECT_EQ(Of(trace, "failing-ops").title, "1 of 10 ops does not pass");
  trace.runs[7].status = Status::kFail;
  EXPECT_EQ(Of(trace, "failing-ops").title, "2 of 10 ops do not pass");
}

TEST(InsightsTest, RanksWhatIsWrongBeforeWhatIsSlow) {
  Trace trace = SampleTrace();
  trace.runs[6].status = Status::kFail;
  trace.runs[6].diagnostic = "3 of 8 elements";
  const auto insights = Insights(trace);
  EXPECT_EQ(insights[0].rule, "failing-ops");
  EXPECT_THAT(insights[0].condition, HasSubstr("3 of 8 elements"));
  for (size_t i = 2; i < insights.size(); ++i) EXPECT_GE(insights[i - 1].at_stake_ps, insights[i].at_stake_ps);
}

TEST(InsightsTest, AnOpOfABranchThatWasNotTakenDidNotFail) {
  Trace trace = SampleTrace();
  trace.runs[6].status = Status::kSkipped;
  EXPECT_EQ(Of(trace, "failing-ops").rule, "");
}

TEST(InsightsTest, AnOpThatIsNotJudgedIsNotWrong) {
  for (const Status status : {Status::kInconclusive, Status::kUnsupported}) {
    Trace trace = SampleTrace();
    trace.runs[6].status = status;
    trace.runs[6].diagnostic = "no run-time input";
    EXPECT_EQ(Of(trace, "failing-ops").rule, "");
    const Insight insight = Of(trace, "unjudged-ops");
    EXPECT_EQ(insight.title, "1 of 10 ops is not judged");
    EXPECT_THAT(insight.condition, HasSubstr("no run-time input"));
    EXPECT_FALSE(insight.wrong);
  }
}

TEST(InsightsTest, WithoutATimeAnOpThatDoesNotCompileFailsAsAnyOther) {
  Trace trace = SampleTrace();
  trace.header.mode = RunMode::kEstimate;
  trace.runs[6].status = Status::kUnsupported;
  EXPECT_EQ(Of(trace, "failing-ops").title, "1 of 10 ops does not pass");
  EXPECT_EQ(Of(trace, "unjudged-ops").rule, "");
}

TEST(InsightsTest, SaysThatARunWasCutShort) {
  Trace trace = SampleTrace();
  trace.footer.reset();
  EXPECT_EQ(Insights(trace)[0].rule, "cut-short");
}

TEST(InsightsTest, ComparesTheOpsWithTheWholeModel) {
  EXPECT_THAT(Of(SampleTrace(), "gap-to-whole-model").condition, HasSubstr("model in one piece"));
}

TEST(InsightsTest, FollowsErrorsThatAddUp) {
  Trace trace = SampleTrace();
  for (OutputCompare& compare : trace.compares) {
    if (compare.mode != CompareMode::kAccumulated) continue;
    compare.comparison.range_error = compare.op == 6 ? 0.002 : compare.op == 8 ? 0.01 : 1e-6;
    compare.comparison.max_abs = 0.05;
  }
  const Insight insight = Of(trace, "error-accumulates");
  EXPECT_THAT(insight.ops, ElementsAre(6, 8));
  EXPECT_EQ(insight.title, "Errors add up to 1.0 % of the range of the values");
  EXPECT_THAT(insight.condition, HasSubstr("0.05 apart"));
  EXPECT_THAT(insight.condition, HasSubstr("the first beyond 0.1 % of its range is dot_general.6"));
}

TEST(InsightsTest, ALargeUlpOfAnExpectedZeroIsNotReported) {
  Trace trace = SampleTrace();
  for (OutputCompare& compare : trace.compares) {
    compare.comparison.range_error = 1e-6;
    compare.comparison.max_ulp = compare.mode == CompareMode::kAccumulated ? 8e39 : 1;
  }
  EXPECT_EQ(Of(trace, "error-accumulates").rule, "");
}

TEST(InsightsTest, ANarrowTypeMayHaveALargerError) {
  Trace trace = SampleTrace();
  for (OutputCompare& compare : trace.compares) {
    compare.comparison.dtype = "bf16";
    compare.comparison.range_error = compare.mode == CompareMode::kAccumulated ? 0.04 : 0.001;
  }
  EXPECT_EQ(Of(trace, "error-accumulates").rule, "");
}

TEST(InsightsTest, AnEmptyTraceMeetsNoRuleOfTimes) {
  for (const Insight& insight : Insights(Trace{})) EXPECT_EQ(insight.rule, "cut-short");
}

TEST(TimeTextTest, ChoosesTheUnit) {
  EXPECT_EQ(TimeText(999), "999 ps");
  EXPECT_EQ(TimeText(279'000), "279 ns");
  EXPECT_EQ(TimeText(1'234'000), "1.234 µs");
  EXPECT_EQ(TimeText(2'500'000'000'000), "2.5 s");
}

}  // namespace
}  // namespace opbyop::optrace
