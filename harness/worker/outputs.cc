// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "harness/worker/own_folder.h"
#include "support/dtype.h"
#include "support/files/file.h"
#include "support/files/file_tree.h"
#include "support/files/sha256.h"
#include "support/saturated.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDevice = "the device";

// A file with another element type or a long header is still accepted: the reference reports what is wrong with it.
constexpr int64_t kMostElementBytes = 16;
constexpr int64_t kMostHeaderBytes = 64 << 10;

int64_t MostBytes(const TensorType& type) {
  return AddCapped(kMostHeaderBytes, MulCapped(NumElements(type).value_or(0), kMostElementBytes));
}

std::string InputName(size_t index) { return fmt::format("input_{}.npy", index); }

// The output of the first run must exist. That of the last run exists if its bytes differ (docs/worker-protocol.md).
std::string OutputName(size_t index) { return fmt::format("output_{}.npy", index); }
std::string LastOutputName(size_t index) { return fmt::format("last_output_{}.npy", index); }

// Uses lstat: a link that leads nowhere exists too.
bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found;
}

std::string_view KindOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::optional<std::string> FindFileFault(const fs::path& file, const TensorType& type, std::string_view writer) {
  const std::string name = file.filename().string();
  struct stat status = {};
  if (::lstat(file.c_str(), &status) != 0) return fmt::format("{} left no {}", writer, name);
  if (!S_ISREG(status.st_mode)) return fmt::format("{} is {}, not a file", name, KindOf(status.st_mode));
  if (status.st_nlink != 1) return fmt::format("{} has {} names: it may be another file", name, status.st_nlink);
  if (status.st_size > MostBytes(type)) {
    return fmt::format("{} has {} bytes, {} elements of {} take {}", name, static_cast<int64_t>(status.st_size),
                       NumElements(type).value_or(0), type.dtype, StoredBytes(type));
  }
  return std::nullopt;
}

}  // namespace

void ClearInputs(const Case& c, const fs::path& dir) {
  GrantOwnerAccess(dir);
  for (size_t i = 0; i < c.total_inputs(); ++i) (void)RemoveTree(dir / InputName(i));
}

void ClearOutputs(const Case& c, const fs::path& dir) {
  GrantOwnerAccess(dir);
  for (size_t i = 0; i < c.total_outputs(); ++i) {
    (void)RemoveTree(dir / OutputName(i));
    (void)RemoveTree(dir / LastOutputName(i));
  }
}

std::optional<std::string> FindOutputFault(const Case& c, const fs::path& dir) {
  for (size_t i = 0; i < c.total_outputs(); ++i) {
    const TensorType& type = c.outputs[i % c.outputs.size()];
    if (auto fault = FindFileFault(dir / OutputName(i), type, kDevice)) return fault;
    const fs::path last = dir / LastOutputName(i);
    if (!IsThere(last)) continue;
    if (auto fault = FindFileFault(last, type, kDevice)) return fault;
  }
  return std::nullopt;
}

std::string DigestOfOutputs(const Case& c, const fs::path& dir) {
  std::string digests;
  for (size_t i = 0; i < c.total_outputs(); ++i) {
    digests += Sha256Hex(ReadFile(dir / OutputName(i)).value_or(""));
    if (IsThere(dir / LastOutputName(i))) digests += Sha256Hex(ReadFile(dir / LastOutputName(i)).value_or(""));
  }
  return digests;
}

std::optional<std::string> FindInputFault(const Case& c, const fs::path& dir, size_t digests) {
  for (size_t i = digests; i < c.total_inputs(); ++i) {
    if (auto fault = FindFileFault(dir / InputName(i), c.inputs[i % c.inputs.size()], "the reference worker"))
      return fault;
  }
  return std::nullopt;
}

bool IsAllZero(const fs::path& file, const TensorType& type) {
  const off_t bytes = StoredBytes(type);
  const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status = {};
  bool zero = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && bytes > 0 && status.st_size > bytes &&
              status.st_size - bytes <= kMostHeaderBytes;
  std::array<char, 64 << 10> buffer;
  // Read the file instead of mapping it: if it shrinks meanwhile, reading just ends, and the reader is not killed.
  for (off_t at = status.st_size - bytes; zero && at < status.st_size;) {
    const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), at);
    if (count < 0 && errno == EINTR) continue;
    zero = count > 0 && std::all_of(buffer.begin(), buffer.begin() + count, [](char byte) { return byte == 0; });
    at += count;
  }
  ::close(fd);
  return zero;
}

}  // namespace opbyop::harness
