// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What other rooms need to know about an op beyond its class: its category, what sort of op it is for reports, and
// the part each operand plays. The facts are stated in the op's ODS record.
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
  kValue,  // a tensor that is computed with
  kIndex,  // positions in another operand
  kShape,  // a shape, a size, an amount of padding
  kToken,  // an order, no data
};

struct OpInfo {
  llvm::StringRef name;      // "stablehlo.gather"
  llvm::StringRef category;  // "data movement"
  OpKind kind = OpKind::kOther;
  llvm::StringRef roles;  // see ir/op_info.td
  bool commutative = false;
  bool takes_stored = false;  // quantized elements as they are stored
};

// Every op of this project's dialects, by name.
llvm::ArrayRef<OpInfo> AllOps();

// The op of that full name, or null if it is of no dialect of this project.
const OpInfo* LookUpOp(llvm::StringRef name);

// An op of another dialect is of the kind of StableHLO's or CHLO's op of the same name: "tosa.add", "ttir.transpose".
// kOther where there is none.
OpKind KindOf(llvm::StringRef name);

// The role of one of `operand_count` operands. Variadic groups of an op are of
// equal size.
OperandRole RoleOf(const OpInfo& info, unsigned operand, unsigned operand_count);

}  // namespace opbyop

#endif  // OPBYOP_IR_OP_INFO_H_
