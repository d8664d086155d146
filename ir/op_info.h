// What other rooms need to know about an op beyond its class: its category and
// the part each operand plays. The facts are stated in the op's ODS record.
//
//   const OpInfo* info = LookUpOp("stablehlo.gather");
//   RoleOf(*info, /*operand=*/1, /*operand_count=*/2);  // OperandRole::kIndex
#ifndef OPBYOP_IR_OP_INFO_H_
#define OPBYOP_IR_OP_INFO_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

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
  llvm::StringRef roles;     // see ir/op_info.td
  bool commutative = false;
};

// Every op of this project's dialects, by name.
llvm::ArrayRef<OpInfo> AllOps();

// The op of that full name, or null if it is of no dialect of this project.
const OpInfo* LookUpOp(llvm::StringRef name);

// The role of one of `operand_count` operands. Variadic groups of an op are of
// equal size.
OperandRole RoleOf(const OpInfo& info, unsigned operand, unsigned operand_count);

}  // namespace opbyop

#endif  // OPBYOP_IR_OP_INFO_H_
