// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the attributes and types of MLIR bytecode are ones its readers can take.
//
//   Expected<void> done = CheckEntries(attributes, types, strings);
//
// MLIR's own readers reserve room for whatever count they are told, follow references until the stack ends and build
// builtin types unchecked. Here counts must fit into the bytes that are left, references must end and be few deep,
// and builtin types must be ones that MLIR would build. Entries of dialects and codes that are not known pass.
#ifndef OPBYOP_IR_BYTECODE_ENTRIES_H_
#define OPBYOP_IR_BYTECODE_ENTRIES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

struct BytecodeEntry {
  std::string_view dialect;
  std::string_view bytes;
  bool is_text = false;  // in MLIR's assembly, not in the dialect's encoding
};

Expected<void> CheckEntries(const std::vector<BytecodeEntry>& attributes, const std::vector<BytecodeEntry>& types,
                            uint64_t strings);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_ENTRIES_H_
