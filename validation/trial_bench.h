// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs one case under one policy, step by step through the worker protocol, for code that works between the steps.
//
//   TrialBench bench(manifest_folder, device);
//   if (Expected<void> ready = bench.Start(); !ready) ...
//   Trial trial{c, policy, dir};
//   Answer inputs = bench.Inputs(trial);           // input_<i>.npy in dir, their digests in the trial
//   CaseRecord compiled = bench.Compile(trial);
//   CaseRecord executed = bench.Execute(trial);    // output_<i>.npy in dir
//   CaseRecord judged = bench.Compare(trial);      // by the verdict of the harness
#ifndef OPBYOP_VALIDATION_TRIAL_BENCH_H_
#define OPBYOP_VALIDATION_TRIAL_BENCH_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/input_set.h"
#include "harness/worker/target_client.h"
#include "harness/worker/worker.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop {

// The target's worker with long time limits, for a machine that may be busy: only a worker that hangs is given up.
harness::WorkerSpec PatientTargetWorker(const Target& target);

struct Trial {
  const Case& c;
  const harness::RunPolicy& policy;
  std::filesystem::path dir;  // created if it is missing
  std::vector<std::string> input_digests = {};

  std::filesystem::path OutputFile(size_t i) const;
};

class TrialBench {
 public:
  // The workers have long time limits (PatientTargetWorker).
  TrialBench(std::filesystem::path manifest_folder, const Target& device);

  // Starts both workers, unless they are running.
  Expected<void> Start();
  bool Ready() { return device_.Ready() && reference_.Ready(); }

  harness::Answer Inputs(Trial& trial);
  CaseRecord Compile(const Trial& trial);
  CaseRecord Execute(const Trial& trial);
  CaseRecord Compare(const Trial& trial);

 private:
  protocol::Request RequestOf(const Trial& trial, protocol::Verb verb) const;

  std::filesystem::path folder_;
  harness::TargetClient device_;
  harness::Worker reference_;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_TRIAL_BENCH_H_
