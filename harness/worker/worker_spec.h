// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a worker is started, and the limits of its stages.
//
//   WorkerSpec spec = TargetWorkerSpec(target, bin, root);
//   spec.LimitsOf("lower").timeout_s;
#ifndef OPBYOP_HARNESS_WORKER_WORKER_SPEC_H_
#define OPBYOP_HARNESS_WORKER_WORKER_SPEC_H_

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/targets/target.h"
#include "support/process/process.h"

namespace opbyop::harness {

struct WorkerSpec {
  std::string role;  // that its hello must have
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::map<std::string, Limits, std::less<>> limits;  // by stage: the stages that it may start
  Limits fallback;                                    // for stages that are not in `limits`
  double hello_timeout_s = 30;
  std::chrono::milliseconds grace{100};  // between SIGTERM and SIGKILL
  Supervision supervision;               // every worker runs under a supervisor
  // Processes that a request starts may keep running after its answer. Otherwise they are ended, and only those that
  // existed at the hello are kept.
  bool keeps_helpers = false;

  const Limits& LimitsOf(std::string_view stage) const;

  // True for the stages in `limits`, and for those that every reference worker has.
  bool Declares(std::string_view stage) const;

  // The time in which a whole request must end: the timeouts of all its stages together.
  double RequestTimeoutS() const;
};

// More time and memory for a large case: the limits of a stage are for ordinary cases.
struct ExtraLimits {
  double seconds = 0;     // for a stage, and for a request
  int64_t megabytes = 0;  // of the worker's resident set
};

// A whole second for each four billion operations and for each 100 MB of inputs and outputs, which is what a slow device
// needs for them, and memory for the files of the inputs and outputs and for a copy of each, up to half of this
// machine's.
ExtraLimits ExtraFor(const Case& c);

// Returns the spec of a target's worker: {bin} (the programs' folder), {root} (the project's) and {file} filled in, its
// flags, its environment and the limits of its stages.
WorkerSpec TargetWorkerSpec(const Target& target, const std::string& bin, const std::string& root);

// Returns the spec of the reference's worker, from the programs' folder. It may take ten minutes for a stage, and three
// quarters of the machine's memory: what it cannot judge is of no use, and its lack of time or memory is no fault of a
// target.
WorkerSpec ReferenceWorkerSpec(const std::string& bin);

// Widens the limits of a stage from those of a case to those of a whole model: ten times the time, and at least 16 GiB.
void WidenForModel(Limits& limits);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_SPEC_H_
