// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What keeps workers together and apart on this machine, as the header of a run names it.
//
//   header.host["isolation"] = DescribeIsolation();   // "cgroup+landlock(7)+seccomp+mounts", "subreaper"
//
// The environment variable OPBYOP_ISOLATION names what may be used, comma-separated (default
// "cgroup,landlock,seccomp,mounts"; "none" for nothing beside the subreaper): for machines on which one of them is in
// the way, and for tests of the rest.
#ifndef OPBYOP_SUPPORT_PROCESS_ISOLATION_H_
#define OPBYOP_SUPPORT_PROCESS_ISOLATION_H_

#include <filesystem>
#include <string>
#include <vector>

namespace opbyop {

bool MayUseCgroups();

// As LandlockAbi; 0 also where it may not be used.
int UsableLandlockAbi();

// Whether the kernel filters system calls, and it may be used.
bool MayFilterCalls();

// CanMakeReadOnly, and it may be used.
bool MayMakeReadOnly(const std::vector<std::filesystem::path>& writable = {});

// Makes a cgroup to see whether one can be made.
std::string DescribeIsolation();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_ISOLATION_H_
