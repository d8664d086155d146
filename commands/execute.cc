// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/execute.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

// The words as exec takes them: pointers into `words`, and a null pointer at the end.
std::vector<char*> ArgumentsOf(std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

ExitCode Report(const Error& error) {
  std::cerr << "opbyop: " << error.message << '\n';
  return error.code;
}

ExitCode ExecuteSibling(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {(ProgramFolder() / program).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::cout.flush();
  execv(words.front().c_str(), ArgumentsOf(words).data());
  return Report(
      {ExitCode::kNoInput, fmt::format("{}: cannot be started: {}: is it built?", words.front(), strerror(errno))});
}

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
