// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes the right to write to other places from this process and from all that it will start, with the kernel's
// Landlock. Everything stays readable.
//
//   if (LandlockAbi() > 0) Restrict({.writable = {slot_folder}, .network = false});
//
// The given folders, devices (/dev without /dev/shm) and this process's own folder in /proc stay writable. Without
// `network`, no TCP port can be bound or connected to (Linux 6.7). Signals reach only processes with the same
// restriction (Linux 6.12). This protects against accidents and against untrusted models, not against attacks on the
// kernel.
#ifndef OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_
#define OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_

#include <filesystem>
#include <vector>

#include "support/expected.h"

namespace opbyop {

struct Restriction {
  std::vector<std::filesystem::path> writable;  // folders that do not exist are skipped
  bool network = false;
};

// From this version on, signals are limited to the restricted processes.
inline constexpr int kLandlockSignalAbi = 6;

// The version of the kernel's Landlock, or 0 if there is none.
int LandlockAbi();

// Cannot be undone. Setuid programs lose their privilege. Returns kInternal if the kernel refuses.
Expected<void> Restrict(const Restriction& restriction);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_LANDLOCK_H_
