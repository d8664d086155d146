// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests functions of one number on every bit pattern of its type, on a target.
//
//   ExhaustiveOptions options{.functions = FindFunctions({"tanh"}, ElementType::kF32), .target = target};
//   Expected<std::vector<FunctionResult>> results = RunExhaustively(options);
//   std::cout << ResultTable(*results);
//
// The folder then has the files of a run: manifest.yaml and cases/, one case per function with as many elements as a
// chunk, and results.jsonl, whose comparisons are over all values. It also has chunks.jsonl, from which an interrupted
// run is resumed.
#ifndef OPBYOP_COMMANDS_EXHAUST_EXHAUSTIVE_RUN_H_
#define OPBYOP_COMMANDS_EXHAUST_EXHAUSTIVE_RUN_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/exhaust/chunk_plan.h"
#include "commands/exhaust/chunk_runner.h"
#include "commands/exhaust/functions.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::exhaustive {

inline constexpr uint64_t kDefaultChunk = uint64_t{1} << 20;

struct FunctionProgress {
  const Function* function = nullptr;
  const FunctionOutcome* outcome = nullptr;
  uint64_t chunks = 0;       // of the function, to be done
  uint64_t values_done = 0;  // of all functions, including those of an earlier run
  uint64_t values_run = 0;   // those that this run did
  uint64_t values = 0;       // of all functions
};

struct ExhaustiveOptions {
  std::vector<Function> functions;
  Target target;
  std::filesystem::path output = "out/exhaustive";
  uint64_t chunk = kDefaultChunk;  // values of one execution, a power of two
  Part part;
  std::optional<uint64_t> at;  // only the chunk that has this bit pattern
  int jobs = 0;                // threads; 0: one per core
  bool fresh = false;
  std::vector<std::string> command;  // as the user typed it
  std::function<void(const FunctionProgress&)> progress = [](const FunctionProgress&) {};
};

struct FunctionResult {
  Function function;
  FunctionOutcome outcome;
  CaseRecord record;
  uint64_t values = 0;  // of the function's argument
};

// Returns one result per function, in their order. Errors: kNothingToDo if the part has no chunk; errors of starting
// the target or of writing the folder.
Expected<std::vector<FunctionResult>> RunExhaustively(const ExhaustiveOptions& options);

// A line per function: status, values, worst error and its bound, the first that fails, values per second.
std::string ResultTable(const std::vector<FunctionResult>& results);

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_EXHAUSTIVE_RUN_H_
