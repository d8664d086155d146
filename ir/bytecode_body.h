// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the operations of MLIR bytecode hold together: counts fit, values are defined where they are said to be, and
// the stored orders of uses are orders.
#ifndef OPBYOP_IR_BYTECODE_BODY_H_
#define OPBYOP_IR_BYTECODE_BODY_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/bytecode_cursor.h"
#include "support/expected.h"

namespace opbyop {

struct BytecodeSection {
  enum : uint64_t { kString = 0, kDialect = 1, kEntry = 2, kEntryOffset = 3, kBody = 4, kProperties = 8 };
  uint64_t id;
  std::string_view bytes;
};

// The section that starts at `cursor`, within `file`; nothing where it does not fit.
std::optional<BytecodeSection> ReadSection(BytecodeCursor& cursor, std::string_view file);

// What references in the body may be.
struct BytecodeNumbers {
  uint64_t version;
  uint64_t attributes;
  uint64_t types;
  const std::vector<bool>& op_is_registered;  // an entry per operation name
};

Expected<void> CheckBody(std::string_view body, std::string_view file, const BytecodeNumbers& numbers);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BODY_H_
