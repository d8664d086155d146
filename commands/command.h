// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A verb of a program on the command line, the main() of programs that consist of verbs, and that of a verb of `opbyop`,
// which is a program of its own: `opbyop split` becomes opbyop-split, with the same arguments.
//
//   Command CommandLine(CLI::App& parent) { ... AddVerb(parent, "split", ...) ... }
//   int main(int argc, char** argv) { return VerbMain(CommandLine, argc, argv); }
#ifndef OPBYOP_COMMANDS_COMMAND_H_
#define OPBYOP_COMMANDS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expected.h"
#include "support/process/reading_child.h"

namespace opbyop::commands {

struct Command {
  CLI::App* app;  // owned by the parent
  std::function<ExitCode()> run;
};

// Adds a verb; its help ends with the example, a whole command line.
CLI::App* AddVerb(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& example);

// Adds an option whose value is one of the names of `choices`. The help shows the names, and the default by its name.
template <class T>
CLI::Option* AddChoice(CLI::App& app, const std::string& name, T& value,
                       const std::vector<std::pair<std::string, T>>& choices, const std::string& text) {
  std::string names, usual;
  for (const auto& [choice, meaning] : choices) {
    names += (names.empty() ? "" : "|") + choice;
    if (meaning == value) usual = choice;
  }
  const auto set = [&value, choices, name, names](const std::string& word) {
    for (const auto& [choice, meaning] : choices) {
      if (choice == word) {
        value = meaning;
        return;
      }
    }
    throw CLI::ValidationError(name, "'" + word + "' is not one of " + names);
  };
  return app.add_option_function<std::string>(name, set, text)->type_name(names)->default_str(usual);
}

// Adds the options that raise the limits for reading one program. The result is valid as long as the app.
std::shared_ptr<const ReadingLimits> AddReadingLimits(CLI::App& app);

// Adds --shape of the verbs that run one model: a shape for each dynamic argument.
void AddShapeOption(CLI::App& app, std::vector<std::string>& shapes);

// Adds --keep-constants, which sets `vary` to false, and the former option --vary-constants, which is the default.
void AddConstantsFlags(CLI::App& app, bool& vary, const std::string& text);

// Does the work in a ReadingChild, and prints a sentence if the child dies while it reads. Returns the exit code.
ExitCode WorkInReadingChild(const ReadingLimits& limits, const std::function<ExitCode()>& work);

// Makes a verb do its work in a ReadingChild, because the program that it reads may be untrusted.
Command InReadingChild(Command command);

// Makes the programs that this one starts read by these limits.
void PassOn(const ReadingLimits& limits);

// Parses the arguments and runs the verb that they name; returns the exit code of main().
// `add_others` adds verbs that other programs have, for the message that names the verb that an unknown word may mean.
int RunVerb(CLI::App& app, std::span<const Command> commands, int argc, char** argv,
            const std::function<void(CLI::App&)>& add_others = nullptr);

inline constexpr const char* kOpbyop = "opbyop";
inline constexpr const char* kOpbyopText = "Op-by-op conformance for StableHLO compilers.";

// The words that name a verb: "opbyop history import".
std::string FullName(const CLI::App& verb);

// The program of a verb of `opbyop`: "opbyop-split".
std::string ProgramOf(std::string_view verb);

// The main() of such a program. argv are the words of `opbyop VERB ...`, or begin with the program's own name. The
// program also prints its help page (commands/help_page.h): `opbyop-VERB --help-page`.
int VerbMain(Command (*command_line)(CLI::App& parent), int argc, char** argv);

// The command that the user typed for this verb: {"opbyop", "profile", "ffnn.mlirbc", "--iterations", "3"}. Positional
// arguments come first, then options by their long names, in the order of the help, without those that have their
// default.
std::vector<std::string> TypedCommand(const CLI::App& verb);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_COMMAND_H_
