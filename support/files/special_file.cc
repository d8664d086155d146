// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/special_file.h"

#include <string>
#include <system_error>

namespace opbyop {

namespace fs = std::filesystem;

bool IsSpecialFile(const fs::path& path) {
  std::error_code error;
  if (fs::is_other(fs::status(path, error))) return true;
  // /dev/stdout leads to a file through two links.
  const std::string text = fs::absolute(path, error).lexically_normal().string();
  return text.starts_with("/proc/") || (text.starts_with("/dev/") && fs::is_symlink(fs::symlink_status(path, error)));
}

}  // namespace opbyop
