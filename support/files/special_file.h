// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names that no complete file may replace: devices, pipes, open files of a process.
//
//   IsSpecialFile("/dev/full");     // true
//   IsSpecialFile("/dev/stdout");   // true, whatever it leads to
#ifndef OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_
#define OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_

#include <filesystem>

namespace opbyop {

bool IsSpecialFile(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_SPECIAL_FILE_H_
