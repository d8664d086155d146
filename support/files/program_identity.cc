// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/program_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/files/sha256.h"

namespace opbyop {
namespace {

constexpr int64_t kMostHashed = 32 << 20;
// The program headers and notes of a normal file are some hundred bytes.
constexpr uint64_t kMostHeaders = 256;
constexpr uint64_t kMostNotes = 64 << 10;

template <typename T>
bool ReadAt(int fd, uint64_t offset, T* to, size_t count = 1) {
  return ::pread(fd, to, sizeof(T) * count, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof(T) * count);
}

size_t Aligned(size_t size) { return (size + 3) & ~size_t{3}; }

// The GNU build id among the notes as hexadecimal text, or empty if there is none.
std::string BuildIdIn(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const size_t name = Aligned(note.n_namesz), description = Aligned(note.n_descsz);
    if (name > notes.size() || description > notes.size() - name) return "";
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4))) {
      std::string text;
      for (const unsigned char byte : notes.substr(name, note.n_descsz)) text += fmt::format("{:02x}", byte);
      return text;
    }
    notes.remove_prefix(name + description);
  }
  return "";
}

std::string BuildId(int fd) {
  Elf64_Ehdr file;
  if (!ReadAt(fd, 0, &file) || std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_phentsize != sizeof(Elf64_Phdr) || file.e_phnum > kMostHeaders) {
    return "";
  }
  std::vector<Elf64_Phdr> headers(file.e_phnum);
  if (!ReadAt(fd, file.e_phoff, headers.data(), headers.size())) return "";
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type != PT_NOTE || header.p_filesz > kMostNotes) continue;
    std::string notes(header.p_filesz, '\0');
    if (!ReadAt(fd, header.p_offset, notes.data(), notes.size())) continue;
    if (std::string id = BuildIdIn(notes); !id.empty()) return id;
  }
  return "";
}

// Without the libraries; empty if there is no such file.
std::string FileIdentity(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  struct stat status = {};
  const bool regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const std::string id = regular ? BuildId(fd) : "";
  ::close(fd);
  if (!regular) return "";
  if (!id.empty()) return "build id " + id;
  if (status.st_size > kMostHashed) return fmt::format("size {} written {}", status.st_size, status.st_mtime);
  const Expected<std::string> bytes = ReadFile(file);
  return bytes ? "sha256 " + Sha256Hex(*bytes) : "";
}

}  // namespace

std::string ProgramIdentity(const std::filesystem::path& file) {
  std::string identity = FileIdentity(file);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(file, error).parent_path();
  for (const std::string_view library : kSharedLibraries) {
    if (identity.empty() || error) break;
    const std::string of_library = FileIdentity(folder / library);
    if (!of_library.empty()) identity += fmt::format(", {} {}", library, of_library);
  }
  return identity;
}

}  // namespace opbyop
