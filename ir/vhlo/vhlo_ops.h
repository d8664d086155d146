// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The versioned operations of portable artifacts, as one table: the attributes of each operation, and how they become
// StableHLO's.
//
//   if (const VhloOp* op = FindVhloOp("slice_v1"))
//     for (const Property& property : op->properties) ...  // start_indices, limit_indices, strides
//
// Bytecode stores the attributes of an op by position, sorted by name. A missing or misspelt attribute in the table
// would therefore shift all others.
#ifndef OPBYOP_IR_VHLO_VHLO_OPS_H_
#define OPBYOP_IR_VHLO_VHLO_OPS_H_

#include <initializer_list>
#include <vector>

#include "ir/artifact_info.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace opbyop::vhlo {

// The conversion of a stored attribute to StableHLO's. A portable artifact contains all defaults; StableHLO omits them.
enum class Rule {
  kKeep,           // unchanged
  kDrop,           // dropped: no longer part of the op
  kNonEmpty,       // unchanged; absent if an empty string, array, dictionary or tensor
  kNonZero,        // unchanged; absent if a tensor of zeros, the integer 0, or false
  kNonNegative,    // unchanged; absent if -1
  kUnit,           // true becomes a unit attribute; absent if false
  kArray,          // 1-d tensor -> array<i64: ..>
  kArrayNonEmpty,  // the same; absent if empty
  kArrayNonOne,    // the same; absent if all ones
  kBoolArray,      // 1-d tensor -> array<i1: ..>; absent if all false
  kSymbol,         // string -> @symbol
  kSymbols,        // array of strings -> array of @symbols
  kPrecisions,     // array of precisions; absent if all DEFAULT
  kNonDefault,     // enumeration; absent if its first value. Result accuracy; absent if it demands nothing
  kApiVersion,     // absent if ORIGINAL
};

struct Property {
  llvm::StringLiteral name;
  Rule rule = Rule::kKeep;
};

struct VhloOp {
  llvm::StringLiteral name;          // "slice_v1", without "vhlo."
  std::vector<Property> properties;  // sorted by name
  VhloVersion since = {0, 9, 0};     // the first version that has it

  // Returns "slice" for "slice_v1".
  llvm::StringRef stem() const { return llvm::StringRef(name).rsplit("_v").first; }
};

// Returns every op of VHLO 0.9.0 to 1.20.0.
llvm::ArrayRef<VhloOp> VhloOps();

// Returns the op called `name` ("slice_v1"), or null.
const VhloOp* FindVhloOp(llvm::StringRef name);

// Returns the newest op of `stem` ("slice") that `target` has, or null.
const VhloOp* FindVhloOp(llvm::StringRef stem, const VhloVersion& target);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_VHLO_OPS_H_
