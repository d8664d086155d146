// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles folders that untrusted programs have filled: nested to any depth, inaccessible to their owner, full of links.
//
//   Expected<void> done = RemoveTree(scratch / "slot-0");
//   VisitTree(folder, [&](const struct stat& file) { bytes += file.st_size; return true; });
//
// Both functions use few descriptors and, unlike std::filesystem, memory that does not grow with the length of paths.
// Neither follows links or enters file systems that are mounted below the folder.
#ifndef OPBYOP_SUPPORT_FILES_FILE_TREE_H_
#define OPBYOP_SUPPORT_FILES_FILE_TREE_H_

#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "support/expected.h"

namespace opbyop {

// Removes `top` and everything in it; a link is removed instead of its target. An absent `top` is a success. Folders
// whose owner may not read or change them are made accessible first. If something cannot be removed, everything else is
// removed; the error names the first such file.
Expected<void> RemoveTree(const std::filesystem::path& top);

// Calls `visit` for everything below `top` that is not a folder, until it returns false. Folders that their owner may
// not read are made accessible first, so that nothing can be hidden from a measurement of the tree. Returns false if it
// ended early: `visit` returned false, or a folder was moved while it was read.
bool VisitTree(const std::filesystem::path& top, const std::function<bool(const struct stat&)>& visit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_FILE_TREE_H_
