// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out what a region does by evaluating it on a few values: whether a reduction picks the greatest element, and
// whether a comparator is an order with a place for NaN.
//
//   TryPick(reduce, 0).picks;       // arg-max, however it is written
//   TryOrder(sort, 0).takes_nan;    // true for total order and for JAX's comparator; false for `<`
#ifndef OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_
#define OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_

#include "mlir/IR/Operation.h"

namespace opbyop::reference {

struct PickTrial {
  bool picks = false;  // of two different elements it takes the greater, or the less, with its place in other operands
  bool greatest = false;
  bool ordered = false;    // of two equal elements it takes the same one, whichever is the accumulator
  bool takes_nan = false;  // of NaN and a number it takes NaN, on either side, with its place in other operands
};

// Evaluates what the region of a reduction or window does with the operand's elements. All fields are false if the
// region cannot be evaluated.
PickTrial TryPick(mlir::Operation* op, unsigned operand);

struct OrderTrial {
  bool key = false;        // the comparator depends on the operand
  bool takes_nan = false;  // it is an order of numbers and of NaN of both signs
  bool total = false;      // both zeros differ, and so do NaN of both signs
};

// Evaluates how the comparator of a sort orders the operand's elements if those of the other operands are equal. If it
// cannot be evaluated, returns a key without a place for NaN.
OrderTrial TryOrder(mlir::Operation* op, unsigned operand);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_REGION_TRIAL_H_
