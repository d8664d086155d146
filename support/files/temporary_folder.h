// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A folder in the machine's folder for temporary files, removed with its owner.
//
//   Expected<TemporaryFolder> folder = TemporaryFolder::Make("opbyop-merged");   // /tmp/opbyop-merged-x4Rt0q
#ifndef OPBYOP_SUPPORT_FILES_TEMPORARY_FOLDER_H_
#define OPBYOP_SUPPORT_FILES_TEMPORARY_FOLDER_H_

#include <filesystem>
#include <string_view>
#include <utility>

#include "support/expected.h"

namespace opbyop {

class TemporaryFolder {
 public:
  // Returns kNoInput if none can be made there.
  static Expected<TemporaryFolder> Make(std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: moved from
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_TEMPORARY_FOLDER_H_
