// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products over loops of the caller's choice.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_
#define OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_

#include "device/host/lowering/loops.h"

namespace opbyop::host {

// A tensor with its original element type.
struct Factor {
  mlir::Value tensor;
  mlir::Type element;
};

// lhs * rhs summed up with the given maps (lhs, rhs, result) and loops, then converted to `type`, which stores
// `element`. Sums are kept in f32 where the result is narrower.
mlir::Value Contract(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Type element, Factor lhs,
                     Factor rhs, llvm::ArrayRef<mlir::AffineMap> maps,
                     llvm::ArrayRef<mlir::utils::IteratorType> iterators);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_
