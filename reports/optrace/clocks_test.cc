// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/clocks.h"

#include <gtest/gtest.h>

#include "reports/optrace/operator_table.h"
#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

// A sample in which the host's clock measured the executions of `hlo`, and the device's clock all others.
Trace MixedTrace(std::string_view hlo) {
  Trace trace = SampleTrace();
  for (Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0 && trace.ops[span.op].hlo == hlo) span.clock = Clock::kHost;
  }
  return trace;
}

TEST(ClocksTest, ATextNamesTheClockOfAllExecutions) {
  Trace trace = SampleTrace();
  EXPECT_EQ(ClockText(trace), "by the device's own clock");
  for (Span& span : trace.spans) span.clock = Clock::kHost;
  EXPECT_EQ(ClockText(trace), "by the host's clock");
  trace.header.mode = RunMode::kEstimate;
  EXPECT_EQ(ClockText(trace), "estimated by the compiler");
  EXPECT_EQ(ClockText(Trace()), "");
}

TEST(ClocksTest, ATextCountsTheExecutionsOfBoth) {
  EXPECT_EQ(ClockText(MixedTrace("dot_general")), "by the device's own clock (24 executions) and the host's (6)");
}

TEST(ClocksTest, EachRowOfATableHasItsOwn) {
  for (const OperatorRow& row : OperatorTable(MixedTrace("dot_general"), Grouping::kHlo)) {
    EXPECT_EQ(row.clock, row.name == "dot_general" ? Clock::kHost : Clock::kDevice) << row.name;
  }
}

TEST(ClocksTest, ARowOfOpsWithDifferentClocksIsMixed) {
  for (const OperatorRow& row : OperatorTable(MixedTrace("dot_general"), Grouping::kFramework)) {
    if (row.name == "aten__addmm") EXPECT_EQ(row.clock, Clock::kMixed);
  }
}

TEST(ClocksTest, ASliceHasThatOfItsExecutionsOnTheRowOfOps) {
  const Trace trace = MixedTrace("dot_general");
  const SliceClocks clocks(trace);
  size_t seen = 0;
  for (const TimelineRow& row : Timeline(trace)) {
    for (const Slice& slice : row.slices) {
      const std::string_view clock = clocks.Of(row, slice);
      if (row.section != Section::kExecution || row.title != kHloRow) {
        EXPECT_EQ(clock, "");
      } else if (slice.single()) {
        EXPECT_EQ(clock, slice.name.starts_with("dot_general") ? "host" : "device") << slice.name;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 0u);
}

TEST(ClocksTest, AnOpThatWasNotExecutedHasNone) {
  Trace trace = SampleTrace();
  trace.spans.clear();
  EXPECT_EQ(ExecutionClocks(trace)[0], std::nullopt);
  EXPECT_EQ(ClockName(ExecutionClocks(trace)[0]), "");
}

}  // namespace
}  // namespace opbyop::optrace
