// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <cerrno>
#include <cstring>
#include <string>

namespace opbyop {

Expected<TemporaryFolder> TemporaryFolder::Make(std::string_view name) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / fmt::format("{}-XXXXXX", name)).string();
  if (!error && ::mkdtemp(path.data()) != nullptr) return TemporaryFolder(path);
  const std::string why = error ? error.message() : std::strerror(errno);
  return MakeError(ExitCode::kNoInput, fmt::format("no folder for temporary files can be made: {}: {}", path, why));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace opbyop
