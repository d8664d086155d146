// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program that a target names to be run once, before the first case: it finds out whether what all cases go through
// works, so that no op is blamed for it.
//
//   Expected<std::string> said = RunPreflight(target.preflight, spec, {.limit = ..., .out = "out/nightly"});
//
// It ends with 0 or 1 where the run is to go on, and the last line of its output is shown before the rows; with 3 where
// it leaves to the worker to say what is absent. All else ends the run with that line, and no row is run.
#ifndef OPBYOP_HARNESS_WORKER_PREFLIGHT_H_
#define OPBYOP_HARNESS_WORKER_PREFLIGHT_H_

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/worker/worker_spec.h"
#include "support/expected.h"

namespace opbyop::harness {

struct PreflightOptions {
  std::chrono::milliseconds limit = std::chrono::minutes(10);
  std::filesystem::path file;  // the target's, for {file}
  std::filesystem::path out;   // the results' folder, for {out}
};

// `argv` with {bin}, {root}, {file} and {out}, restricted as the target's worker, whose environment `spec` has.
Expected<std::string> RunPreflight(const std::vector<std::string>& argv, const WorkerSpec& spec,
                                   const PreflightOptions& options);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_PREFLIGHT_H_
