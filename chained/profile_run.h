// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One chained run of one model on one target, recorded.
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

// Beside the trace: what `opbyop capture` would store, of the ops that were wrong and on what they were so.
inline constexpr std::string_view kWrongOperands = "wrong";

struct ProfileOptions {
  generator::ModelSource model;
  Target target;
  std::filesystem::path output;
  std::filesystem::path cases;         // empty: `output`/cases
  std::string entry;                   // function to profile; empty: main. As for `split`; a manifest says its own
  std::vector<std::string> shapes;     // of its arguments, "x=4x8xf32"; likewise
  const Manifest* manifest = nullptr;  // of which `model` is one, by name: it is run as it was split, under these ids
  std::vector<std::string> command;
  double max_executions = 1e6;  // of ops; a program that executes more is unsupported
  uint64_t seed = 0;
  protocol::Repeat repeat = {.min = 3, .max = 1000, .budget_ms = 50, .warmup = 1, .relative_error = 0.02};
  int64_t iterations = 1;   // passes over the whole model
  bool compare = true;      // in the first of them
  bool overlap = false;     // the next op's transfers, and where it can be its run, beside the current one
  bool whole_model = true;  // also run the model in one piece, for its time and its outputs
  double peak_gflops = 0;   // of the device; 0: measured where the device is this machine, else not known
  double peak_gb_per_s = 0;
  size_t shown_elements = 64;
  std::function<void(const std::string&)> say;         // what is begun, a line at a time; may be empty
  std::function<void(const ChainProgress&)> progress;  // how far it is, often; may be empty
  const std::atomic<bool>* stop = nullptr;             // set: it ends before the next op, and the trace is finished
};

struct ProfileResult {
  std::filesystem::path trace;
  std::map<std::string, int64_t> totals;  // ops by status
  std::optional<CaseRecord> whole;        // how the model in one piece ended, where it was run
  bool complete = false;                  // the run came to the program's end
  std::string diagnostic;                 // why it did not
};

// An error where nothing could be recorded. A run that stops half-way leaves its trace, with the reason as a warning.
Expected<ProfileResult> ProfileModel(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROFILE_RUN_H_
