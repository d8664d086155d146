// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Repacks large i1 constants in MLIR text, so that texts of all producers can be read.
//
// `dense<"0x..."> : tensor<200xi1>` has one bit per element in texts written until early 2026, and one byte per element
// since. MLIR 22 reads only bits. Such constants are repacked in place and padded with blanks, so that no line or
// column of the text changes:
//
//   std::string text = "dense<\"0x0100010101010101\"> : tensor<8xi1>";
//   RepackBooleanHex(text);  // dense<"0xFD"              > : tensor<8xi1>
#ifndef OPBYOP_IR_BOOLEAN_HEX_H_
#define OPBYOP_IR_BOOLEAN_HEX_H_

#include <string>
#include <string_view>

namespace opbyop {

// Returns the number of constants that were repacked. Text that is not clearly such a constant is left to MLIR's
// parser.
int RepackBooleanHex(std::string& text);

// Whether the text has an i1 constant in hexadecimal digits, in either form.
bool HasBooleanHex(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_IR_BOOLEAN_HEX_H_
