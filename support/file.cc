#include "support/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace opbyop {

namespace fs = std::filesystem;

Expected<std::string> ReadFile(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: is a folder, expected a file", path.string()));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  std::string bytes;
  const auto size = fs::file_size(path, failure);
  // Files of /proc say that they are empty: what counts is what can be read.
  size_t block = failure || size == 0 ? size_t{1} << 16 : static_cast<size_t>(size);
  while (stream) {
    const size_t done = bytes.size();
    bytes.resize(done + block);
    stream.read(bytes.data() + done, static_cast<std::streamsize>(block));
    bytes.resize(done + static_cast<size_t>(stream.gcount()));
    block = size_t{1} << 16;
  }
  if (stream.bad()) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: reading failed: {}", path.string(), std::strerror(errno)));
  }
  return bytes;
}

Expected<void> WriteFile(const fs::path& path, std::string_view bytes) {
  std::error_code failure;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failure);
  if (failure) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: the folder cannot be made: {}", path.parent_path().string(), failure.message()));
  }
  const fs::path draft = path.string() + fmt::format(".{}.tmp", getpid());
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      const std::string reason = std::strerror(errno);
      fs::remove(draft, failure);
      return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path.string(), reason));
    }
  }
  fs::rename(draft, path, failure);
  if (failure) {
    const std::string reason = failure.message();
    fs::remove(draft, failure);
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be put in place: {}", path.string(), reason));
  }
  return {};
}

std::error_code WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {errno, std::generic_category()};
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace opbyop
