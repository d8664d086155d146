// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ends a verb: with the message of an error, or by becoming another program.
//
//   if (!manifest) return Report(manifest.error());
//   return ExecuteSibling("conformance", {"--manifest=out/manifest.yaml"});
#ifndef OPBYOP_COMMANDS_EXECUTE_H_
#define OPBYOP_COMMANDS_EXECUTE_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::commands {

// Prints the error's message and returns its exit code.
ExitCode Report(const Error& error);

// Replaces this process by the program of a verb, which gets these words: {"opbyop", "split", "ffnn.mlirbc"}. Returns
// only if that fails.
ExitCode BecomeVerb(std::string_view verb, char** argv);

// Replaces this process by another program of the same folder; returns only if that fails. In a build tree, the program
// is built if it must be.
ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments);

// Runs another program of the same folder to its end, and returns its exit code.
ExitCode RunSibling(const std::string& program, std::vector<std::string> arguments);

// Replaces this process by a Python program of the project; `file` is below the project's folder.
ExitCode ExecutePython(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_EXECUTE_H_
