// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of the view operator-timeline: per section one row per level of abstraction, all on one time axis.
//
//   for (const TimelineRow& row : Timeline(trace)) Draw(row.section, row.title, row.slices);
//
// The rows of a section with ops are the levels of the module path from the model down, then Framework Ops, then HLO
// Ops. A path shorter than the deepest is padded with its last part, as <part>.projected.0, .1, ..., so that every op
// has a slice on every level. Sections without ops (overview, control, compile) have one row per name.
#ifndef OPBYOP_REPORTS_OPTRACE_TIMELINE_H_
#define OPBYOP_REPORTS_OPTRACE_TIMELINE_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/segmentation.h"

namespace opbyop::optrace {

// The row that shows each op by itself, in a section that has ops.
inline constexpr std::string_view kHloRow = "HLO Ops";

// Whether the section's rows are levels of the module path; otherwise there is one row per name.
inline bool IsOfOps(Section section) { return section == Section::kExecution || section == Section::kDataTransfer; }

struct TimelineRow {
  Section section = Section::kExecution;
  int64_t device = 0;
  int64_t core = 0;
  std::string title;  // "level 0", "Framework Ops", "HLO Ops", "host to device"
  std::vector<Slice> slices;
};

// The section's title for people: "Process Execution".
std::string SectionTitle(Section section);

std::vector<TimelineRow> Timeline(const Trace& trace);

// The same, slice by slice: `begin` gets each row without its slices, then `add` gets each of them in order.
void DrawTimeline(const Trace& trace, const std::function<void(const TimelineRow&)>& begin,
                  const std::function<void(Slice&&)>& add);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_TIMELINE_H_
