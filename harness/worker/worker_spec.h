// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a worker is started with, and what its stages may take.
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

#include "manifests/targets/target.h"
#include "support/process/process.h"

namespace opbyop::harness {

struct WorkerSpec {
  std::string role;  // what its hello must say
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::map<std::string, Limits, std::less<>> limits;  // by stage: those that it may begin
  Limits fallback;                                    // of stages not named there
  double hello_timeout_s = 30;
  std::chrono::milliseconds grace{100};  // between SIGTERM and SIGKILL
  Supervision supervision;               // every worker runs below a supervisor
  // What a request starts may go on running when it is answered. Otherwise it is ended, and only what was there at the
  // hello stays.
  bool keeps_helpers = false;

  const Limits& LimitsOf(std::string_view stage) const;

  // True for the stages in `limits`, and for those that every reference worker has.
  bool Declares(std::string_view stage) const;

  // Within what a whole request must end: the time of all its stages together.
  double RequestTimeoutS() const;
};

// What starts a target's worker: {bin} (the programs' folder), {root} (the project's) and {file} filled in, its flags,
// its environment and the limits of its stages.
WorkerSpec TargetWorkerSpec(const Target& target, const std::string& bin, const std::string& root);

// What starts the reference's worker, from the programs' folder.
WorkerSpec ReferenceWorkerSpec(const std::string& bin);

// Limits of a case's stage as those of a whole model's, which is some hundred times a case.
void WidenForModel(Limits& limits);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_SPEC_H_
