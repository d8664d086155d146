// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "support/files/special_file.h"

namespace opbyop {

namespace fs = std::filesystem;

namespace {

std::string_view KindOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

// Whether the name is that of a file that the caller has opened, such as the pipe of <(command). The caller expects the
// program to wait for its end.
bool IsOfCaller(const fs::path& path) {
  const std::string name = path.lexically_normal().string();
  return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

std::error_code SyncPath(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {errno, std::generic_category()};
  // A file system that does not support fsync (EINVAL) has nothing to lose.
  const int problem = ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  ::close(fd);
  return {problem, std::generic_category()};
}

std::error_code WriteAndClose(int fd, std::string_view bytes) {
  if (fd < 0) return {errno, std::generic_category()};
  std::error_code error = WriteAll(fd, bytes);
  if (::close(fd) != 0 && !error) error = {errno, std::generic_category()};
  return error;
}

// An existing file of this name is another program's draft or an attack, so it is removed.
std::error_code WriteNew(const fs::path& path, std::string_view bytes) {
  const auto open = [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); };
  int fd = open();
  if (fd < 0 && errno == EEXIST && ::unlink(path.c_str()) == 0) fd = open();
  return WriteAndClose(fd, bytes);
}

Expected<void> WriteInPlace(const fs::path& path, std::string_view bytes) {
  const std::error_code error = WriteAndClose(::open(path.c_str(), O_WRONLY | O_CLOEXEC), bytes);
  if (!error) return {};
  return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path.string(), error.message()));
}

// `durable` is explained at WriteFileDurably.
Expected<void> Write(const fs::path& path, std::string_view bytes, bool durable) {
  std::error_code failure;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failure);
  if (failure) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: the folder cannot be made: {}", path.parent_path().string(), failure.message()));
  }
  if (IsSpecialFile(path)) return WriteInPlace(path, bytes);
  const fs::path draft = path.string() + fmt::format(".{}.tmp", getpid());
  const auto cannot = [&](std::string_view what, const std::string& reason) {
    fs::remove(draft, failure);
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be {}: {}", path.string(), what, reason));
  };
  if (const std::error_code error = WriteNew(draft, bytes)) return cannot("written", error.message());
  if (durable) {
    if (const std::error_code unsynced = SyncPath(draft)) return cannot("written", unsynced.message());
  }
  fs::rename(draft, path, failure);
  if (failure) return cannot("put in place", failure.message());
  if (durable) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (const std::error_code unsynced = SyncPath(folder)) return cannot("put in place", unsynced.message());
  }
  return {};
}

}  // namespace

Expected<std::ifstream> OpenFile(const fs::path& path) {
  const auto cannot = [&](const std::string& why) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", path.string(), why));
  };
  // Opening a pipe waits for its writer, so the kind of file is checked first.
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return cannot(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) return cannot("is a folder, expected a file");
  if (!S_ISREG(status.st_mode) && !IsOfCaller(path)) {
    return cannot(fmt::format("is {}, expected a file", KindOf(status.st_mode)));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return cannot(fmt::format("cannot be read: {}", std::strerror(errno)));
  return stream;
}

Expected<std::string> ReadFile(const fs::path& path, uintmax_t most) {
  Expected<std::ifstream> stream = OpenFile(path);
  if (!stream) return Unexpected(stream.error());
  std::string bytes;
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  const auto too_long = [&] {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: is longer than {} bytes", path.string(), most));
  };
  if (!failure && size > most) return too_long();
  // Files of /proc claim to be empty, so the file is read to its end whatever its size.
  size_t block = failure || size == 0 ? size_t{1} << 16 : static_cast<size_t>(size);
  while (*stream) {
    const size_t done = bytes.size();
    bytes.resize(done + block);
    stream->read(bytes.data() + done, static_cast<std::streamsize>(block));
    bytes.resize(done + static_cast<size_t>(stream->gcount()));
    if (bytes.size() > most) return too_long();
    block = size_t{1} << 16;
  }
  if (stream->bad()) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: reading failed: {}", path.string(), std::strerror(errno)));
  }
  return bytes;
}

bool ReadLine(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 16 << 10> part;
  while (true) {
    in.getline(part.data(), part.size());
    const auto count = static_cast<size_t>(in.gcount());
    // If the end of the line was found, it is counted but not stored.
    const bool ended = in.good();
    line.append(part.data(), ended ? count - 1 : count);
    if (in.eof() && !line.empty()) in.clear(std::ios::eofbit);
    if (ended || in.eof()) break;
    if (in.bad() || count + 1 < part.size()) return false;
    if (line.size() > kLongestLine) return true;
    in.clear(in.rdstate() & ~std::ios::failbit);
  }
  return !in.fail();
}

Expected<void> WriteFile(const fs::path& path, std::string_view bytes) { return Write(path, bytes, false); }

Expected<void> WriteFileDurably(const fs::path& path, std::string_view bytes) { return Write(path, bytes, true); }

std::error_code WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {errno, std::generic_category()};
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

void ReportFullFilesAsErrors() { ::signal(SIGXFSZ, SIG_IGN); }

}  // namespace opbyop
