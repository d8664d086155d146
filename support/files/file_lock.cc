// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace opbyop {
namespace {

// Whether the opened file still has its name. It may have been removed since, and another one created.
bool IsStillAt(int fd, const std::filesystem::path& path) {
  struct stat opened = {}, named = {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

// A process that releases the lock holds the file exclusively for a moment, to remove it.
constexpr int kAttempts = 20;
constexpr std::chrono::milliseconds kPause(5);

}  // namespace

Expected<FileLock> FileLock::Take(const std::filesystem::path& path, Mode mode) {
  for (int attempt = 1;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
      return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be made: {}", path.string(), std::strerror(errno)));
    }
    if (::flock(fd, (mode == Mode::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
      const int problem = errno;
      ::close(fd);
      if (problem == EINTR) continue;
      if (problem == EWOULDBLOCK && attempt++ < kAttempts) {
        std::this_thread::sleep_for(kPause);
        continue;
      }
      if (problem == EWOULDBLOCK) {
        return MakeError(ExitCode::kUsage, fmt::format("{}: locked by another process", path.string()));
      }
      return MakeError(ExitCode::kNoInput,
                       fmt::format("{}: cannot be locked: {}", path.string(), std::strerror(problem)));
    }
    if (IsStillAt(fd, path)) return FileLock(path, fd);
    ::close(fd);
  }
}

FileLock::FileLock(FileLock&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this == &other) return *this;
  Release();
  path_ = std::move(other.path_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

FileLock::~FileLock() { Release(); }

// Only the sole holder may remove the file. IsStillAt makes a process that opened it before open the new file.
void FileLock::Release() {
  if (fd_ < 0) return;
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 && IsStillAt(fd_, path_)) ::unlink(path_.c_str());
  ::close(std::exchange(fd_, -1));
}

}  // namespace opbyop
