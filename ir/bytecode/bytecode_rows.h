// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts bytecode that other releases write to the form that MLIR reads here. In older StableHLO attributes and rows
// of properties had fewer fields. Rows are positional, and only the count of their numbers shows which form a file
// uses. Newer MLIR has codes for small floats.
//
//   CurrentRow("chlo.top_k", 6, "\x07")   // "\x01\x07": is_stable, which older files lack, then k
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_ROWS_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opbyop {

// Returns the row in the current form. Returns nullopt if it already is, or if it is not a row of this op.
std::optional<std::string> CurrentRow(std::string_view op, uint64_t bytecode_version, std::string_view row);

// Does the same for the entry of an attribute of `dialect`, including its code.
std::optional<std::string> CurrentAttribute(std::string_view dialect, std::string_view entry);

// Returns the text of a type for which only newer MLIR has a code, with the null that ends it: "f8E4M3FN\0".
std::optional<std::string> TextOfType(std::string_view dialect, std::string_view entry);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_ROWS_H_
