// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows a chained run on the console: `profile MODEL`, and `profile DIR`, which `run DIR --mode=chained` becomes.
//
//   return ProfileAndReport(options, 10);
#ifndef OPBYOP_COMMANDS_PROFILE_PROFILE_CONSOLE_H_
#define OPBYOP_COMMANDS_PROFILE_PROFILE_CONSOLE_H_

#include <cstddef>
#include <filesystem>
#include <string>

#include "chained/profile_run.h"
#include "support/expected.h"

namespace opbyop::commands {

// Runs the model, or with `estimate` asks the target's compiler for times. Prints the `count` slowest operators, the
// failures, and where the files are.
ExitCode ProfileAndReport(chained::ProfileOptions options, size_t count, bool estimate = false);

// Makes a chained run of every model of the manifest in `folder`, recorded in `folder`/chained/MODEL. `options` lacks the
// model and the output.
ExitCode ProfileManifest(const std::filesystem::path& folder, const chained::ProfileOptions& options, size_t count);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_PROFILE_PROFILE_CONSOLE_H_
