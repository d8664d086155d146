// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The means by which workers are kept together and apart on this machine, as the header of a run lists them.
//
//   header.host["isolation"] = DescribeIsolation();   // "cgroup+landlock(7)+seccomp+mounts", "subreaper"
//
// The environment variable OPBYOP_ISOLATION lists the means that may be used, separated by commas (default
// "cgroup,landlock,seccomp,mounts"; "none" for the subreaper alone). It is for machines on which one of them causes
// trouble, and for tests of the others.
#ifndef OPBYOP_SUPPORT_PROCESS_ISOLATION_H_
#define OPBYOP_SUPPORT_PROCESS_ISOLATION_H_

#include <filesystem>
#include <string>
#include <vector>

namespace opbyop {

bool MayUseCgroups();

// The result of LandlockAbi, or 0 if Landlock may not be used.
int UsableLandlockAbi();

// Whether the kernel can filter system calls, and this may be used.
bool MayFilterCalls();

// Whether CanMakeReadOnly succeeds, and this may be used.
bool MayMakeReadOnly(const std::vector<std::filesystem::path>& writable = {});

// Creates a cgroup to find out whether it is possible.
std::string DescribeIsolation();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_ISOLATION_H_
