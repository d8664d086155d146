// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/kept_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "support/file.h"
#include "support/pattern.h"
#include "support/shell_quote.h"

namespace opbyop::command {
namespace {

namespace fs = std::filesystem;

std::string CommandOf(const Stage& stage, const Placeholders& values) {
  if (stage.command.empty()) {
    return ShellCommand(
        {values.bin + "/opbyop-opt", "--pass-pipeline=" + stage.pipeline, values.input, "-o", values.output});
  }
  std::string text;
  for (const auto& [name, value] : stage.environment) {
    text += fmt::format("{}={} ", name, ShellQuote(Expand(value, values)));
  }
  return text + ShellCommand(Expand(stage.command, values));
}

}  // namespace

std::string EnvironmentScript() {
  static const Pattern hidden = *Pattern::Compile(
      "(?i)token|secret|passw|credential|auth|key|cookie|session|proxy|^(OPBYOP_|SSH_)|^(_|PWD|OLDPWD|SHLVL|TMPDIR)$");
  static const Pattern name_of_shell = *Pattern::Compile("^[A-Za-z_][A-Za-z0-9_]*$");
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = std::min(text.find('='), text.size() - 1);
    const std::string_view name = text.substr(0, equals);
    if (name_of_shell.IsFoundIn(name) && !hidden.IsFoundIn(name))
      variables[std::string(name)] = text.substr(equals + 1);
  }
  std::string script;
  for (const auto& [name, value] : variables) script += fmt::format("export {}={}\n", name, ShellQuote(value));
  return script;
}

Expected<KeptCommands> KeptCommands::Begin(const fs::path& dir, const fs::path& file, const Target& target) {
  KeptCommands kept;
  kept.dir_ = dir;
  std::error_code error;
  fs::copy_file(file, dir / kCaseFile, fs::copy_options::overwrite_existing, error);
  if (error) return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", (dir / kCaseFile).string(), error.message()));
  if (const Expected<void> done = WriteFile(dir / "environment.sh", EnvironmentScript()); !done) {
    return Unexpected(done.error());
  }
  kept.script_ = fmt::format(
      "#!/bin/sh\n"
      "# The commands of {}, target {}, on {}: the same program, in this folder.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      ". ./environment.sh\n",
      file.filename().string(), target.name, kCaseFile);
  return kept;
}

Expected<void> KeptCommands::Add(const Stage& stage, const Placeholders& values) {
  const auto known = std::ranges::find(stages_, stage.name);
  last_ = static_cast<size_t>(known - stages_.begin());
  if (known != stages_.end()) return {};
  stages_.push_back(stage.name);
  script_ += fmt::format("\necho {} >&2\n{}\n", ShellQuote("stage " + stage.name), CommandOf(stage, values));
  const fs::path path = dir_ / "commands.sh";
  if (const Expected<void> done = WriteFile(path, script_); !done) return done;
  std::error_code error;
  fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, error);
  return {};
}

fs::path KeptCommands::LogFile() const { return dir_ / fmt::format("{}_{}.log", last_, stages_.at(last_)); }

}  // namespace opbyop::command
