// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that MLIR's readers can safely read the attributes and types of MLIR bytecode.
//
//   Expected<void> done = CheckEntries(attributes, types, strings);
//
// MLIR's own readers reserve memory for any count in the file, follow references until the stack overflows and build
// builtin types unchecked. This check demands that counts fit the remaining bytes, that references are acyclic and not
// nested too deep, and that builtin types are valid. Entries of unknown dialects or codes pass.
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_ENTRIES_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_ENTRIES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

struct BytecodeEntry {
  std::string_view dialect;
  std::string_view bytes;
  bool is_text = false;  // stored as MLIR assembly, not in the dialect's encoding
};

Expected<void> CheckEntries(const std::vector<BytecodeEntry>& attributes, const std::vector<BytecodeEntry>& types,
                            uint64_t strings);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_ENTRIES_H_
