// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop reduce`: reduces a row, or a model, of a folder on a target.
//
//   Expected<Reduction> done = ReduceRow({.row = "bert__tanh_4_f32_1a2b3c4d", .run = "out/nightly", .target = "iree",
//                                         .output = "out/reduce"});
//
// The output has `original/` and `reduced/`, each a folder that `opbyop run` and `repro` take; `reduced/reduction.json`
// describes the latter. At any moment `reduced/` has the best program so far.
#ifndef OPBYOP_COMMANDS_REDUCE_REDUCE_COMMAND_H_
#define OPBYOP_COMMANDS_REDUCE_REDUCE_COMMAND_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reduction/reducer.h"

namespace opbyop::reduction {

inline constexpr std::string_view kReductionSchema = "opbyop-reduction/1";
inline constexpr std::string_view kReducedFolder = "reduced";
inline constexpr std::string_view kOriginalFolder = "original";

struct ReduceOptions {
  std::string row;            // <model>__<case id>, a case id, or a model, which is then reduced as a whole
  std::filesystem::path run;  // folder with manifest.yaml
  std::string target;         // name or file
  std::string policy;         // empty: that of the results in `run` on this target, or else the default ones
  bool chained = false;       // uses the operands with which it failed, from `run`/chained/<model>/wrong
  std::optional<uint64_t> seed;
  std::filesystem::path output;
  std::chrono::seconds time_limit{300};
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct ReducedRow {
  Reduction reduction;
  std::string row;
  std::filesystem::path program;  // the text
  std::string repro;              // a command
};

Expected<ReducedRow> ReduceRow(const ReduceOptions& options);

}  // namespace opbyop::reduction

#endif  // OPBYOP_COMMANDS_REDUCE_REDUCE_COMMAND_H_
