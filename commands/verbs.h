// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs of `opbyop`, a folder each. A verb adds its subcommand to the app. If the user typed it, the verb runs and
// returns the program's exit code.
//
//   const std::vector<Command> commands = {SplitCommandLine(app), SuiteCommandLine(app)};   // in the order of the help
#ifndef OPBYOP_COMMANDS_VERBS_H_
#define OPBYOP_COMMANDS_VERBS_H_

#include <CLI/CLI.hpp>

#include "commands/command.h"

namespace opbyop::commands {

Command SplitCommandLine(CLI::App& parent);
Command SuiteCommandLine(CLI::App& parent);
Command CaptureCommandLine(CLI::App& parent);
Command EvalCommandLine(CLI::App& parent);
Command ExhaustCommandLine(CLI::App& parent);
Command ProfileCommandLine(CLI::App& parent);
Command TraceNanCommandLine(CLI::App& parent);
Command RunCommandLine(CLI::App& parent);
Command KeepAttributesCommandLine(CLI::App& parent);
Command ReproCommandLine(CLI::App& parent);
Command ReduceCommandLine(CLI::App& parent);
Command LocateCommandLine(CLI::App& parent);
Command BundleCommandLine(CLI::App& parent);
Command RedactCommandLine(CLI::App& parent);
Command BisectCommandLine(CLI::App& parent);
Command MergeCommandLine(CLI::App& parent);
Command ReportCommandLine(CLI::App& parent);
Command BaselineCommandLine(CLI::App& parent);
Command DiffCommandLine(CLI::App& parent);
Command HistoryCommandLine(CLI::App& parent);
Command RankCommandLine(CLI::App& parent);
Command DoctorCommandLine(CLI::App& parent);
Command SetupCommandLine(CLI::App& parent);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_VERBS_H_
