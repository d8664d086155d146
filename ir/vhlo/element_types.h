// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The types without parts in portable artifacts: one table for reading, writing and versions.
//
//   Type type = ElementTypeOf(13, context);               // i32
//   const ElementType* row = FindElementType(type);       // code 13, since 0.9
#ifndef OPBYOP_IR_VHLO_ELEMENT_TYPES_H_
#define OPBYOP_IR_VHLO_ELEMENT_TYPES_H_

#include "ir/artifact_info.h"
#include "mlir/IR/Types.h"

namespace opbyop::vhlo {

struct ElementType {
  uint64_t code;
  mlir::Type (*make)(mlir::MLIRContext* context);
  VhloVersion since = {0, 9, 0};
};

// Returns the type with this code, or null if there is none.
mlir::Type ElementTypeOf(uint64_t code, mlir::MLIRContext* context);

// Returns the row of `type`, or null if it has none.
const ElementType* FindElementType(mlir::Type type);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_ELEMENT_TYPES_H_
