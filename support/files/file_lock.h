// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A lock between processes, on a file that exists only for it: a process that writes a folder or a results file holds
// one.
//
//   Expected<FileLock> lock = FileLock::Take("out/.split.lock", FileLock::Mode::kExclusive);
//   if (!lock) return MakeError(ExitCode::kUsage, "out is being written by another split");
//
// The file is created and removed with the lock. A file that a killed process left behind is not locked. The lock uses
// flock, so that it always ends with its process.
#ifndef OPBYOP_SUPPORT_FILES_FILE_LOCK_H_
#define OPBYOP_SUPPORT_FILES_FILE_LOCK_H_

#include <filesystem>

#include "support/expected.h"

namespace opbyop {

class FileLock {
 public:
  enum class Mode { kShared, kExclusive };

  // Waits at most a tenth of a second, in case the lock is about to be released. Returns kUsage if another process
  // holds it (for kShared: exclusively), kNoInput if the file cannot be created. Its folder must exist.
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
