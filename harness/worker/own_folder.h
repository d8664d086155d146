// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders that this process made for programs which may do to them what their user may: take away their modes, put
// something else in their place.
//
//   RestoreFolder(scratch / "slot-0");        // there, and open to its owner alone
//   OpenToOwner(kept / "add_2_f32_1a2b3c4d");  // at least open to its owner, whoever else may read it
#ifndef OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_
#define OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_

#include <filesystem>

namespace opbyop::harness {

// Makes the folder, or gives it back its owner, its mode (0700) and the access list of what is made in it. What is no
// folder is removed first. False, with the reason in errno, where it did not succeed.
bool RestoreFolder(const std::filesystem::path& folder);

// Gives the owner of a folder all rights on it. Does nothing to what is no folder.
void OpenToOwner(const std::filesystem::path& folder);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_OWN_FOLDER_H_
