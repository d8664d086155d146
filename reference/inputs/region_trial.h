// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a region does, found out by trying it on a few values: whether a reduction picks the greatest element, whether a
// comparator is an order that has a place for NaN.
//
//   TryPick(reduce, 0).picks;       // arg-max, however it is written
//   TryOrder(sort, 0).takes_nan;    // by total order, or as JAX has it; not by `<`
#ifndef OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_
#define OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_

#include "mlir/IR/Operation.h"

namespace opbyop::reference {

struct PickTrial {
  bool picks = false;  // of two different elements the greater, or the less, with what stands beside it
  bool greatest = false;
  bool ordered = false;    // of two equal ones the same, whichever is the accumulator
  bool takes_nan = false;  // NaN is the result beside any number, on either side, with what stands beside it
};

// Tries what the region of a reduction or window does with the operand's elements. All is false if it cannot be tried.
PickTrial TryPick(mlir::Operation* op, unsigned operand);

struct OrderTrial {
  bool key = false;        // the comparator looks at the operand
  bool takes_nan = false;  // it is an order of numbers and NaN of both signs
  bool total = false;      // both zeros differ, and so do NaN of both signs
};

// Tries how the comparator of a sort orders the operand's elements if those of the other operands are equal. Returns a
// key without a place for NaN if it cannot be tried.
OrderTrial TryOrder(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_
