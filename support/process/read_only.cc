// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/read_only.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace opbyop {
namespace {

namespace fs = std::filesystem;

bool Write(const char* file, std::string_view text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

// Enters a mount namespace as the same user, with the rights of a new user namespace if it has none.
bool EnterOwnMounts() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return Write("/proc/self/setgroups", "deny") && Write("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
         Write("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

bool SetReadOnly(const fs::path& mount, bool read_only, unsigned flags) {
  mount_attr attributes = {};
  (read_only ? attributes.attr_set : attributes.attr_clr) = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, mount.c_str(), flags, &attributes, sizeof attributes) == 0;
}

bool IsReadOnly(const fs::path& path) {
  struct statvfs system = {};
  return ::statvfs(path.c_str(), &system) != 0 || (system.f_flag & ST_RDONLY) != 0;
}

}  // namespace

bool MakeReadOnlyBut(const std::vector<fs::path>& writable) {
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  std::vector<fs::path> kept;
  for (const fs::path& path : writable) {
    if (fs::exists(path, error) && !IsReadOnly(path)) kept.push_back(path);
  }
  // The process may only change itself among the processes in /proc, because the kernel kills the process with the
  // largest oom_score_adj.
  const fs::path own = fs::path("/proc") / fs::read_symlink("/proc/self", error);
  if (!IsReadOnly(own)) kept.push_back(own);
  if (!EnterOwnMounts()) return false;
  // Later mounts of the machine become visible here, but mounts made here are not visible elsewhere.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return false;
  if (!SetReadOnly("/", true, AT_RECURSIVE)) return false;
  for (const fs::path& path : kept) {
    if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
    if (!SetReadOnly(path, false, 0)) return false;
  }
  // The working folder is entered again through the new mounts: it still refers to the read-only one.
  return folder.empty() || ::chdir(folder.c_str()) == 0;
}

bool CanMakeReadOnly(const std::vector<fs::path>& writable) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(MakeReadOnlyBut(writable) ? 0 : 1);
  int status = 0;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
}

}  // namespace opbyop
