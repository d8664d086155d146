// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stays of the commands of a case that is kept (`--keep`, `opbyop repro`), for whoever runs them without opbyop:
//
//   KeptCommands kept = KeptCommands::Begin(dir, file, target);
//   kept.Add(stage, {.input = "case.mlir", .output = "ttir.mlir", .dir = "."});
//
//   case.mlir             the program
//   commands.sh           a command for each stage, as it was run, in this folder
//   environment.sh        what commands.sh reads of the environment of the run
//   stages.json           the same commands for programs: [{"stage": .., "argv": [..], "environment": {..}}]
//   <k>_<stage>.log       all that a stage printed
#ifndef OPBYOP_DEVICE_COMMAND_KEPT_COMMANDS_H_
#define OPBYOP_DEVICE_COMMAND_KEPT_COMMANDS_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/command/placeholders.h"
#include "manifests/targets/target.h"
#include "support/expected.h"
#include "support/text/private_values.h"

namespace opbyop::command {

// What the program of a case is called in its folder and in diagnostics.
inline constexpr std::string_view kCaseFile = "case.mlir";

class KeptCommands {
 public:
  // Writes the first files into `dir`.
  static Expected<KeptCommands> Begin(const std::filesystem::path& dir, const std::filesystem::path& file,
                                      const Target& target);

  // Appends the command of a stage, or of the pass pipeline that stands for one. A stage that is run again, on other
  // inputs, stays the one that it is. `values` are names in the folder.
  Expected<void> Add(const Stage& stage, const Placeholders& values);

  // The log of the stage that was added last.
  std::filesystem::path LogFile() const;

 private:
  std::filesystem::path dir_;
  PrivateValues private_values_;
  nlohmann::json commands_ = nlohmann::json::array();
  std::vector<std::string> stages_;
  size_t last_ = 0;
  std::string script_;
};

// As `export` lines the variables that `named` holds or that compilers need (support/text/private_values.h), without
// the values of all others.
std::string EnvironmentScript(const std::set<std::string>& named);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_KEPT_COMMANDS_H_
