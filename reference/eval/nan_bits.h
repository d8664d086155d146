// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whose choice the bits of a NaN are. IEEE 754 leaves sign and payload of a NaN that an op computes to the device; one
// that is only moved keeps its bits. What depends on free bits (an order of all numbers, an integer made of the bits)
// is open.
//
//   if (HasFreeNanBits(context.op->getOperand(0)) && std::isnan(v)) ...   // the sign of v is not known
#ifndef OPBYOP_REFERENCE_EVAL_NAN_BITS_H_
#define OPBYOP_REFERENCE_EVAL_NAN_BITS_H_

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace opbyop::reference {

// Whether the elements of the op's results are elements, or parts of the bits, of its operands.
bool KeepsBits(mlir::Operation* op);

// Whether an op of the program computes the value, however often it is moved, carried by a loop or passed to a function
// after that. Arguments of the program and constants are given, and so is what other regions get from outside.
bool HasFreeNanBits(mlir::Value value);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_NAN_BITS_H_
