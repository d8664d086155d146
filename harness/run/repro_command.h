// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command that runs a row again, for whoever reads the record of it: it works in any folder where it is pasted.
//
//   const ReproCommand repro({.manifest = "out/nightly/manifest.yaml", .target = "host"});
//   repro.Of("ffnn__add_4_f32_1a2b3c4d", {"edge"});   // opbyop repro ffnn__... --run=/home/me/out/nightly
//   --target=host
//   ...
#ifndef OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_
#define OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/inputs/input_set.h"

namespace opbyop::harness {

class ReproCommand {
 public:
  // As on the run's command line; relative files are of the current folder.
  struct Run {
    std::filesystem::path manifest;
    std::filesystem::path bundle;  // empty: the run compiles itself
    std::string target;
    std::string policies;  // empty: the run's default
    uint64_t seed = 0;
  };

  explicit ReproCommand(const Run& run);

  // All policies of the run where none is to be repeated alone. A further draw of another day is no part of it.
  std::string Of(const std::string& row, const ToRepeat& repeat) const;

 private:
  Run run_;
  std::string opbyop_;
  std::string conformance_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_REPRO_COMMAND_H_
