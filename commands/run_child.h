// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a program to its end, with the files and the terminal of this process.
//
//   const Expected<Exit> end = RunChild({"cmake", "--build", "build"}, Output::kToStandardError);
#ifndef OPBYOP_COMMANDS_RUN_CHILD_H_
#define OPBYOP_COMMANDS_RUN_CHILD_H_

#include <string>
#include <vector>

#include "support/expected.h"
#include "support/process/exit.h"

namespace opbyop::commands {

enum class Output { kAsIs, kToStandardError };

// words[0] is looked up in PATH. Returns kNoInput if it cannot be started.
Expected<Exit> RunChild(std::vector<std::string> words, Output output = Output::kAsIs);

// The words as exec takes them: pointers into `words`, and a null pointer at the end.
std::vector<char*> ArgumentsOf(std::vector<std::string>& words);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_RUN_CHILD_H_
