// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders of this process that untrusted programs of the same user may change: they may take away modes, or put
// something else in the folder's place.
//
//   RestoreFolder(scratch / "slot-0");        // exists now, and only its owner has access
//   GrantOwnerAccess(kept / "add_2_f32_1a2b3c4d");  // its owner has access now; the rights of others stay
#ifndef OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_
#define OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_

#include <filesystem>

namespace opbyop::harness {

// Creates the folder, or restores its owner, its mode (0700) and its default access list. Anything else of that name is
// removed first. False, with the reason in errno, if that failed.
bool RestoreFolder(const std::filesystem::path& folder);

// Gives the owner of a folder all rights on it. Does nothing if it is no folder.
void GrantOwnerAccess(const std::filesystem::path& folder);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_
