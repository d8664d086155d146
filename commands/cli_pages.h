// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a program's man page and its completion scripts for shells, from the same descriptions as its --help.
//
//   CLI::App app("Op-by-op conformance for StableHLO compilers.", "opbyop");
//   ... add verbs ...
//   AddProgramOptions(app);              // --version, --print
//   std::cout << CliPage(app, "bash");   // opbyop --print=bash
#ifndef OPBYOP_COMMANDS_CLI_PAGES_H_
#define OPBYOP_COMMANDS_CLI_PAGES_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::commands {

// Adds --version, and --print, which prints one of CliPages().
void AddProgramOptions(CLI::App& app);

// The names that CliPage() knows: "man", "bash", "zsh", "fish".
std::vector<std::string> CliPages();

// The text of one of CliPages(), or empty for any other name. Options and verbs in the hidden group are left out.
std::string CliPage(const CLI::App& app, std::string_view page);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_CLI_PAGES_H_
