// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verbs of `opbyop`, one file each. A verb adds its subcommand to the app and, when that was chosen, runs and
// returns the exit code of the program.
#ifndef OPBYOP_TOOLS_COMMANDS_H_
#define OPBYOP_TOOLS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/expected.h"
#include "tools/command.h"

namespace opbyop::tools {

Command SplitCommandLine(CLI::App& parent);
Command SuiteCommandLine(CLI::App& parent);
Command CaptureCommandLine(CLI::App& parent);
Command EvalCommandLine(CLI::App& parent);
Command ExhaustCommandLine(CLI::App& parent);
Command ProfileCommandLine(CLI::App& parent);
Command TraceNanCommandLine(CLI::App& parent);
Command RunCommandLine(CLI::App& parent);
Command ReproCommandLine(CLI::App& parent);
Command ReduceCommandLine(CLI::App& parent);
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

// A chained run of every model of the manifest in `folder`, recorded in `folder`/chained/MODEL.
ExitCode ProfileManifest(const std::filesystem::path& folder, const std::string& target);

// Prints the sentence and returns its code.
ExitCode Report(const Error& error);

// Replaces this process by another program of the same folder; returns only where that fails.
ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments);

// Replaces this process by a Python program of the project, a file below its folder.
ExitCode ExecutePython(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace opbyop::tools

#endif  // OPBYOP_TOOLS_COMMANDS_H_
