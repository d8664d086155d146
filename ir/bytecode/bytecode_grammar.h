// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes the parts of attributes and types in MLIR bytecode, for each code of a dialect.
//
//   for (char part : TypeGrammar("builtin", 13)) ...     // tensor: "It", a list of numbers and a type
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_GRAMMAR_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_GRAMMAR_H_

#include <cstdint>
#include <string_view>

namespace opbyop {

// The parts of an entry after its code, one letter per part:
//   a, t  a reference to an attribute, to a type       A, T  a list of these
//   N     a list of pairs of attributes                o     0, or 1 and an attribute
//   s     a string                                     B     a blob: size, then bytes
//   v, i  an unsigned number, a signed number          V, I  a list of these
//   b     a list of bytes                              *     the remaining bytes
//   p     a byte, and an attribute if it is not 0
using Grammar = std::string_view;

// Return "*" for dialects and codes that are not known.
Grammar AttributeGrammar(std::string_view dialect, uint64_t code);
Grammar TypeGrammar(std::string_view dialect, uint64_t code);

// Codes of builtin attributes with constraints on their parts that the letters do not express.
inline constexpr uint64_t kDenseArray = 17, kDenseElements = 18, kDenseStrings = 19, kSparse = 20, kFileRange = 22;

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_GRAMMAR_H_
