// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/project_folder.h"

#include <cstdlib>

namespace opbyop {

namespace fs = std::filesystem;

fs::path ProgramFolder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path(error) : self.parent_path();
}

fs::path ProjectFolder() {
  const char* source = std::getenv("OPBYOP_SOURCE_DIR");
  return source != nullptr ? fs::path(source) : ProgramFolder().parent_path().parent_path();
}

}  // namespace opbyop
