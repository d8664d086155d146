// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes the time per operator, for the tables and pies of the views operator-framework and operator-hlo.
//
//   std::vector<OperatorRow> rows = OperatorTable(trace, Grouping::kHlo);
//   // {name "dot_general", occurrences 2, device 0, core 0, time_ps 279000, percent 39.08, ...}
//
// An occurrence is one execution of an operator; for a framework operator, of all the HLO ops that it was lowered to.
// By default only the section Process Execution counts, so that 100 % is the device's time on ops. A row is an operator
// on one device and core: times of different devices are never added.
#ifndef OPBYOP_REPORTS_OPTRACE_OPERATOR_TABLE_H_
#define OPBYOP_REPORTS_OPTRACE_OPERATOR_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// The unit of a row.
enum class Grouping { kFramework, kHlo, kFrameworkAndShape, kHloAndShape, kCategory, kModule };

// The sections that count in addition to execution; a transfer or a compile stage has a row with its own name.
enum class Scope { kExecution, kWithTransfer, kWithCompile };

struct OperatorRow {
  std::string name;
  int64_t occurrences = 0;
  int64_t device = 0;
  int64_t core = 0;
  int64_t time_ps = 0;
  double percent = 0;             // of all execution time on this device and core
  double cumulative_percent = 0;  // including the rows before it
  int64_t self_ps = 0;            // the part of `time_ps` in which nothing else that counts ran on the device and core
  double self_percent = 0;        // of the same total as `percent`
  int64_t min_ps = 0;             // of one occurrence
  int64_t average_ps = 0;
  int64_t p95_ps = 0;
  double flops = 0;  // of all occurrences
  double bytes = 0;
  std::string bound_by;          // BoundBy
  std::optional<Clock> clock;    // the clock that measured its occurrences
  std::optional<Status> status;  // the worst of its ops
  std::string stage;             // the last stage of that op
  double max_ulp = 0;            // of its ops' isolated comparisons
  double pcc = 1;                // the lowest
  std::vector<int64_t> ops;      // ids of its ops, in program order
};

// For every span, the time in which no other span that counts ran on its device and core; 0 for spans that do not
// count.
std::vector<int64_t> SelfTimes(const Trace& trace, Scope scope);

// For every op, by id, the time that it ran on any device.
std::vector<int64_t> ExecutionTimes(const Trace& trace);

// For every op, by id, the number of its executions.
std::vector<int64_t> ExecutionCounts(const Trace& trace);

// Rows by device and core, slowest first. An op without a framework name is grouped as "<unknown>".
std::vector<OperatorRow> OperatorTable(const Trace& trace, Grouping grouping, Scope scope = Scope::kExecution);

// The same with the result of SelfTimes(trace, scope), for several groupings of one trace.
std::vector<OperatorRow> OperatorTable(const Trace& trace, Grouping grouping, Scope scope,
                                       const std::vector<int64_t>& self_times);

// Returns what limits that much work, done in `executions` calls that took `time_ps`: "overhead" if a call costs more
// than the work in it; else the roof of the device that it is under, "compute" or "memory"; "" if the device's peaks
// are not known, or there is no work.
std::string_view BoundBy(double flops, double bytes, int64_t time_ps, int64_t executions, const TraceDevice& device);

// "tensor<4x2xf32>", as MLIR writes it.
std::string TypeText(const TensorType& type);

// The last level of the timeline and of framework tables: "aten__addmm", or "<unknown>".
std::string FrameworkName(const Op& op);

// The path in XProf and in folded stacks: "NN[model]/Linear[layer1]/aten__addmm". It contains no ':'.
std::string FrameworkPath(const Op& op);

// "dot_general.3": one op of the program.
std::string HloName(const Op& op);

// For each op, the framework op that it is part of, numbered from 0 in program order. Ops with the same name, module
// path and source line are one (an aten__addmm is a dot_general, a broadcast and an add).
std::vector<int64_t> FrameworkInstances(const std::vector<Op>& ops);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_OPERATOR_TABLE_H_
