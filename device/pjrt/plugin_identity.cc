// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/plugin_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "support/files/sha256.h"

namespace opbyop::pjrt {

namespace fs = std::filesystem;

namespace {

// Whether pip's list of a package's files names this one.
bool Lists(const fs::path& record, const std::string& file) {
  std::ifstream lines(record);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(file + ",")) return true;
  }
  return false;
}

}  // namespace

std::string PackageOf(const fs::path& file) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(file, error);
  for (fs::path folder = whole.parent_path(); folder != folder.root_path(); folder = folder.parent_path()) {
    const std::string name = whole.lexically_relative(folder).string();
    for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
      if (entry.path().extension() != ".dist-info" || !Lists(entry.path() / "RECORD", name)) continue;
      // "jax_tt_plugin-0.1.3"
      std::string package = entry.path().stem().string();
      const size_t dash = package.rfind('-');
      if (dash == std::string::npos) continue;
      package[dash] = ' ';
      std::replace(package.begin(), package.begin() + static_cast<std::ptrdiff_t>(dash), '_', '-');
      return package;
    }
    if (folder.filename() == "site-packages") break;
  }
  return "";
}

Expected<std::string> FileSha256(const fs::path& file) {
  std::error_code error;
  const size_t size = fs::file_size(file, error);
  const int fd = error ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  void* bytes = fd < 0 || size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0) ::close(fd);
  if (bytes == MAP_FAILED) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be read for its digest", file.string()));
  }
  std::string digest = Sha256Hex({static_cast<const char*>(bytes), size});
  ::munmap(bytes, size);
  return digest;
}

}  // namespace opbyop::pjrt
