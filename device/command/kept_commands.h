// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the commands of a kept case (`--keep`, `opbyop repro`), so that they can be run again without opbyop.
//
//   KeptCommands kept = KeptCommands::Begin(dir, file, target);
//   kept.Add(stage, {.input = "case.mlir", .output = "ttir.mlir", .dir = "."});
//
//   case.mlir             the program
//   commands.sh           a command for each stage, as it was run, in this folder
// environment.sh        the variables of the run's environment that commands.sh reads
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

// The name of a case's program in its folder and in diagnostics.
inline constexpr std::string_view kCaseFile = "case.mlir";

class KeptCommands {
 public:
  // Writes the first files into `dir`.
  static Expected<KeptCommands> Begin(const std::filesystem::path& dir, const std::filesystem::path& file,
                                      const Target& target);

  // Appends the command of a stage, or the opbyop-opt command that runs its pass pipeline. Running a stage again on
  // other inputs adds nothing. `values` are names in the folder.
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

// The variables that `named` holds or that compilers need (support/text/private_values.h), as `export` lines. The
// values of all other variables are removed from them.
std::string EnvironmentScript(const std::set<std::string>& named);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_KEPT_COMMANDS_H_
