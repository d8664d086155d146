// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/cache/cache_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/files/file.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSecretBytes = 32;
constexpr size_t kFewestSecretBytes = 16;
constexpr size_t kMostSecretBytes = 4096;

tl::unexpected<Error> Unusable(const fs::path& path, const std::string& why) {
  return MakeError(ExitCode::kNoInput, fmt::format("{} {}", path.string(), why));
}

std::string Random() {
  std::array<unsigned char, kSecretBytes> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// Creates the key file. If several runs do so at once, the first one's file stays.
Expected<void> MakeKey(const fs::path& file) {
  const std::string secret = Random();
  const std::string draft = fmt::format("{}.{}.tmp", file.string(), Random().substr(0, 16));
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 || secret.empty()) return Unusable(file, fmt::format("cannot be made: {}", std::strerror(errno)));
  std::error_code error = WriteAll(fd, secret);
  ::close(fd);
  if (!error && ::link(draft.c_str(), file.c_str()) != 0 && errno != EEXIST) error = {errno, std::generic_category()};
  ::unlink(draft.c_str());
  if (error) return Unusable(file, fmt::format("cannot be made: {}", error.message()));
  return {};
}

Expected<CacheKey> SharedKey(const char* file) {
  Expected<std::string> secret = ReadFile(file, kMostSecretBytes);
  if (!secret) return Unexpected(secret.error());
  if (secret->size() < kFewestSecretBytes) {
    return Unusable(file,
                    fmt::format("({}) is no key: it has fewer than {} bytes", kCacheKeyVariable, kFewestSecretBytes));
  }
  return CacheKey{std::move(*secret), true};
}

}  // namespace

Expected<void> OpenCacheFolder(const fs::path& folder, const CacheKey& key) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), key.shared ? 0777 : 0700) != 0 && errno != EEXIST) {
    return Unusable(folder, fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  struct stat status = {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return Unusable(folder, "is a link or a file, expected a folder");
  }
  if (!key.shared && status.st_uid != ::geteuid()) return Unusable(folder, "belongs to another user");
  return {};
}

Expected<int> OpenTrusted(const fs::path& file, const CacheKey& key, struct stat& status) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return Unusable(file, errno == ELOOP ? "is a link" : fmt::format("cannot be read: {}", std::strerror(errno)));
  const char* why = ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ? "is no regular file"
                    : !key.shared && status.st_uid != ::geteuid()         ? "belongs to another user"
                                                                          : nullptr;
  if (why == nullptr) return fd;
  ::close(fd);
  return Unusable(file, why);
}

Expected<CacheKey> OpenCacheKey(const fs::path& folder) {
  const char* shared = std::getenv(kCacheKeyVariable);
  CacheKey key;
  if (shared != nullptr && *shared != '\0') {
    Expected<CacheKey> named = SharedKey(shared);
    if (!named) return named;
    key = std::move(*named);
  }
  if (const Expected<void> opened = OpenCacheFolder(folder, key); !opened) return Unexpected(opened.error());
  if (key.shared) return key;
  const fs::path file = folder / "key";
  if (struct stat status = {}; ::lstat(file.c_str(), &status) != 0) {
    if (const Expected<void> made = MakeKey(file); !made) return Unexpected(made.error());
  }
  struct stat status = {};
  const Expected<int> fd = OpenTrusted(file, key, status);
  if (!fd) return Unexpected(fd.error());
  std::array<char, kMostSecretBytes> bytes = {};
  const ssize_t count = ::read(*fd, bytes.data(), bytes.size());
  ::close(*fd);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return Unusable(file, "may be read by others");
  if (count < static_cast<ssize_t>(kFewestSecretBytes)) return Unusable(file, "is no key: remove it");
  key.secret.assign(bytes.data(), static_cast<size_t>(count));
  return key;
}

}  // namespace opbyop::harness
