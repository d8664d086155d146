// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a target's preflight program once, before the first case. It checks what all cases depend on, so that no op is
// blamed for a fault there.
//
//   Expected<std::string> said = RunPreflight(target.preflight, spec, {.limit = ..., .out = "out/nightly"});
//
// If the program exits with 0 or 1 the run continues, and the last line of its output is shown before the rows. With 3
// the worker must report what is absent. Any other end stops the run with that line, before any row.
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
  std::filesystem::path file;  // the target's file, for {file}
  std::filesystem::path out;   // the results' folder, for {out}
};

// Fills {bin}, {root}, {file} and {out} in `argv`. The program has the environment and the restrictions of the target's
// worker, which are in `spec`. Returns the line to show.
Expected<std::string> RunPreflight(const std::vector<std::string>& argv, const WorkerSpec& spec,
                                   const PreflightOptions& options);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_PREFLIGHT_H_
