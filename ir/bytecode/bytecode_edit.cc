// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_edit.h"

#include <algorithm>
#include <bit>

#include "ir/bytecode/bytecode_check.h"

namespace opbyop {
namespace {

constexpr uint8_t kHasAlignment = 0x80;
constexpr char kPadding = '\xCB';

}  // namespace

std::optional<BytecodeSection> ReadSection(BytecodeCursor& cursor, std::string_view file) {
  const char* begin = cursor.rest().data();
  std::optional<uint8_t> id = cursor.Byte();
  std::optional<uint64_t> size = cursor.VarInt();
  if (!id || !size) return std::nullopt;
  uint64_t alignment = 1;
  if (*id & kHasAlignment) {
    const std::optional<uint64_t> asked = cursor.VarInt();
    if (!asked || !std::has_single_bit(*asked) || *asked > kBytecodeAlignment) return std::nullopt;
    alignment = *asked;
    while ((cursor.rest().data() - file.data()) % alignment != 0) {
      if (!cursor.Byte()) return std::nullopt;
    }
  }
  std::optional<std::string_view> bytes = cursor.Bytes(*size);
  if (!bytes) return std::nullopt;
  const std::string_view whole(begin, bytes->data() + bytes->size() - begin);
  return BytecodeSection{static_cast<uint64_t>(*id & ~kHasAlignment), *bytes, whole, alignment};
}

std::string VarInt(uint64_t value) {
  // Each byte holds seven bits of the number. A number that would need nine bytes follows a zero byte in eight bytes.
  size_t bytes = 1;
  while (bytes < 9 && (value >> (7 * bytes)) != 0) ++bytes;
  std::string text;
  if (bytes == 9) {
    text += '\0';
    bytes = 8;
  } else {
    value = (value << bytes) | (uint64_t{1} << (bytes - 1));
  }
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

Expected<std::string> BytecodeEdit::Take() {
  std::ranges::sort(pieces_, std::less<>(), [](const Piece& piece) { return piece.old.data(); });
  std::string out;
  if (!Emit(file_, /*is_top=*/true, out)) {
    return MakeError(ExitCode::kUnsupported, "it is written in an older form, and a nested section of it is aligned");
  }
  return out;
}

bool BytecodeEdit::Emit(std::string_view range, bool is_top, std::string& out) {
  const char* at = range.data();
  const char* end = at + range.size();
  while (next_ < pieces_.size() && pieces_[next_].old.data() < end) {
    const Piece& piece = pieces_[next_++];
    out.append(at, piece.old.data() - at);
    at = piece.old.data() + piece.old.size();
    if (!piece.section) {
      out += piece.text;
      continue;
    }
    const BytecodeSection& section = *piece.section;
    const bool is_aligned = section.alignment > 1;
    if (is_aligned && !is_top) return false;
    std::string content;
    if (!Emit(section.bytes, /*is_top=*/false, content)) return false;
    out += static_cast<char>(section.id | (is_aligned ? kHasAlignment : 0));
    out += VarInt(content.size());
    if (is_aligned) out += VarInt(section.alignment);
    while (out.size() % section.alignment != 0) out += kPadding;
    out += content;
  }
  out.append(at, end - at);
  return true;
}

}  // namespace opbyop
