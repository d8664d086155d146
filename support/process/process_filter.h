// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes from this process, and from all that it will start, the right to change processes that it did not start, with
// the kernel's seccomp. The kernel lets every process change the limits, the priority and the processors of every other
// process of its user; no permission of a file and no rule of Landlock stands against that.
//
//   Expected<int> questions = FilterProcesses({.signals = true});
//   ... to the supervisor, which answers: support/process/gatekeeper.h ...
//
// A system call that names another process by its number waits until the supervisor has said whether that process is
// one that the caller's family started. Two more things are refused outright: priorities of all of a user's processes,
// and attributes that keep even the owner of a file from removing it (chattr +i). Where the kernel has no such
// listeners (before Linux 5.5), or another supervisor has one already, limits and priorities of all other processes are
// refused, and processors and signals are not looked at: programs set those of their own threads by number. 32-bit
// programs are not held to any of this.
#ifndef OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_
#define OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_

#include "support/expected.h"

namespace opbyop {

struct ProcessFilter {
  bool signals = false;  // look at signals too: where Landlock does not keep them within the family
  bool asks = true;      // false: as where the kernel has no listeners
};

// The descriptor of the questions; -1 where there will be none. Cannot be taken back. Setuid programs lose their
// privilege. kInternal where the kernel refuses.
Expected<int> FilterProcesses(const ProcessFilter& filter);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_
