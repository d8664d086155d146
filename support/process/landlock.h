// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes from this process, and from all that it will start, the right to write where it has no business, with the
// kernel's Landlock. Everything stays readable.
//
//   if (LandlockAbi() > 0) Restrict({.writable = {slot_folder}, .network = false});
//
// Writable remain the given folders, devices (/dev without /dev/shm) and this process's own folder in /proc. Without
// `network` no TCP port can be bound or connected to (Linux 6.7); signals reach only processes under the same
// restriction (Linux 6.12). It is a defence against accidents and against models that try things, not against who
// attacks the kernel.
#ifndef OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_
#define OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_

#include <filesystem>
#include <vector>

#include "support/expected.h"

namespace opbyop {

struct Restriction {
  std::vector<std::filesystem::path> writable;  // those that do not exist are passed over
  bool network = false;
};

// From this version on signals stay within the restricted processes.
inline constexpr int kLandlockSignalAbi = 6;

// The version of the kernel's Landlock; 0 where there is none.
int LandlockAbi();

// Cannot be taken back. Setuid programs lose their privilege. kInternal where the kernel refuses.
Expected<void> Restrict(const Restriction& restriction);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_
