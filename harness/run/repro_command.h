// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command that runs a row again, for a reader of its record. It works in any folder.
//
//   const ReproCommand repro({.manifest = "out/nightly/manifest.yaml", .target = "host"});
//   // opbyop repro ffnn__add_4_f32_1a2b3c4d --run=/home/me/out/nightly --target=host ...
//   repro.Of("ffnn__add_4_f32_1a2b3c4d", {"edge"});
#ifndef OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_
#define OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/inputs/input_set.h"

namespace opbyop::harness {

class ReproCommand {
 public:
  // Values as on the run's command line. Relative paths are relative to the current folder.
  struct Run {
    std::filesystem::path manifest;
    std::filesystem::path bundle;  // empty: the run compiles its cases
    std::string target;
    std::string policies;               // empty: the default policies
    std::vector<std::string> meanings;  // files of --meaning
    uint64_t seed = 0;
    bool allow_other_version = false;  // a bundle may be executed by another version than compiled it
  };

  explicit ReproCommand(const Run& run);

  // Names all policies of the run unless `repeat` names one. Never repeats a further draw of another day.
  std::string Of(const std::string& row, const ReproOptions& repeat) const;

 private:
  Run run_;
  std::string opbyop_;
  std::string conformance_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_
