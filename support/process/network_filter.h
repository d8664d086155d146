// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes from this process, and from all that it will start, the sockets that Landlock has no rules for, with the
// kernel's seccomp: UDP, raw IP, SCTP and packets of a network interface.
//
//   if (Expected<void> done = RefuseDatagrams(); !done) ...
//
// socket() says EACCES for them. TCP, Unix and netlink sockets can still be made: where TCP goes is Landlock's
// business. io_uring, which makes sockets past this rule, answers ENOSYS as on a kernel without it. As Landlock it is a
// defence against accidents and against models that try things: 32-bit programs, which have system calls of their own,
// are not held to it.
#ifndef OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_
#define OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_

#include "support/expected.h"

namespace opbyop {

// Whether the kernel takes such rules.
bool HasNetworkFilter();

// Cannot be taken back. Setuid programs lose their privilege. kInternal where the kernel refuses.
Expected<void> RefuseDatagrams();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_
