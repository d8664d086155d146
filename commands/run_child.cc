// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/run_child.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace opbyop::commands {

std::vector<char*> ArgumentsOf(std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

Expected<Exit> RunChild(std::vector<std::string> words, Output output) {
  std::cout.flush();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (output == Output::kToStandardError) {
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  // If this process ignored the ends of children, they could not be waited for.
  void (*const before)(int) = ::signal(SIGCHLD, SIG_DFL);
  pid_t pid = 0;
  const std::vector<char*> argv = ArgumentsOf(words);
  const int failed = ::posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (failed == 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ::signal(SIGCHLD, before);
  if (failed == 0) return ExitOf(status);
  return MakeError(ExitCode::kNoInput, fmt::format("{} cannot be started: {}", words.front(), strerror(failed)));
}

}  // namespace opbyop::commands
