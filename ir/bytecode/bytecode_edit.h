// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces pieces of MLIR bytecode by others. The sections around them get their new sizes.
//
//   BytecodeEdit edit(file);
//   edit.AddSection(section);            // for every section, including nested ones
//   edit.Replace(number, VarInt(12));    // a part of `file`
//   Expected<std::string> bytes = edit.Take();
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_EDIT_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_EDIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/bytecode/bytecode_cursor.h"
#include "support/expected.h"

namespace opbyop {

struct BytecodeSection {
  enum : uint64_t {
    kString = 0,
    kDialect = 1,
    kEntry = 2,
    kEntryOffset = 3,
    kBody = 4,
    kResource = 5,
    kResourceOffset = 6,
    kProperties = 8
  };
  uint64_t id;
  std::string_view bytes;
  std::string_view whole;  // the section including its header
  uint64_t alignment = 1;
};

// Reads the section that starts at `cursor` in `file`. Returns nullopt if it does not fit.
std::optional<BytecodeSection> ReadSection(BytecodeCursor& cursor, std::string_view file);

// Encodes a number as a varint of MLIR bytecode, in as few bytes as possible.
std::string VarInt(uint64_t value);

class BytecodeEdit {
 public:
  explicit BytecodeEdit(std::string_view file) : file_(file) {}

  void AddSection(const BytecodeSection& section) { pieces_.push_back({section.whole, "", section}); }
  void Replace(std::string_view old, std::string text) {
    pieces_.push_back({old, std::move(text), std::nullopt});
    is_changed_ = true;
  }
  bool is_changed() const { return is_changed_; }

  // Returns the edited bytes. Returns kUnsupported if a nested section demands an alignment.
  Expected<std::string> Take();

 private:
  struct Piece {
    std::string_view old;
    std::string text;
    std::optional<BytecodeSection> section;
  };

  // Appends the edited form of `range` of the file.
  bool Emit(std::string_view range, bool is_top, std::string& out);

  std::string_view file_;
  std::vector<Piece> pieces_;
  size_t next_ = 0;
  bool is_changed_ = false;
};

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_EDIT_H_
