// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of ioprio_set(2), which are part of the kernel's binary interface. <linux/ioprio.h> has them too, but the
// one of Linux 6.1.192 (Debian bookworm) names a parameter `class` and cannot be included from C++.
//
//   syscall(SYS_ioprio_set, kIoPriorityOfProcess, pid, kIdleIoPriority);
#ifndef OPBYOP_SUPPORT_PROCESS_IO_PRIORITY_H_
#define OPBYOP_SUPPORT_PROCESS_IO_PRIORITY_H_

namespace opbyop {

// Whose priority a call sets: its first argument.
inline constexpr int kIoPriorityOfProcess = 1;
inline constexpr int kIoPriorityOfGroup = 2;
inline constexpr int kIoPriorityOfUser = 3;

// The class "idle", in the upper three of 16 bits.
inline constexpr int kIdleIoPriority = 3 << 13;

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_IO_PRIORITY_H_
