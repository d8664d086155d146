// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The clock by which the times of a trace were measured: for one op, for a row of a table, or for the whole trace.
//
//   std::vector<std::optional<Clock>> clocks = ExecutionClocks(trace);   // by op
//   fmt::print("times {}", ClockText(trace));                            // "by the host's clock"
#ifndef OPBYOP_REPORTS_OPTRACE_CLOCKS_H_
#define OPBYOP_REPORTS_OPTRACE_CLOCKS_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/timeline.h"

namespace opbyop::optrace {

// The clock of a figure that is made from both: kMixed if they differ.
std::optional<Clock> Join(std::optional<Clock> a, std::optional<Clock> b);

// The clocks of the executions of every op, by id; nullopt for an op that was not executed.
std::vector<std::optional<Clock>> ExecutionClocks(const Trace& trace);

// "" if nothing was timed.
std::string_view ClockName(std::optional<Clock> clock);

// "by the device's own clock", "by the host's clock", "by the device's own clock (5 executions) and the host's (2)",
// "estimated by the compiler"; "" for a trace without executions.
std::string ClockText(const Trace& trace);

// The clocks of the slices on the row of HLO ops, which are executions.
class SliceClocks {
 public:
  explicit SliceClocks(const Trace& trace);

  // "" for slices that are no executions of ops.
  std::string_view Of(const TimelineRow& row, const Slice& slice) const;

 private:
  std::unordered_map<std::string, Clock> by_name_;
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_CLOCKS_H_
