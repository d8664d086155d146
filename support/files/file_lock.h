// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A lock between processes on a file that exists only for it: who writes a folder or a results file holds one.
//
//   Expected<FileLock> lock = FileLock::Take("out/.split.lock", FileLock::Mode::kExclusive);
//   if (!lock) return MakeError(ExitCode::kUsage, "out is being written by another split");
//
// The file appears with the lock and goes with it; one that a killed process left is no lock. Made of flock, so that
// it ends with its process however that ends.
#ifndef OPBYOP_SUPPORT_FILES_FILE_LOCK_H_
#define OPBYOP_SUPPORT_FILES_FILE_LOCK_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop {

class FileLock {
 public:
  enum class Mode { kShared, kExclusive };

  // Waits a tenth of a second at most, for one that is about to go: kUsage where another process holds it (for kShared:
  // exclusively), kNoInput where the file cannot be made. Its folder must exist.
  static Expected<FileLock> Take(const std::filesystem::path& path, Mode mode);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  void Release();

  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_FILE_LOCK_H_
