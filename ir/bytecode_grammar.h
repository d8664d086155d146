// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the attributes and types of MLIR bytecode consist of, by the dialect's own codes.
//
//   for (char part : TypeGrammar("builtin", 13)) ...     // tensor: "It", a list of numbers and a type
#ifndef OPBYOP_IR_BYTECODE_GRAMMAR_H_
#define OPBYOP_IR_BYTECODE_GRAMMAR_H_

#include <cstdint>
#include <string_view>

namespace opbyop {

// What an entry consists of after its code, a letter per part:
//   a, t  a reference to an attribute, a type          A, T  a list of them
//   N     a list of pairs of attributes                o     0, or 1 and an attribute
//   s     a string                                     B     a blob: size, then bytes
//   v, i  a number, a signed one                       V, I  a list of them
//   b     a list of bytes                              *     whatever is left
//   p     a byte, and an attribute if it is not 0
using Grammar = std::string_view;

// "*" for dialects and codes that are not known.
Grammar AttributeGrammar(std::string_view dialect, uint64_t code);
Grammar TypeGrammar(std::string_view dialect, uint64_t code);

// Codes of builtin attributes whose parts say more than their letters do.
inline constexpr uint64_t kDenseArray = 17, kDenseElements = 18, kDenseStrings = 19, kSparse = 20, kFileRange = 22;

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_GRAMMAR_H_
