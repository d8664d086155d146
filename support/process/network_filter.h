// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes sockets that Landlock has no rules for from this process and from all that it will start, with the kernel's
// seccomp: UDP, raw IP, SCTP and packets of a network interface.
//
//   if (Expected<void> done = RefuseDatagrams(); !done) ...
//
// socket() fails with EACCES for them. TCP, Unix and netlink sockets can still be created; Landlock limits the
// connections of TCP. io_uring could create sockets in spite of this rule, so it fails with ENOSYS, as on a kernel
// without it. Like Landlock, this protects against accidents and against untrusted models: 32-bit programs, which have
// their own system calls, are not restricted.
#ifndef OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_
#define OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_

#include "support/expected.h"

namespace opbyop {

// Whether the kernel supports such rules.
bool HasNetworkFilter();

// Cannot be undone. Setuid programs lose their privilege. Returns kInternal if the kernel refuses.
Expected<void> RefuseDatagrams();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_NETWORK_FILTER_H_
