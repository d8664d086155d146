// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop rank: which cause to fix first.

#include "commands/command.h"
#include "commands/history_question.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) { return QuestionCommandLine(parent, *history::FindQuestion("rank")); }

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
