// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the container of MLIR bytecode holds together, before MLIR's reader sees it.
//
//   Expected<std::optional<std::string>> todays = CheckBytecode(bytes);
//   if (!todays) print(todays.error().message);  // "string 3 is empty"
//   Read(*todays ? **todays : bytes);
//
// MLIR's reader trusts counts, list indices and references that damaged bytes get wrong, and then takes more memory
// than there is, more stack, or memory of others. What passes here it reads, or refuses with a message. Bytecode of a
// version that is not known passes: MLIR says so itself.
#ifndef OPBYOP_IR_BYTECODE_CHECK_H_
#define OPBYOP_IR_BYTECODE_CHECK_H_

#include <optional>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

// `bytes` from the magic number on, to lie at an address that is a multiple of kBytecodeAlignment when they are read.
// Where other releases write something otherwise (ir/bytecode_rows.h), the bytes of a file that says the same as it is
// read here.
Expected<std::optional<std::string>> CheckBytecode(std::string_view bytes);

// What sections of bytecode may ask for.
inline constexpr uint64_t kBytecodeAlignment = 64;

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_CHECK_H_
