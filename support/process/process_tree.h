// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The processes that descend from one: found, measured, ended.
//
//   MemoryUse use = MemoryOf(DescendantsOf(pid));
//
// Read from /proc, so what is returned may have ended meanwhile. A process whose parent has ended belongs to the
// nearest ancestor that adopts orphans (PR_SET_CHILD_SUBREAPER): only below one of these is a tree complete.
#ifndef OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_
#define OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace opbyop {

// A file of /proc, whose size nobody knows before it is read; empty where it cannot be read.
std::string ReadProcFile(const std::string& path);

// Children of all threads of `pid`, zombies included; those of this process where `pid` is 0.
std::vector<pid_t> ChildrenOf(pid_t pid);

// Children, their children and so on, parents first.
std::vector<pid_t> DescendantsOf(pid_t pid);

struct MemoryUse {
  int64_t resident_kb = 0;  // all that is resident
  int64_t shared_kb = 0;    // of it: mapped files of a memory file system, and shared memory

  MemoryUse& operator+=(const MemoryUse& other) {
    resident_kb += other.resident_kb;
    shared_kb += other.shared_kb;
    return *this;
  }
};

// Quick, and at least what they use: a page that several of them have mapped counts for each.
MemoryUse MemoryOf(std::span<const pid_t> processes);

// The same with each page shared out among those that have mapped it, which the kernel walks their page tables for.
MemoryUse ProportionalMemoryOf(std::span<const pid_t> processes);

// What the files below `folder` take of the machine's memory: 0 where it lies on a disk. Holes of a file take none.
int64_t MemoryOfFolderKb(const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_
