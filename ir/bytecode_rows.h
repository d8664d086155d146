// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What other releases write than the MLIR that reads it here. Older StableHLO wrote attributes and rows of properties
// shorter: rows are positional, and nothing in a file says which one an op has but how many numbers it consists of.
// Newer MLIR has codes for small floats.
//
//   TodaysRow("chlo.top_k", 6, "\x07")   // "\x01\x07": is_stable, which was not there, then k
#ifndef OPBYOP_IR_BYTECODE_ROWS_H_
#define OPBYOP_IR_BYTECODE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opbyop {

// The row as today's ops read it; nothing where it is one of today, or no row of this op.
std::optional<std::string> TodaysRow(std::string_view op, uint64_t bytecode_version, std::string_view row);

// The same for the entry of an attribute of `dialect`, its code included.
std::optional<std::string> TodaysAttribute(std::string_view dialect, std::string_view entry);

// The text of a type that newer MLIR has a code for, with the end of a text: "f8E4M3FN\0".
std::optional<std::string> TextOfType(std::string_view dialect, std::string_view entry);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_ROWS_H_
