// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/execute.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "commands/build_tree.h"
#include "commands/command.h"
#include "commands/run_child.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

ExitCode Become(const std::filesystem::path& program, char** argv) {
  if (const Expected<void> built = BuildIfNeeded(program); !built) return Report(built.error());
  std::cout.flush();
  execv(program.c_str(), argv);
  return Report(
      {ExitCode::kNoInput, fmt::format("{}: cannot be started: {}: is it built?", program.string(), strerror(errno))});
}

}  // namespace

ExitCode Report(const Error& error) {
  std::cerr << "opbyop: " << error.message << '\n';
  return error.code;
}

ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {(ProgramFolder() / program).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Become(words.front(), ArgumentsOf(words).data());
}

ExitCode RunSibling(const std::string& program, std::vector<std::string> arguments) {
  const std::filesystem::path file = ProgramFolder() / program;
  arguments.insert(arguments.begin(), file.string());
  Expected<void> built = BuildIfNeeded(file);
  const Expected<Exit> end = built ? RunChild(std::move(arguments)) : Unexpected(built.error());
  if (!end) return Report(end.error());
  if (end->signal == 0) return static_cast<ExitCode>(end->code);
  return Report({ExitCode::kInternal, fmt::format("{}: {}", file.string(), end->Describe())});
}

ExitCode BecomeVerb(std::string_view verb, char** argv) { return Become(ProgramFolder() / ProgramOf(verb), argv); }

ExitCode ExecutePython(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"python3", (ProjectFolder() / file).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::cout.flush();
  // Python would store compiled modules next to the scripts, which only root can write, and which they would outlive.
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  execvp(words.front().c_str(), ArgumentsOf(words).data());
  return Report({ExitCode::kNoInput, fmt::format("python3 cannot be started: {}: is it installed?", strerror(errno))});
}

}  // namespace opbyop::commands
