// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/flow.h"

#include <gtest/gtest.h>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

Trace Made(std::vector<Span> spans) {
  Trace trace = SampleTrace();
  trace.spans = std::move(spans);
  return trace;
}

TEST(Flows, JoinATransferToTheOpThatUsesIt) {
  const Trace trace = Made(
      {{.id = 0, .op = -1, .section = Section::kDataTransfer, .name = "input 0", .dur_ps = 5, .flow = 1},
       {.id = 1, .op = 1, .name = "dot_general.1", .start_ps = 10, .dur_ps = 5, .flow = 1},
       {.id = 2, .op = 1, .section = Section::kCompare, .name = "compare", .start_ps = 20, .dur_ps = 5, .flow = 1}});
  const Flows flows(trace);
  EXPECT_TRUE(flows.Of(trace.spans[0])->first);
  EXPECT_FALSE(flows.Of(trace.spans[0])->last);
  EXPECT_FALSE(flows.Of(trace.spans[1])->first);
  EXPECT_FALSE(flows.Of(trace.spans[1])->last);
  EXPECT_TRUE(flows.Of(trace.spans[2])->last);
}

TEST(Flows, AFlowOfOneSpanIsLeftOut) {
  const Trace trace = Made({{.id = 0, .op = 1, .name = "dot_general.1", .dur_ps = 5, .flow = 1},
                            {.id = 1, .op = 1, .section = Section::kControl, .name = "load", .dur_ps = 5, .flow = 1},
                            {.id = 2, .op = 2, .name = "add.2", .start_ps = 5, .dur_ps = 5}});
  const Flows flows(trace);
  for (const Span& span : trace.spans) EXPECT_FALSE(flows.Of(span));
}

TEST(Flows, EveryFlowOfADrawnTraceBeginsAndEndsOnce) {
  const Trace trace = SampleTrace();
  const Flows flows(trace);
  std::map<int64_t, std::pair<int, int>> ends;
  size_t steps = 0;
  for (const TimelineRow& row : Timeline(trace)) {
    for (const Slice& slice : row.slices) {
      for (const FlowStep& step : flows.In(row, slice)) {
        ends[step.flow].first += step.first;
        ends[step.flow].second += step.last;
        ++steps;
      }
    }
  }
  EXPECT_EQ(ends.size(), 30U);  // ten ops, three iterations
  EXPECT_GT(steps, 2 * ends.size());
  for (const auto& [flow, count] : ends) EXPECT_EQ(count, std::pair(1, 1)) << flow;
}

}  // namespace
}  // namespace opbyop::optrace
