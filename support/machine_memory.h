// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OPBYOP_SUPPORT_MACHINE_MEMORY_H_
#define OPBYOP_SUPPORT_MACHINE_MEMORY_H_

#include <unistd.h>

#include <cstdint>

namespace opbyop {

// The physical memory of this machine in bytes.
inline int64_t MachineMemory() { return int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_MACHINE_MEMORY_H_
