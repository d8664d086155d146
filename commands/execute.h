// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a verb ends: with the sentence of an error, or by becoming another program.
//
//   if (!manifest) return Report(manifest.error());
//   return ExecuteSibling("conformance", {"--manifest=out/manifest.yaml"});
#ifndef OPBYOP_COMMANDS_EXECUTE_H_
#define OPBYOP_COMMANDS_EXECUTE_H_

#include <string>
#include <vector>

#include "support/expected.h"

namespace opbyop::commands {

// Prints the sentence and returns its code.
ExitCode Report(const Error& error);

// Replaces this process by another program of the same folder; returns only where that fails.
ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments);

// Replaces this process by a Python program of the project, a file below its folder.
ExitCode ExecutePython(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_EXECUTE_H_
