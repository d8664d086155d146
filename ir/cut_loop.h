// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts the loop of a program to a few trips: a smaller program of the same body, for a loop over the layers of a model that
// is too large to run or to judge.
//
//   const Expected<CutLoop> cut = CutLoopTo(module, 3);
//   cut->module;   // `i < 3` instead of `i < 32`; its argument is a tensor<3x4096xf32> instead of a tensor<32x4096xf32>
//   cut->was;      // 32
//
// A tensor that the loop carries loses the layers that no trip reaches. That is proved: along the dimension, of as many
// elements as there are trips, trip i reads or writes only element i, or only the i-th from the end, by dynamic_slice and
// dynamic_update_slice. Functions that the body calls are followed. Any other tensor stays as it is.
#ifndef OPBYOP_IR_CUT_LOOP_H_
#define OPBYOP_IR_CUT_LOOP_H_

#include <cstdint>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop {

// The first trip, one between, and the last.
inline constexpr int64_t kFewTrips = 3;

struct CutLoop {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  int64_t was = 0;  // trips of the loop in the given program
  int64_t cut = 0;  // values that the loop carries and that have fewer elements now
};

// The entry function of `module` must have one loop, which counts up by one from a constant to a constant, more than
// `trips` times. Returns kUnsupported with what is otherwise. The given module is not changed.
Expected<CutLoop> CutLoopTo(mlir::ModuleOp module, int64_t trips);

}  // namespace opbyop

#endif  // OPBYOP_IR_CUT_LOOP_H_
