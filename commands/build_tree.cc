// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/build_tree.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "commands/run_child.h"
#include "support/files/file.h"
#include "support/files/file_lock.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

// The status of ninja that `./dev build` shows.
constexpr const char* kStatus = "[%f of %t steps (%p), %u left, %e s] ";

bool IsCurrent(const fs::path& program) {
  std::error_code absent;
  const fs::file_time_type built = fs::last_write_time(program, absent);
  if (absent) return false;
  return std::ranges::none_of(kSharedLibraries, [&](std::string_view name) {
    std::error_code error;
    const fs::file_time_type changed = fs::last_write_time(program.parent_path() / name, error);
    if (error || changed <= built) return false;
    // A library that the program is linked with is named in it.
    const Expected<std::string> bytes = ReadFile(program);
    return bytes && bytes->find(name) != std::string::npos;
  });
}

int Processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Runs CMake with its output on stderr, because stdout is the verb's.
Expected<void> Build(const fs::path& tree, const std::string& target) {
  ::setenv("NINJA_STATUS", kStatus, 0);
  const Expected<Exit> end = RunChild(
      {"nice", "cmake", "--build", tree.string(), "--target", target, "--parallel", std::to_string(Processors())},
      Output::kToStandardError);
  if (end && end->signal == 0 && end->code == 0) return {};
  return MakeError(ExitCode::kNoInput, fmt::format("{0} is not built, and building it failed ({1}): ./dev build {0}",
                                                   target, end ? end->Describe() : end.error().message));
}

}  // namespace

Expected<void> BuildIfNeeded(const fs::path& program) {
  const fs::path tree = program.parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(tree / "CMakeCache.txt", error) || IsCurrent(program)) return {};
  constexpr std::chrono::milliseconds kBetween(200);
  Expected<FileLock> lock = FileLock::Take(tree / ".verbs.lock", FileLock::Mode::kExclusive);
  while (!lock && lock.error().code == ExitCode::kUsage) {
    std::this_thread::sleep_for(kBetween);
    lock = FileLock::Take(tree / ".verbs.lock", FileLock::Mode::kExclusive);
  }
  if (!lock) return Unexpected(lock.error());
  if (IsCurrent(program)) return {};  // by the process that held the lock
  const std::string name = program.filename().string();
  std::fprintf(stderr, "==> building %s, which is not built yet or older than what it uses\n", name.c_str());
  if (Expected<void> built = Build(tree, name); !built) return built;
  // Ninja leaves a program as it is if the library has the same contents as before.
  fs::last_write_time(program, fs::file_time_type::clock::now(), error);
  return {};
}

}  // namespace opbyop::commands
