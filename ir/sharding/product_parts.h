// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts the devices that have parts of one sum of products: each computes its part, and the parts are added up.
//
//   // tensor<4x64xbf16> and tensor<64x6xbf16>, whose dimension of 64 is divided by an axis of 4 devices
//   ProductParts(main, {lhs, rhs});   // 4
#ifndef OPBYOP_IR_SHARDING_PRODUCT_PARTS_H_
#define OPBYOP_IR_SHARDING_PRODUCT_PARTS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/sharding/axes.h"

namespace opbyop {

// The greatest number of parts of a sum in the dot_general, dot and convolutions of a program; 1 if no device has a part
// only. `arguments` has the division of each argument of its entry function. A partitioner may divide a sum by the axes
// of either operand. An operand that an op of the program computes may be divided by all axes that an argument is.
int64_t ProductParts(mlir::FunctionOpInterface entry, llvm::ArrayRef<Division> arguments);

// The same of one op whose operands are divided so. The division of a constant is empty.
int64_t ProductParts(mlir::Operation* op, llvm::ArrayRef<Division> operands);

}  // namespace opbyop

#endif  // OPBYOP_IR_SHARDING_PRODUCT_PARTS_H_
