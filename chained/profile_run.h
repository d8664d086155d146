// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs one model on one target op by op, and records the run.
//
//   Expected<ProfileResult> result = ProfileModel({.model = source, .target = target, .output = "out/profile/ffnn"});
//   // out/profile/ffnn/optrace.ndjson, out/profile/ffnn/cases/*.mlir
#ifndef OPBYOP_CHAINED_PROFILE_RUN_H_
#define OPBYOP_CHAINED_PROFILE_RUN_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chained/chain.h"
#include "generator/split/model_list.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "protocol/worker_server.h"
#include "support/expected.h"

namespace opbyop::chained {

// The folder, next to the trace, of the operands on which ops were wrong, in the form that `opbyop capture` writes.
inline constexpr std::string_view kWrongOperands = "wrong";

struct ProfileOptions {
  generator::ModelSource model;
  Target target;
  std::filesystem::path output;
  std::filesystem::path cases;  // empty: `output`/cases
  // The function to profile, main if empty, and the shapes of its arguments, "x=4x8xf32", as for `opbyop split`.
  // Ignored if there is a manifest, which has both.
  std::string entry;
  std::vector<std::string> shapes;
  // Lists `model` by name: the model is then split with the options of the manifest, and its cases have the manifest's
  // ids. May be null.
  const Manifest* manifest = nullptr;
  std::vector<std::string> command;
  double max_executions = 1e6;  // of ops; a program that executes more is unsupported
  uint64_t seed = 0;
  protocol::Repeat repeat = {.min = 3, .max = 1000, .budget_ms = 50, .warmup = 1, .relative_error = 0.02};
  int64_t iterations = 1;   // passes over the whole model
  bool compare = true;      // in the first of them
  bool overlap = false;     // while an op runs, transfers the next op's inputs and, if possible, runs it
  bool whole_model = true;  // also runs the model in one piece, for its time and its outputs
  double peak_gflops = 0;   // of the device; 0: measured if the device is this machine, else not known
  double peak_gb_per_s = 0;
  size_t shown_elements = 64;
  std::function<void(const std::string&)> say;         // called with a line for each step that starts; may be empty
  std::function<void(const ChainProgress&)> progress;  // called often; may be empty
  // If this becomes true, the run ends before the next op and finishes the trace. May be null.
  const std::atomic<bool>* stop = nullptr;
};

struct ProfileResult {
  std::filesystem::path trace;
  std::map<std::string, int64_t> totals;  // ops by status
  std::optional<CaseRecord> whole;        // the verdict on the model in one piece, if it was run
  bool complete = false;                  // whether the run reached the program's end
  std::string diagnostic;                 // why it did not reach it
};

// Returns an error if nothing could be recorded. A run that stops early leaves its trace, with the reason as a warning.
Expected<ProfileResult> ProfileModel(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROFILE_RUN_H_
