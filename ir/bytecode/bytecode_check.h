// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the structure of MLIR bytecode is consistent, before MLIR's reader reads it.
//
//   Expected<std::optional<std::string>> current = CheckBytecode(bytes);
//   if (!current) print(current.error().message);  // "string 3 is empty"
//   Read(*current ? **current : bytes);
//
// MLIR's reader trusts counts, list indices and references. If damaged bytes make them wrong, it runs out of memory or
// stack, or reads memory out of bounds. Bytes that pass this check are read or refused with a message. Bytecode of an
// unknown version passes, because MLIR refuses it itself.
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_CHECK_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_CHECK_H_

#include <optional>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

// `bytes` starts with the magic number. When it is read, its address must be a multiple of kBytecodeAlignment. If the
// file has parts in the form of another release (ir/bytecode/bytecode_rows.h), returns the bytes of an equivalent file in the
// form that is read here; else nullopt.
Expected<std::optional<std::string>> CheckBytecode(std::string_view bytes);

// The greatest alignment that sections of bytecode may demand.
inline constexpr uint64_t kBytecodeAlignment = 64;

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_CHECK_H_
