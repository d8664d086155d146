// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads numbers and pieces from the front of MLIR bytecode. Every read returns nullopt if the bytes end before.
//
//   BytecodeCursor cursor(bytes);
//   std::optional<uint64_t> count = cursor.VarInt();
//   if (!count || !cursor.Holds(*count)) ...  // a list cannot have more elements than there are bytes left
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_CURSOR_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_CURSOR_H_

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opbyop {

class BytecodeCursor {
 public:
  explicit BytecodeCursor(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size(); }
  std::string_view rest() const { return bytes_; }

  // Whether `count` elements of at least one byte each can follow.
  bool Holds(uint64_t count) const { return count <= bytes_.size(); }

  std::optional<uint8_t> Byte() {
    if (bytes_.empty()) return std::nullopt;
    auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::optional<std::string_view> Bytes(uint64_t size) {
    if (!Holds(size)) return std::nullopt;
    std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  // Reads a varint. The trailing zeros of the first byte say how many bytes follow; the value is above these bits and
  // the lowest set bit.
  std::optional<uint64_t> VarInt() {
    std::optional<uint8_t> first = Byte();
    if (!first) return std::nullopt;
    size_t more = *first == 0 ? 8 : static_cast<size_t>(std::countr_zero(*first));
    std::optional<std::string_view> tail = Bytes(more);
    if (!tail) return std::nullopt;
    bool is_whole = more == 8;
    uint64_t value = is_whole ? 0 : *first;
    for (size_t i = 0; i < more; ++i) {
      value |= uint64_t{static_cast<uint8_t>((*tail)[i])} << (8 * (is_whole ? i : i + 1));
    }
    return is_whole ? value : value >> (more + 1);
  }

  // A number without its lowest bit, and that bit.
  struct Flagged {
    uint64_t value;
    bool flag;
  };
  std::optional<Flagged> VarIntWithFlag() {
    std::optional<uint64_t> number = VarInt();
    if (!number) return std::nullopt;
    return Flagged{*number >> 1, (*number & 1) != 0};
  }

  // Reads a zigzag-encoded number: the codes 0, 1, 2, 3, ... are 0, -1, 1, -2, ...
  std::optional<int64_t> SignedVarInt() {
    std::optional<uint64_t> number = VarInt();
    if (!number) return std::nullopt;
    return static_cast<int64_t>((*number >> 1) ^ (~(*number & 1) + 1));
  }

  // Reads a count. Returns nullopt if so many elements cannot follow.
  std::optional<uint64_t> Count() {
    std::optional<uint64_t> count = VarInt();
    return count && Holds(*count) ? count : std::nullopt;
  }

 private:
  std::string_view bytes_;
};

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_CURSOR_H_
