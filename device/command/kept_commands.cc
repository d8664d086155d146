// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/kept_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "manifests/runs/private_text.h"
#include "support/files/file.h"
#include "support/text/pattern.h"
#include "support/text/shell_quote.h"

namespace opbyop::command {
namespace {

namespace fs = std::filesystem;

// A command in the form in which it is run.
struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;

  // Uses `env`, because a variable's name may be one that no shell can assign to.
  std::string Text() const {
    if (environment.empty()) return ShellCommand(argv);
    std::vector<std::string> words = {"env"};
    for (const auto& [name, value] : environment) words.push_back(name + "=" + value);
    words.insert(words.end(), argv.begin(), argv.end());
    return ShellCommand(words);
  }
};

Command CommandOf(const Stage& stage, const Placeholders& values, const PrivateValues& hidden) {
  Command command;
  command.argv = stage.command.empty()
                     ? std::vector<std::string>{values.bin + "/opbyop-opt", "--pass-pipeline=" + stage.pipeline,
                                                values.input, "-o", values.output}
                     : Expand(stage.command, values);
  for (std::string& word : command.argv) hidden.HideIn(word);
  if (stage.command.empty()) return command;
  for (const auto& [name, value] : stage.environment) command.environment[name] = hidden.Hide(Expand(value, values));
  return command;
}

}  // namespace

std::string EnvironmentScript(const std::set<std::string>& named) {
  static const Pattern name_of_shell = *Pattern::Compile("^[A-Za-z_][A-Za-z0-9_]*$");
  const PrivateValues hidden = PrivateValues::OfThisProgram(named);
  std::string script;
  for (const auto& [name, value] : EnvironmentOfThisProgram()) {
    const bool shown = IsShown(name) || named.contains(name);
    if (shown && name_of_shell.IsFoundIn(name))
      script += fmt::format("export {}={}\n", name, ShellQuote(hidden.Hide(value)));
  }
  return script;
}

Expected<KeptCommands> KeptCommands::Begin(const fs::path& dir, const fs::path& file, const Target& target) {
  KeptCommands kept;
  kept.dir_ = dir;
  std::error_code error;
  fs::copy_file(file, dir / kCaseFile, fs::copy_options::overwrite_existing, error);
  if (error) return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", (dir / kCaseFile).string(), error.message()));
  const std::set<std::string> named = VariablesNamedBy(target.path);
  kept.private_values_ = PrivateValues::OfThisProgram(named);
  if (const Expected<void> done = WriteFile(dir / "environment.sh", EnvironmentScript(named)); !done) {
    return Unexpected(done.error());
  }
  kept.script_ = fmt::format(
      "#!/bin/sh\n"
      "# The commands of {}, target {}, on {}: the same program, in this folder.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      ". ./environment.sh\n",
      ShellComment(file.filename().string()), ShellComment(target.name), kCaseFile);
  return kept;
}

Expected<void> KeptCommands::Add(const Stage& stage, const Placeholders& values) {
  const auto known = std::ranges::find(stages_, stage.name);
  last_ = static_cast<size_t>(known - stages_.begin());
  if (known != stages_.end()) return {};
  stages_.push_back(stage.name);
  const Command command = CommandOf(stage, values, private_values_);
  script_ += fmt::format("\necho {} >&2\n{}\n", ShellQuote("stage " + stage.name), command.Text());
  commands_.push_back({{"stage", stage.name}, {"argv", command.argv}, {"environment", command.environment}});
  const std::string json = commands_.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (const Expected<void> done = WriteFile(dir_ / "stages.json", json); !done) return done;
  const fs::path path = dir_ / "commands.sh";
  if (const Expected<void> done = WriteFile(path, script_); !done) return done;
  std::error_code error;
  fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, error);
  return {};
}

fs::path KeptCommands::LogFile() const { return dir_ / fmt::format("{}_{}.log", last_, stages_.at(last_)); }

}  // namespace opbyop::command
