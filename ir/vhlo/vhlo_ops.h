// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The versioned operations of portable artifacts, as one table: what each carries and how that reads in StableHLO.
//
//   if (const VhloOp* op = FindVhloOp("slice_v1"))
//     for (const Property& property : op->properties) ...  // start_indices, limit_indices, strides
//
// Bytecode stores the attributes of an op by position, sorted by name: a missing or misspelt one shifts all others.
#ifndef OPBYOP_IR_VHLO_VHLO_OPS_H_
#define OPBYOP_IR_VHLO_VHLO_OPS_H_

#include <initializer_list>
#include <vector>

#include "ir/artifact_info.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace opbyop::vhlo {

// How a stored attribute becomes StableHLO's. A portable artifact spells every default out; StableHLO leaves it away.
enum class Rule {
  kKeep,           // as it is
  kDrop,           // no longer part of the op
  kNonEmpty,       // as it is; absent when an empty string, array, dictionary or tensor
  kNonZero,        // as it is; absent when a tensor or integer of zeros, or false
  kNonNegative,    // as it is; absent when -1
  kUnit,           // true is a unit attribute, false is absence
  kArray,          // 1-d tensor -> array<i64: ..>
  kArrayNonEmpty,  // the same; absent when empty
  kArrayNonOne,    // the same; absent when all ones
  kBoolArray,      // 1-d tensor -> array<i1: ..>; absent when all false
  kSymbol,         // string -> @symbol
  kSymbols,        // array of strings -> array of @symbols
  kPrecisions,     // array of precisions; absent when all DEFAULT
  kNonDefault,     // enumeration or result accuracy; absent when its first value or without demands
  kApiVersion,     // absent when ORIGINAL
};

struct Property {
  llvm::StringLiteral name;
  Rule rule = Rule::kKeep;
};

struct VhloOp {
  llvm::StringLiteral name;          // "slice_v1", without "vhlo."
  std::vector<Property> properties;  // sorted by name
  VhloVersion since = {0, 9, 0};     // the first version that has it

  // "slice" of "slice_v1".
  llvm::StringRef stem() const { return llvm::StringRef(name).rsplit("_v").first; }
};

// Every op of VHLO 0.9.0 to 1.20.0.
llvm::ArrayRef<VhloOp> VhloOps();

// The op called `name` ("slice_v1"), or null.
const VhloOp* FindVhloOp(llvm::StringRef name);

// The newest op of `stem` ("slice") that `target` has, or null.
const VhloOp* FindVhloOp(llvm::StringRef stem, const VhloVersion& target);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_VHLO_OPS_H_
