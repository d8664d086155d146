// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans a run as far as its manifest tells what it needs: cases, data, memory and time. Nothing is started.
//
//   RunPlan plan = PlanOf(setup, balance, MachineMemory());
//   std::printf("%s", ToText(plan).c_str());   // "1378 cases for 1463 rows on host ..."
#ifndef OPBYOP_HARNESS_RUN_RUN_PLAN_H_
#define OPBYOP_HARNESS_RUN_RUN_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/run/run_setup.h"
#include "harness/run/shard_assignment.h"

namespace opbyop::harness {

// A case that will not be judged, and why.
struct NotJudged {
  std::string id;
  std::string reason;  // "27.9 GB of inputs and outputs"
};

struct RunPlan {
  std::string target;
  std::vector<std::string> policies;
  bool fresh_draw = false;
  bool compiles_only = false;
  int64_t cases = 0;
  int64_t rows = 0;
  int64_t bytes = 0;                  // of the inputs and outputs of all cases, for one set of inputs
  std::string largest;                // id of the case with most inputs and outputs; empty if there are no cases
  int64_t largest_bytes = 0;          // its inputs and outputs
  int64_t on_several_devices = 0;     // cases that run on several devices at once
  int64_t device_bytes = 0;           // inputs and outputs of these on all devices, with each device's copy
  int64_t memory = 0;                 // of this machine, in bytes
  std::vector<NotJudged> do_not_fit;  // cases whose inputs and outputs exceed it, in the manifest's order
  std::vector<NotJudged> too_much;    // cases beyond the reference's limits (protocol/judging_limits.h) or, with what
                                      // it holds of them, beyond the machine's memory
  std::string most_held;              // id of the judged case of which the reference holds most; empty if there is none
  double held_bytes = 0;              // what it holds of it, at least (ReferenceBytesOf)
  int64_t with_bodies = 0;            // cases to judge whose work is in bodies, which the manifest does not tell
  int64_t sampled = 0;                // products that are judged by a sample and by checksums
  int64_t on_twins = 0;               // cases that some policies judge on a smaller case of the manifest,
  int64_t on_made_twins = 0;          // and those that they judge on a program that the run makes
  double minutes = 0;                 // estimated, of wall time
  int jobs = 1;
  size_t timed = 0;     // cases whose time is from the earlier run
  std::string balance;  // Balance::name

  int64_t judged_by_elements() const {
    return cases - sampled - static_cast<int64_t>(do_not_fit.size() + too_much.size());
  }
};

// Plans the rows of `setup`. Durations are those of `balance`; a case that it lacks counts with its estimate, scaled by
// the others' durations (harness/run/shard_assignment.h).
RunPlan PlanOf(const RunSetup& setup, const Balance& balance, int64_t memory);

// Several lines, each with its newline.
std::string ToText(const RunPlan& plan);

// Returns "the inputs and outputs of 2 cases exceed this machine's memory of 24.0 GB, ..."; empty if all fit.
std::string MemoryNote(const std::vector<const Case*>& cases, int64_t memory);

// Loads and checks what `options` name and returns the text of their plan. Durations are those of --balance, else those
// of the results in --out if there are any.
Expected<std::string> PlanText(Options options);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RUN_PLAN_H_
