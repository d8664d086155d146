// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows a chained run on the console, for the verbs that make one: `profile MODEL` and `run DIR --mode=chained`.
//
//   return ProfileAndReport(options, 10);
#ifndef OPBYOP_COMMANDS_PROFILE_CONSOLE_H_
#define OPBYOP_COMMANDS_PROFILE_CONSOLE_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "chained/profile_run.h"
#include "support/expected.h"

namespace opbyop::commands {

// Runs the model, or with `estimate` asks the target's compiler for times. Prints the `count` slowest operators, the
// failures, and where the files are.
ExitCode ProfileAndReport(chained::ProfileOptions options, size_t count, bool estimate = false);

// Makes a chained run of every model of the manifest in `folder`, recorded in `folder`/chained/MODEL.
ExitCode ProfileManifest(const std::filesystem::path& folder, const std::string& target);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_PROFILE_CONSOLE_H_
