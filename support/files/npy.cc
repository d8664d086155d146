// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "support/aligned_memory.h"
#include "support/dtype.h"

namespace opbyop {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kPreamble = 10;   // magic, version, header length (version 1.0)
constexpr size_t kAlignment = 64;  // NumPy aligns the data so that it can be mapped

// The text after `'key':` in the header's Python dict literal.
std::optional<std::string_view> Field(std::string_view header, std::string_view key) {
  const size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<std::vector<int64_t>> ParseShape(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  text.remove_prefix(1);
  std::vector<int64_t> shape;
  while (!text.empty() && text.front() != ')') {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    int64_t dim = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (failure != std::errc() || dim < 0) return std::nullopt;
    shape.push_back(dim);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  if (text.empty()) return std::nullopt;
  return shape;
}

// The bytes of one element for a descr such as "<f4": the number after the kind letter. Returns -1 if it is malformed.
int64_t ElementBytes(std::string_view descr) {
  int64_t bytes = -1;
  if (descr.size() < 3) return -1;
  std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  return bytes;
}

// Writes a file of `size` bytes. `block` returns the next ones: at most `most`, from byte `first` on.
Expected<void> Write(const std::filesystem::path& path, const TensorType& type, size_t size, size_t most,
                     const std::function<std::span<const std::byte>(size_t first, size_t count)>& block) {
  const auto descr = DtypeNumpyDescr(type.dtype);
  const auto elements = NumElements(type);
  if (!descr || !elements || static_cast<size_t>(*elements * *DtypeBytes(type.dtype)) != size) {
    return MakeError(ExitCode::kInternal, fmt::format("{}: {} bytes do not fill shape [{}] of {}", path.string(), size,
                                                      fmt::join(type.shape, ", "), type.dtype));
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", *descr,
                                   fmt::join(type.shape, ", "), type.shape.size() == 1 ? "," : "");
  header.append(kAlignment - (kPreamble + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string preamble(kMagic);
  preamble += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << preamble << header;
  for (size_t first = 0; first < size && stream; first += most) {
    const std::span<const std::byte> bytes = block(first, std::min(size - first, most));
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  stream.close();
  if (!stream) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  return {};
}

constexpr size_t kMovedAtOnce = size_t{64} << 20;

}  // namespace

NpyFile::NpyFile(NpyFile&& other) noexcept { *this = std::move(other); }

NpyFile& NpyFile::operator=(NpyFile&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  std::swap(shape_, other.shape_);
  std::swap(descr_, other.descr_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

NpyFile::~NpyFile() {
  if (mapping_) munmap(mapping_, mapping_size_);
}

void NpyFile::ReadAhead() const {
#ifdef MADV_POPULATE_READ
  ::madvise(mapping_, mapping_size_, MADV_POPULATE_READ);
#endif
}

Expected<NpyFile> ReadNpy(const std::filesystem::path& path) {
  const auto bad = [&](std::string_view why) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: not a readable .npy file: {}", path.string(), why));
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  struct stat status{};
  fstat(descriptor, &status);
  // The file is opened in a way that does not wait for a pipe.
  if (!S_ISREG(status.st_mode)) {
    close(descriptor);
    return bad("not a regular file");
  }
  const size_t size = static_cast<size_t>(status.st_size);
  if (size < kPreamble) {
    close(descriptor);
    return bad(fmt::format("{} bytes, too short for a header", size));
  }
  NpyFile file;
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (mapping == MAP_FAILED) return bad(fmt::format("mapping failed: {}", std::strerror(errno)));
  file.mapping_ = mapping;
  file.mapping_size_ = size;
  const std::string_view all(static_cast<const char*>(mapping), size);
  if (!all.starts_with(kMagic)) return bad("the magic bytes are missing");
  if (all[6] != 1) return bad(fmt::format("npy version {} (this version reads 1)", static_cast<int>(all[6])));
  const size_t header_size = static_cast<unsigned char>(all[8]) + 256u * static_cast<unsigned char>(all[9]);
  if (kPreamble + header_size > size) return bad("truncated inside the header");
  const std::string_view header = all.substr(kPreamble, header_size);
  const auto descr = Field(header, "descr");
  const auto order = Field(header, "fortran_order");
  const auto shape_text = Field(header, "shape");
  if (!descr || !order || !shape_text || descr->size() < 2)
    return bad("the header lacks descr, fortran_order or shape");
  if (!order->starts_with("False")) return bad("Fortran order (save it with order='C')");
  const auto shape = ParseShape(*shape_text);
  if (!shape) return bad("the shape is malformed");
  file.shape_ = *shape;
  file.descr_ = std::string(descr->substr(1, descr->find('\'', 1) - 1));
  const int64_t element_bytes = ElementBytes(file.descr_);
  if (element_bytes <= 0) return bad(fmt::format("the descr '{}' is not a plain dtype", file.descr_));
  const auto elements = NumElements(TensorType{file.shape_, ""});
  const size_t data_size = size - kPreamble - header_size;
  if (!elements || static_cast<size_t>(*elements) * static_cast<size_t>(element_bytes) != data_size) {
    return bad(fmt::format("shape [{}] of {} needs another size than the {} bytes present: truncated?",
                           fmt::join(file.shape_, ", "), file.descr_, data_size));
  }
  file.bytes_ = {reinterpret_cast<const std::byte*>(all.data()) + kPreamble + header_size, data_size};
  return file;
}

Expected<void> WriteNpy(const std::filesystem::path& path, const TensorType& type, std::span<const std::byte> bytes) {
  return Write(path, type, bytes.size(), kMovedAtOnce,
               [&](size_t first, size_t count) { return bytes.subspan(first, count); });
}

Expected<void> MoveToNpy(const std::filesystem::path& path, const TensorType& type, std::vector<std::byte> bytes) {
  return Write(path, type, bytes.size(), kMovedAtOnce, [&](size_t first, size_t count) {
    if (first > 0) ReleasePages(bytes.data() + first - kMovedAtOnce, kMovedAtOnce);
    return std::span<const std::byte>(bytes).subspan(first, count);
  });
}

Expected<void> WriteNpyByBlocks(const std::filesystem::path& path, const TensorType& type,
                                const std::function<void(size_t first, std::span<std::byte> block)>& fill) {
  const auto elements = NumElements(type);
  const auto size = static_cast<size_t>(elements.value_or(0) * DtypeBytes(type.dtype).value_or(0));
  std::vector<std::byte> buffer(std::min(size, kNpyBlock));
  return Write(path, type, size, kNpyBlock, [&](size_t first, size_t count) {
    const std::span<std::byte> block = std::span(buffer).first(count);
    fill(first, block);
    return std::span<const std::byte>(block);
  });
}

}  // namespace opbyop
