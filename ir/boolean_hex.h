// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Large i1 constants in MLIR text, of whichever producer.
//
// `dense<"0x..."> : tensor<200xi1>` holds one bit per element up to early 2026 and one byte since; MLIR 22 reads bits
// only. Such constants are repacked in place, padded with blanks so that no line or column of the text moves:
//
//   std::string text = "dense<\"0x0100010101010101\"> : tensor<8xi1>";
//   RepackBooleanHex(text);  // dense<"0xFD"              > : tensor<8xi1>
#ifndef OPBYOP_IR_BOOLEAN_HEX_H_
#define OPBYOP_IR_BOOLEAN_HEX_H_

#include <string>
#include <string_view>

namespace opbyop {

// Returns how many constants were repacked. Whatever is not clearly such a constant is left to MLIR's parser.
int RepackBooleanHex(std::string& text);

// Whether the text has an i1 constant in hexadecimal digits, of either kind.
bool HasBooleanHex(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_IR_BOOLEAN_HEX_H_
