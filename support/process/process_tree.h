// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds, measures and ends the descendants of a process.
//
//   MemoryUse use = MemoryOf(DescendantsOf(pid));
//
// The tree is read from /proc, so a returned process may have ended already. A process whose parent has ended belongs
// to the nearest ancestor that adopts orphans (PR_SET_CHILD_SUBREAPER); only below such an ancestor is the tree
// complete.
#ifndef OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_
#define OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opbyop {

// Reads a file of /proc, whose size is not known in advance. Empty if it cannot be read.
std::string ReadProcFile(const std::string& path);

// The children of all threads of `pid`, including zombies; those of this process if `pid` is 0.
std::vector<pid_t> ChildrenOf(pid_t pid);

// Children, their children and so on, parents first.
std::vector<pid_t> DescendantsOf(pid_t pid);

// The id that the newest process or thread of all that this process can see was given. If it is still the same later,
// none was started in between. nullopt if the system does not say, or says less than `known`, the id of some process:
// then it does not count, or starts from low ids again.
std::optional<pid_t> NewestProcess(pid_t known);

// The descendants of one process, for those who ask often: the tree is read again only if a process was started since.
// Some of them may have ended.
class Descendants {
 public:
  const std::vector<pid_t>& Of(pid_t pid);

 private:
  std::vector<pid_t> found_;
  pid_t pid_ = 0;
  std::optional<pid_t> newest_;  // before they were found
};

struct MemoryUse {
  int64_t resident_kb = 0;  // all resident memory
  int64_t shared_kb = 0;    // the part in mapped files of a memory file system and in shared memory

  MemoryUse& operator+=(const MemoryUse& other) {
    resident_kb += other.resident_kb;
    shared_kb += other.shared_kb;
    return *this;
  }
};

// A quick upper bound of the memory: a page that several of the processes have mapped counts for each.
MemoryUse MemoryOf(std::span<const pid_t> processes);

// The same, with each page divided among the processes that have mapped it. The kernel has to walk their page tables.
MemoryUse ProportionalMemoryOf(std::span<const pid_t> processes);

// The processor time that all threads of these processes have used, in milliseconds. One that has ended adds nothing.
double CpuMsOf(std::span<const pid_t> processes);

// The memory of the machine that the files below `folder` use: 0 if it is on a disk. Holes in files use none.
int64_t MemoryOfFolderKb(const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_TREE_H_
