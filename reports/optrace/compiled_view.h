// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model that was compiled in one piece, as the device's profiler saw it: the instructions on their tracks, and what
// could be gained in each region of time.
//
//   for (const Region& region : Regions(trace)) fmt::print("{}: {}\n", region.module, fmt::join(region.advice, "; "));
//   page["compiled"] = CompiledData(trace);
#ifndef OPBYOP_REPORTS_OPTRACE_COMPILED_VIEW_H_
#define OPBYOP_REPORTS_OPTRACE_COMPILED_VIEW_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// The time of each instruction without that of the instructions inside it on its track, in picoseconds.
std::vector<int64_t> SelfTimes(const std::vector<Instruction>& instructions);

// The work of the ops that an instruction computes. Its bytes are at most those of its own operands and results: what
// is fused is not moved.
struct Work {
  double flops = 0;
  double bytes = 0;
};
Work WorkOf(const Instruction& instruction, const std::vector<Op>& ops);

// Whether an instruction of this HLO op moves or combines data of several devices.
bool IsCollective(const std::string& category);

// Whether an instruction of this HLO op only moves data, between devices or in one.
bool IsTransfer(const std::string& category);

// A part of the time of an execution. Shares are of the region's time, on average over the devices.
struct Region {
  int64_t start_ps = 0;
  int64_t end_ps = 0;
  std::string module;  // the part of the model to which most of its time belongs; empty: unknown
  double idle = 0;     // no instruction runs
  double exposed = 0;  // transfers run and nothing else does
  std::vector<std::string> advice;
};

// Parts of equal length, in order. Empty if the trace has no instructions.
std::vector<Region> Regions(const Trace& trace);

// Null if the trace has no instructions. The frontend's src/profile/compiled.tsx has the fields.
nlohmann::json CompiledData(const Trace& trace);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_COMPILED_VIEW_H_
