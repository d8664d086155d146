// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes all files read-only for this process and all that it will start, but for what lies in the given folders, with
// mounts of its own. Landlock forbids writing, but not the change of a mode, an owner, a time or an access list: one
// chmod of a folder that others need would end them all.
//
//   if (CanMakeReadOnly()) MakeReadOnlyBut({slot_folder});
//
// Where the user may not mount, a user namespace in which it has the same number makes it possible; where the machine
// does not allow these either, nothing is changed. Devices stay as they are, and so does this process's own folder in
// /proc.
#ifndef OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_
#define OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_

#include <filesystem>
#include <vector>

namespace opbyop {

// Tries it in a process of its own.
bool CanMakeReadOnly(const std::vector<std::filesystem::path>& writable = {});

// Cannot be taken back. False where it failed half-way; those folders that do not exist are passed over. For a process
// of one thread.
bool MakeReadOnlyBut(const std::vector<std::filesystem::path>& writable);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_READ_ONLY_H_
