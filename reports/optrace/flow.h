// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds slices that belong together. A flow is one execution of an op, with the transfers of its inputs and outputs and
// the comparisons of its outputs. Exports draw it as arrows.
//
//   Flows flows(trace);
//   for (const FlowStep& step : flows.In(row, slice)) Draw(step.flow, step.first, step.last);
#ifndef OPBYOP_REPORTS_OPTRACE_FLOW_H_
#define OPBYOP_REPORTS_OPTRACE_FLOW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/timeline.h"

namespace opbyop::optrace {

struct FlowStep {
  int64_t flow = 0;
  bool first = false;  // whether it is the first of its flow, in time
  bool last = false;
};

class Flows {
 public:
  // A flow of only one span joins nothing, and is left out. `trace` must outlive this.
  explicit Flows(const Trace& trace);

  // The steps of the spans that start within a slice of a drawn row (timeline.h). Of the levels of the module path,
  // only the row of HLO ops has any.
  std::vector<FlowStep> In(const TimelineRow& row, const Slice& slice) const;

  // The step of `span` in its flow; nullopt if it has none.
  std::optional<FlowStep> Of(const Span& span) const;

 private:
  struct Ends {
    const Span* first;
    const Span* last;
  };
  using Row = std::tuple<Section, int64_t, int64_t, std::string_view>;  // section, device, core, title

  std::unordered_map<int64_t, Ends> ends_;
  std::map<Row, std::vector<const Span*>> rows_;  // sorted by start
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_FLOW_H_
