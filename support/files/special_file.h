// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names that a new file may not replace: devices, pipes, open files of a process.
//
//   IsSpecialFile("/dev/full");     // true
//   IsSpecialFile("/dev/stdout");   // true, whatever file it is
#ifndef OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_
#define OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_

#include <filesystem>

namespace opbyop {

bool IsSpecialFile(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_
