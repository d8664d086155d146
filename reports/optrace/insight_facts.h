// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums over a trace that the rules of the insights use, computed once.
//
//   const InsightFacts facts(trace);
//   facts.Of(Section::kDataTransfer);   // picoseconds of all spans of the section
#ifndef OPBYOP_REPORTS_OPTRACE_INSIGHT_FACTS_H_
#define OPBYOP_REPORTS_OPTRACE_INSIGHT_FACTS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

struct InsightFacts {
  explicit InsightFacts(const Trace& trace);

  int64_t Of(Section section) const;
  double Runs() const;                 // number of runs of the whole model
  std::string Name(int64_t op) const;  // "add.3 (NN[model]/Linear[layer1]/aten__addmm)"

  const Trace& trace;
  std::map<Section, int64_t> time;
  std::vector<int64_t> op_time;           // execution, by op
  std::vector<int64_t> op_count;          // of executions
  std::map<std::string, int64_t> stages;  // compile time
  std::set<int64_t> compiled;             // ids of the ops
  int64_t inputs = 0;                     // transfers of the model's own inputs
  int64_t bounded = 0, on_host_clock = 0, executions = 0;
  int64_t untimed = 0;     // executions of ops for which the device gave no timed run: their time is that of a stage
  int64_t overlapped = 0;  // bounded executions during which another ran on the same device
  int64_t call_ps = 0;     // TraceDevice::call_ps
};

double Share(int64_t part, int64_t whole);

// "12.5 %" of 0.125.
std::string PercentText(double share);

// "1 of 10 ops does not pass", "2 of 10 ops do not pass".
std::string OfOps(const Trace& trace, size_t count, std::string_view one, std::string_view more);

// The first ops of a list, as many as an insight names.
std::vector<int64_t> First(const std::vector<int64_t>& ops);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_INSIGHT_FACTS_H_
