// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares two traces of one model, op by op.
//
//   TraceDiff diff = DiffTraces(base, candidate);
//   diff.rows[0];   // the op whose time changed most
//
// Ops are matched by module path, name and their number among ops with both equal: ids change when a model changes.
#ifndef OPBYOP_REPORTS_OPTRACE_TRACE_DIFF_H_
#define OPBYOP_REPORTS_OPTRACE_TRACE_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// An op in one of the traces.
struct DiffSide {
  int64_t op = 0;
  int64_t time_ps = 0;  // the median of its executions
  int64_t min_ps = 0;
  int64_t p95_ps = 0;
  std::optional<Clock> clock;  // the clock that measured it
  std::optional<Status> status;
  double max_ulp = 0;
};

struct DiffRow {
  std::string name;                   // "NN[model]/Linear[layer1]/aten__addmm/dot_general"
  std::optional<DiffSide> base;       // absent: the op appeared
  std::optional<DiffSide> candidate;  // absent: it disappeared
  int64_t delta_ps = 0;               // candidate - base; for an op of only one trace, its whole time
  bool other_clocks = false;          // whether the clocks differ: then the difference is no change of the op
  bool noise = false;                 // the ranges from minimum to 95th percentile overlap
};

struct TraceDiff {
  // largest change first; last those that mean nothing: noise, and times of different clocks
  std::vector<DiffRow> rows;
  int64_t base_ps = 0;  // sum of the ops' times
  int64_t candidate_ps = 0;
};

TraceDiff DiffTraces(const Trace& base, const Trace& candidate);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_TRACE_DIFF_H_
