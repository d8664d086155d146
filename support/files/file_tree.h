// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders that programs have filled which nobody vouches for: nested to any depth, closed to their owner, full of
// links.
//
//   Expected<void> done = RemoveTree(scratch / "slot-0");
//   VisitTree(folder, [&](const struct stat& file) { bytes += file.st_size; return true; });
//
// Both work with a few descriptors and, unlike std::filesystem, with memory that does not grow with the length of the
// paths. Neither follows a link or enters what is mounted below the folder.
#ifndef OPBYOP_SUPPORT_FILES_FILE_TREE_H_
#define OPBYOP_SUPPORT_FILES_FILE_TREE_H_

#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "support/expected.h"

namespace opbyop {

// Removes `top` and all that is in it; a link is removed instead of what it names. An absent `top` is a success.
// Folders whose owner may not read or change them are made accessible first. What cannot be removed stays, and
// everything else goes; the error names the first that stayed.
Expected<void> RemoveTree(const std::filesystem::path& top);

// Calls `visit` for everything below `top` that is not a folder, until it returns false. Folders that their owner may
// not read are made accessible first: nothing is to be hidden in them from whoever measures a tree. Returns false if it
// ended early: `visit` said so, or a folder was moved while it was read.
bool VisitTree(const std::filesystem::path& top, const std::function<bool(const struct stat&)>& visit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_FILE_TREE_H_
