// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes the right to change other processes from this process and from all that it will start, with the kernel's
// seccomp. The kernel lets every process change the limits, the priority and the processors of every other process of
// its user; no file permission and no Landlock rule prevents that.
//
//   Expected<int> questions = FilterProcesses({.signals = true});
//   ... passed to the supervisor, which answers: support/process/gatekeeper.h ...
//
// A system call that names another process by its number waits until the supervisor has said whether the caller's
// family started that process. Two more operations are always refused: setting priorities for all processes of a user,
// and attributes that prevent even the owner of a file from removing it (chattr +i). If the kernel has no such
// listeners (before Linux 5.5), or another supervisor already has one, the limits and priorities of all other processes
// are refused. Processors and signals are then not checked, because programs name their own threads by number. 32-bit
// programs are not restricted.
#ifndef OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_
#define OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_

#include "support/expected.h"

namespace opbyop {

struct ProcessFilter {
  bool signals = false;  // also checks signals, if Landlock does not limit them to the family
  bool asks = true;      // false: behaves as if the kernel had no listeners
};

// Returns the descriptor for the questions, or -1 if there will be none. Cannot be undone. Setuid programs lose their
// privilege. Returns kInternal if the kernel refuses.
Expected<int> FilterProcesses(const ProcessFilter& filter);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_PROCESS_FILTER_H_
