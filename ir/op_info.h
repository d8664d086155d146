// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Facts about an op that other rooms need in addition to its class: its category, its kind in reports, and the role of
// each operand. They are stated in the op's ODS record.
//
//   KindOf("chlo.mulhi");  // OpKind::kElementwiseBinary
//   const OpInfo* info = LookUpOp("stablehlo.gather");
//   RoleOf(*info, /*operand=*/1, /*operand_count=*/2);  // OperandRole::kIndex
#ifndef OPBYOP_IR_OP_INFO_H_
#define OPBYOP_IR_OP_INFO_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "support/op_kind.h"

namespace opbyop {

enum class OperandRole {
  kValue,  // a tensor that the op computes with
  kIndex,  // positions in another operand
  kShape,  // a shape, a size, an amount of padding
  kToken,  // orders ops, has no data
};

struct OpInfo {
  llvm::StringRef name;      // "stablehlo.gather"
  llvm::StringRef category;  // "data movement"
  OpKind kind = OpKind::kOther;
  llvm::StringRef roles;  // see ir/op_info.td
  bool commutative = false;
  bool takes_stored = false;  // takes quantized elements in stored form
};

// Returns every op of this project's dialects, sorted by name.
llvm::ArrayRef<OpInfo> AllOps();

// Returns the op of that full name, or null if it is not in a dialect of this project.
const OpInfo* LookUpOp(llvm::StringRef name);

// Returns the kind of an op. An op of another dialect ("tosa.add", "ttir.transpose") has the kind of the StableHLO or
// CHLO op of the same name, or kOther if there is none.
OpKind KindOf(llvm::StringRef name);

// Returns the role of one of `operand_count` operands. All variadic groups of an op have the same size.
OperandRole RoleOf(const OpInfo& info, unsigned operand, unsigned operand_count);

}  // namespace opbyop

#endif  // OPBYOP_IR_OP_INFO_H_
