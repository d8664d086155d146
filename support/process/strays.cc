// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/strays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "support/process/process_tree.h"
#include "support/text/safe_text.h"

namespace opbyop {
namespace {

constexpr size_t kMostCommands = 8;
constexpr size_t kLongestCommand = 120;

struct State {
  uint64_t start = 0;    // in ticks since the machine was started
  bool running = false;  // false if it has ended and nobody has waited for it
};

// Returns nullopt if there is no such process.
std::optional<State> StateOf(pid_t pid) {
  const std::string text = ReadProcFile(fmt::format("/proc/{}/stat", pid));
  // The name is in parentheses and may contain any characters.
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end + 1));
  std::string letter, skipped;
  int64_t threads = 0;
  State state;
  fields >> letter;
  constexpr int kBetweenStateAndThreads = 16;
  for (int i = 0; i < kBetweenStateAndThreads; ++i) fields >> skipped;
  fields >> threads >> skipped >> state.start;
  if (!fields) return std::nullopt;
  // A process whose first thread has exited is shown as ended while its other threads run.
  state.running = (letter != "Z" && letter != "X") || threads > 1;
  return state;
}

std::string CommandOf(pid_t pid) {
  std::string text = ReadProcFile(fmt::format("/proc/{}/cmdline", pid));
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  if (text.empty()) text = ReadProcFile(fmt::format("/proc/{}/comm", pid));
  while (text.ends_with('\n')) text.pop_back();
  return SafeLine(text.substr(0, 4 * kLongestCommand), kLongestCommand);
}

// Kills the process that started then, but not one that has got its id since.
void Kill(pid_t pid, uint64_t start) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  const std::optional<State> state = StateOf(pid);
  if (state && state->start == start) {
    // On a kernel without pidfds (before 5.3), only the id can be used.
    if (fd < 0 || ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0) != 0) ::kill(pid, SIGKILL);
  }
  if (fd >= 0) ::close(fd);
}

}  // namespace

std::string Describe(const EndedStrays& ended) {
  if (ended.count == 0) return "";
  constexpr size_t kNamed = 3;
  std::vector<std::string> named(ended.commands.begin(),
                                 ended.commands.begin() + std::min(ended.commands.size(), kNamed));
  if (ended.count > named.size()) named.emplace_back("...");
  return fmt::format("{} process{}: {}", ended.count, ended.count == 1 ? "" : "es", fmt::join(named, ", "));
}

Strays::Strays(pid_t ancestor) : ancestor_(ancestor) {
  for (const pid_t pid : DescendantsOf(ancestor)) {
    if (const std::optional<State> state = StateOf(pid)) own_.emplace(pid, state->start);
  }
}

// If a process ends while the tree is walked, its children move to an ancestor whose children were read already. The
// ancestor's children are therefore read once more at the end.
std::vector<pid_t> Strays::Others() const {
  std::vector<pid_t> found = DescendantsOf(ancestor_);
  for (const pid_t pid : ChildrenOf(ancestor_)) {
    if (std::ranges::find(found, pid) == found.end()) found.push_back(pid);
  }
  return found;
}

// A shortcut, because most programs have no helpers. A process that leaves the program becomes a child of the ancestor,
// whose children are read last.
bool Strays::HasNoStrays() const {
  if (own_.size() != 1) return false;
  const pid_t program = own_.begin()->first;
  if (!ChildrenOf(program).empty()) return false;
  const std::vector<pid_t> children = ChildrenOf(ancestor_);
  return children.size() == 1 && children[0] == program;
}

EndedStrays Strays::End() {
  EndedStrays ended;
  // A program may have dozens of threads, each of which has a list of children to read.
  const std::optional<pid_t> newest = NewestProcess(ancestor_);
  if (newest && newest == newest_) return ended;
  newest_ = newest;
  if (HasNoStrays()) return ended;
  std::set<std::pair<pid_t, uint64_t>> known;
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    bool found = false;
    for (const pid_t pid : Others()) {
      const std::optional<State> state = StateOf(pid);
      if (!state || !state->running) continue;
      const auto own = own_.find(pid);
      if (own != own_.end() && own->second == state->start) continue;
      found = true;
      if (known.emplace(pid, state->start).second) {
        ++ended.count;
        if (ended.commands.size() < kMostCommands) ended.commands.push_back(CommandOf(pid));
      }
      Kill(pid, state->start);
    }
    if (!found) return ended;
    newest_.reset();
    // Most processes end at once; one that is stuck in the kernel need not be checked all the time.
    constexpr int kQuickRounds = 20;
    if (round < kQuickRounds) {
      const timespec pause{0, 50'000};
      ::nanosleep(&pause, nullptr);
    } else {
      ::poll(nullptr, 0, 1);
    }
  }
  ended.all_gone = false;
  return ended;
}

}  // namespace opbyop
