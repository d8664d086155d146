// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opbyop {
namespace {

namespace fs = std::filesystem;

std::string Prefix() { return fmt::format("opbyop-{}-", ::getuid()); }

// The mount point of the whole hierarchy of version 2, or empty if there is none.
fs::path MountPoint() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, point, word;
    words >> id >> parent >> device >> root >> point;
    while (words >> word && word != "-") {
    }
    std::string type;
    words >> type;
    if (type == "cgroup2" && root == "/") return point;
  }
  return {};
}

// The folder of this process's own group, in which others may be created: outside of it, they would escape the limits
// of this process. Empty if it has no group, or if the group is outside of its cgroup namespace.
fs::path OwnGroup() {
  const fs::path mount = MountPoint();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; !mount.empty() && std::getline(groups, line);) {
    constexpr std::string_view kVersion2 = "0::/";
    if (!line.starts_with(kVersion2)) continue;
    const std::string own = line.substr(kVersion2.size());
    return own.find("..") == std::string::npos ? mount / own : fs::path();
  }
  return {};
}

bool Write(const fs::path& file, std::string_view text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

bool IsPopulated(const fs::path& group) {
  std::ifstream events(group / "cgroup.events");
  std::string key;
  int value = 0;
  while (events >> key >> value) {
    if (key == "populated") return value != 0;
  }
  return false;
}

// Dead processes leave a group a moment after the signal.
void Remove(const fs::path& group) {
  for (int i = 0; i < 1000 && IsPopulated(group); ++i) ::poll(nullptr, 0, 1);
  ::rmdir(group.c_str());
}

}  // namespace

std::optional<Cgroup> Cgroup::Make() {
  static std::atomic<int> made = 0;
  const fs::path parent = OwnGroup();
  if (parent.empty()) return std::nullopt;
  const fs::path path = parent / fmt::format("{}{}-{}", Prefix(), ::getpid(), ++made);
  if (::mkdir(path.c_str(), 0755) != 0) return std::nullopt;
  const int lock_fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_fd >= 0 && ::flock(lock_fd, LOCK_EX | LOCK_NB) == 0 && ::access((path / "cgroup.kill").c_str(), W_OK) == 0) {
    return Cgroup(path, lock_fd);
  }
  if (lock_fd >= 0) ::close(lock_fd);
  ::rmdir(path.c_str());
  return std::nullopt;
}

void Cgroup::RemoveStale() {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path parent = OwnGroup();
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(Prefix())) found.push_back(it->path());
  }
  for (const fs::path& path : found) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      Write(path / "cgroup.kill", "1");
      Remove(path);
    }
    ::close(fd);
  }
}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

Cgroup::~Cgroup() {
  if (!path_.empty()) Remove(path_);
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

pid_t Cgroup::Fork() const {
  struct clone_args arguments = {};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<uint64_t>(lock_fd_);
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

bool Cgroup::Works() const {
  const pid_t pid = Fork();
  if (pid == 0) ::_exit(0);
  return pid > 0 && ::waitpid(pid, nullptr, 0) == pid;
}

void Cgroup::Kill() const { Write(path_ / "cgroup.kill", "1"); }

}  // namespace opbyop
