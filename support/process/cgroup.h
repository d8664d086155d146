// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cgroup (version 2) around one worker: everything that the worker starts is in it and is killed with it at once.
//
//   std::optional<Cgroup> group = Cgroup::Make();      // nullopt: this machine does not allow it
//   if (group->Fork() == 0) exec(...);
//   group->Kill();                                     // SIGKILL to every process in it
//
// Groups are created below this process's own as `opbyop-<uid>-<pid>-<number>`. Each is locked by its creator. A group
// without a lock was left by a killed process; RemoveStale ends its processes and removes it.
#ifndef OPBYOP_SUPPORT_PROCESS_CGROUP_H_
#define OPBYOP_SUPPORT_PROCESS_CGROUP_H_

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace opbyop {

class Cgroup {
 public:
  // Returns nullopt if none can be created: no cgroup2 is mounted, it is read-only, or it was not delegated.
  static std::optional<Cgroup> Make();

  // Ends and removes groups next to this process's groups whose creators have died.
  static void RemoveStale();

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();  // removes the group; it must be empty by then

  const std::filesystem::path& path() const { return path_; }

  // Forks with the child in the group; returns -1 if the kernel refuses. Moving a process there instead would have to
  // wait for all processors of the machine.
  pid_t Fork() const;

  // Whether a process can be started in the group.
  bool Works() const;

  void Kill() const;

 private:
  Cgroup(std::filesystem::path path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::filesystem::path path_;
  int lock_fd_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_CGROUP_H_
