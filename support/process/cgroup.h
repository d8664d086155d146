// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cgroup (version 2) around one worker: whatever the worker starts is in it and ends with it, at one stroke.
//
//   std::optional<Cgroup> group = Cgroup::Make();      // nullopt: this machine lets none be made
//   if (group->Fork() == 0) exec(...);
//   group->Kill();                                     // SIGKILL to all in it
//
// Groups are made below this process's own as `opbyop-<uid>-<pid>-<number>`.
// Each is locked by its maker; one that nobody locks was left by a killed maker, and RemoveStale ends and removes it.
#ifndef OPBYOP_SUPPORT_PROCESS_CGROUP_H_
#define OPBYOP_SUPPORT_PROCESS_CGROUP_H_

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace opbyop {

class Cgroup {
 public:
  // nullopt where none can be made: no cgroup2 is mounted, it is read-only, or nobody delegated it.
  static std::optional<Cgroup> Make();

  // Ends and removes what dead makers left beside this process's groups.
  static void RemoveStale();

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();  // removes the group; it must be empty by then

  const std::filesystem::path& path() const { return path_; }

  // As fork(), the child being in the group; -1 where the kernel refuses. A process that were moved there would wait
  // for all processors of the machine.
  pid_t Fork() const;

  // Whether a process can be started in it.
  bool Works() const;

  void Kill() const;

 private:
  Cgroup(std::filesystem::path path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::filesystem::path path_;
  int lock_fd_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_CGROUP_H_
