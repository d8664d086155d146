// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes all files read-only for this process and all that it will start, except those in the given folders, with mounts
// of its own. Landlock prevents writing, but not changing a mode, an owner, a time or an access list: one chmod of a
// folder that others need would break all of them.
//
//   if (CanMakeReadOnly()) MakeReadOnlyBut({slot_folder});
//
// If the user may not mount, a user namespace in which it keeps its number makes it possible. If the machine does not
// allow that either, nothing changes. Devices and this process's own folder in /proc stay writable.
#ifndef OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_
#define OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_

#include <filesystem>
#include <vector>

namespace opbyop {

// Tries it in a separate process.
bool CanMakeReadOnly(const std::vector<std::filesystem::path>& writable = {});

// Cannot be undone. Returns false if it failed half-way. Folders that do not exist are skipped. The process must have a
// single thread.
bool MakeReadOnlyBut(const std::vector<std::filesystem::path>& writable);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_
