// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command line of a question to the history, for the verbs that ask one: `history changes`, `rank`.
//
//   const Command rank = QuestionCommandLine(parent, *history::FindQuestion("rank"));
#ifndef OPBYOP_COMMANDS_HISTORY_QUESTION_H_
#define OPBYOP_COMMANDS_HISTORY_QUESTION_H_

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "commands/command.h"
#include "history/questions/questions.h"
#include "support/expected.h"

namespace opbyop::commands {

// Adds a verb that asks the question, of the stored history or of runs that --run names, and prints the answer.
Command QuestionCommandLine(CLI::App& parent, const history::Question& question);

// Sorts the runs by their start, so that each finds the one before it. Returns the error of reading a run's header.
Expected<std::vector<std::filesystem::path>> InOrder(const std::vector<std::filesystem::path>& runs);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_HISTORY_QUESTION_H_
