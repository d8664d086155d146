// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/artifact_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "ir/bytecode/bytecode_cursor.h"
#include "ir/hlo/hlo_file.h"

namespace opbyop {
namespace {

constexpr std::string_view kBytecodeMagic = "ML\xEFR";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // of UTF-8; editors on Windows begin texts with it
constexpr std::string_view kPortableProducer = "StableHLO_v";

struct Signature {
  size_t offset;
  std::string_view magic;
  std::string_view what;
};

using namespace std::string_view_literals;

constexpr auto kForeign = std::to_array<Signature>({
    {0, "\x89PNG"sv, "a PNG image"},
    {0, "\xFF\xD8\xFF"sv, "a JPEG image"},
    {0, "GIF8"sv, "a GIF image"},
    {0,
     "\x7F"
     "ELF"sv,
     "an ELF program or object"},
    {0, "\xCF\xFA\xED\xFE"sv, "a Mach-O program or object"},
    {0, "!<arch>\n"sv, "a static library"},
    {0, "BC\xC0\xDE"sv, "LLVM bitcode"},
    {0, "PK\x03\x04"sv, "a ZIP archive (a PyTorch .pt2 or .pt file is one)"},
    {0, "\x1F\x8B"sv, "gzip data (`gunzip` unpacks it)"},
    {0, "\x28\xB5\x2F\xFD"sv, "zstd data (`zstd -d` unpacks it)"},
    {0, "BZh"sv, "bzip2 data (`bunzip2` unpacks it)"},
    {0,
     "\xFD"
     "7zXZ"sv,
     "xz data (`unxz` unpacks it)"},
    {0, "\xFF\xFE"sv, "text in UTF-16 (store it in UTF-8)"},
    {0, "\xFE\xFF"sv, "text in UTF-16 (store it in UTF-8)"},
    {257, "ustar"sv, "a tar archive (`tar -x` unpacks it)"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "\x93NUMPY"sv, "a NumPy array"},
    {0, "\x89HDF\r\n"sv, "an HDF5 file"},
    {4, "TFL3"sv, "a TensorFlow Lite model"},
    {0, "\x08\x07\x12"sv, "an ONNX model"},
    {0, "\x08\x08\x12"sv, "an ONNX model"},
    {0, "\x80\x04\x95"sv, "a Python pickle"},
    {0, "<!DOCTYPE"sv, "an HTML page"},
    {0, "<html"sv, "an HTML page"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer (run `git lfs pull`)"},
});

// Describes `bytes` if they are certainly not MLIR; else returns an empty text.
std::string_view ForeignKind(std::string_view bytes) {
  for (const Signature& signature : kForeign) {
    if (bytes.size() >= signature.offset + signature.magic.size() &&
        bytes.substr(signature.offset, signature.magic.size()) == signature.magic) {
      return signature.what;
    }
  }
  if (HloFormOf(bytes)) return "XLA's HLO (`opbyop split FILE -o DIR` makes StableHLO of it, in DIR/models)";
  // Text has no control characters except white space. UTF-8 bytes are allowed.
  auto is_binary = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t'; };
  std::string_view head = bytes.substr(0, 4096);
  if (std::ranges::any_of(head, is_binary)) return "binary data of an unknown kind";
  size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos && head.size() == bytes.size()) return "white space only";
  return {};
}

std::optional<VhloVersion> ParseVersion(std::string_view text) {
  VhloVersion version;
  const char* at = text.data();
  const char* end = at + text.size();
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    if (part != &version.major && (at == end || *at++ != '.')) return std::nullopt;
    auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part < 0) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(version) : std::nullopt;
}

// Reads a little-endian number at `offset`. Returns nullopt if the bytes end before it does.
template <typename T>
std::optional<T> Number(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  return static_cast<T>(value);
}

// Returns the bytecode that the root table of a flatbuffer holds as a byte vector; empty if there is none. A derivative
// that JAX exports with the program is in a nested table and is not found.
std::string_view JaxExportedModule(std::string_view bytes) {
  auto root = Number<uint32_t>(bytes, 0);
  auto to_layout = root ? Number<int32_t>(bytes, *root) : std::nullopt;
  if (!to_layout) return {};
  int64_t layout = int64_t{*root} - *to_layout;
  auto layout_size = layout < 0 ? std::nullopt : Number<uint16_t>(bytes, layout);
  for (int64_t entry = 4; layout_size && entry + 2 <= *layout_size; entry += 2) {
    auto field = Number<uint16_t>(bytes, layout + entry);
    auto to_vector = field && *field != 0 ? Number<uint32_t>(bytes, uint64_t{*root} + *field) : std::nullopt;
    if (!to_vector) continue;
    uint64_t vector = uint64_t{*root} + *field + *to_vector;
    auto size = Number<uint32_t>(bytes, vector);
    if (!size || bytes.size() - vector - sizeof(*size) < *size) continue;
    std::string_view content = bytes.substr(vector + sizeof(*size), *size);
    if (content.starts_with(kBytecodeMagic)) return content;
  }
  return {};
}

// True if the strings of the bytecode, each of which ends with a null, may include the name of the vhlo dialect.
// Producers of early 2023 wrote its operations before artifacts had versions.
bool MayHoldVhlo(std::string_view bytes) {
  constexpr std::string_view kName("vhlo\0", 5);
  for (size_t at = bytes.find(kName); at != std::string_view::npos; at = bytes.find(kName, at + 1)) {
    // The name is a whole string if it follows the null of another string or, as the first string, a size, which is not
    // a letter or digit.
    if (at == 0 || std::isalnum(static_cast<unsigned char>(bytes[at - 1])) == 0) return true;
  }
  return false;
}

Expected<ArtifactInfo> InspectBytecode(std::string_view bytes, ArtifactInfo info) {
  info.kind = ArtifactKind::kBytecode;
  BytecodeCursor cursor(bytes.substr(kBytecodeMagic.size()));
  info.bytecode_version = cursor.VarInt();
  bytes = cursor.rest();
  size_t end = bytes.find('\0');
  if (!info.bytecode_version || end == std::string_view::npos) {
    return MakeError(ExitCode::kBadInput, "is MLIR bytecode cut off inside its header; the file is truncated");
  }
  info.producer = bytes.substr(0, end);
  auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::ranges::all_of(info.producer, is_printable)) {
    return MakeError(ExitCode::kBadInput, "is MLIR bytecode whose producer is no text; the file is damaged");
  }
  if (!info.producer.starts_with(kPortableProducer)) {
    if (MayHoldVhlo(bytes)) info.kind = ArtifactKind::kPortableArtifact;
    return info;
  }
  info.kind = ArtifactKind::kPortableArtifact;
  info.version = ParseVersion(std::string_view(info.producer).substr(kPortableProducer.size()));
  if (info.version) return info;
  return MakeError(ExitCode::kBadInput,
                   fmt::format("is a portable artifact of producer '{}', which names no version X.Y.Z",
                               info.producer.substr(0, 64)));
}

}  // namespace

std::string_view ToString(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::kText:
      return "text";
    case ArtifactKind::kBytecode:
      return "bytecode";
    case ArtifactKind::kPortableArtifact:
      return "portable artifact";
  }
  return "unknown";
}

std::string ToString(const VhloVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

Expected<ArtifactInfo> InspectArtifact(std::string_view bytes) {
  if (bytes.empty()) return MakeError(ExitCode::kBadInput, "is empty; expected MLIR text, bytecode or an artifact");
  ArtifactInfo info;
  info.size = bytes.size();
  if (bytes.starts_with(kBytecodeMagic)) return InspectBytecode(bytes, info);
  std::string_view wrapped = JaxExportedModule(bytes);
  if (!wrapped.empty()) {
    info.is_jax_export = true;
    info.offset = wrapped.data() - bytes.data();
    info.size = wrapped.size();
    return InspectBytecode(wrapped, info);
  }
  if (bytes.starts_with(kByteOrderMark)) {
    Expected<ArtifactInfo> marked = InspectArtifact(bytes.substr(kByteOrderMark.size()));
    if (marked) marked->offset += kByteOrderMark.size();
    return marked;
  }
  std::string_view foreign = ForeignKind(bytes);
  if (bytes.size() == 3 && kBytecodeMagic.starts_with(bytes)) foreign = "the first bytes of a truncated artifact";
  if (foreign.empty()) return info;
  return MakeError(ExitCode::kBadInput, fmt::format("looks like {}, not MLIR text or bytecode", foreign));
}

}  // namespace opbyop
