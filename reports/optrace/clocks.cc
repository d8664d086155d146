// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/clocks.h"

#include <fmt/format.h>

#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {

std::optional<Clock> Join(std::optional<Clock> a, std::optional<Clock> b) {
  if (!a || !b) return a ? a : b;
  return *a == *b ? a : Clock::kMixed;
}

std::vector<std::optional<Clock>> ExecutionClocks(const Trace& trace) {
  std::vector<std::optional<Clock>> clocks(trace.ops.size());
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) clocks[span.op] = Join(clocks[span.op], span.clock);
  }
  return clocks;
}

std::string_view ClockName(std::optional<Clock> clock) { return clock ? ToString(*clock) : ""; }

std::string ClockText(const Trace& trace) {
  if (trace.header.mode == RunMode::kEstimate) return "estimated by the compiler";
  int64_t device = 0, host = 0;
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) ++(span.clock == Clock::kDevice ? device : host);
  }
  if (device == 0 && host == 0) return "";
  if (device == 0) return "by the host's clock";
  if (host == 0) return "by the device's own clock";
  return fmt::format("by the device's own clock ({}) and the host's ({})", CountText(device, "execution"),
                     Grouped(host));
}

SliceClocks::SliceClocks(const Trace& trace) {
  const std::vector<std::optional<Clock>> clocks = ExecutionClocks(trace);
  for (const Op& op : trace.ops) {
    if (clocks[op.id]) by_name_.emplace(HloName(op), *clocks[op.id]);
  }
}

std::string_view SliceClocks::Of(const TimelineRow& row, const Slice& slice) const {
  if (row.section != Section::kExecution || row.title != kHloRow) return "";
  std::optional<Clock> clock;
  for (const std::string& member : slice.members) {
    if (const auto found = by_name_.find(member); found != by_name_.end()) clock = Join(clock, found->second);
  }
  return ClockName(clock);
}

}  // namespace opbyop::optrace
