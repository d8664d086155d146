// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers sums of products, over loops that the caller chooses.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_
#define OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_

#include "device/host/lowering/loops.h"

namespace opbyop::host {

// A tensor with its original element type.
struct Factor {
  mlir::Value tensor;
  mlir::Type element;
};

// Sums lhs * rhs over the given maps (lhs, rhs, result) and loops, then converts the sum to `type`, which stores
// `element`. Sums are kept in f32 if the result is narrower.
mlir::Value Contract(mlir::ImplicitLocOpBuilder& b, mlir::RankedTensorType type, mlir::Type element, Factor lhs,
                     Factor rhs, llvm::ArrayRef<mlir::AffineMap> maps,
                     llvm::ArrayRef<mlir::utils::IteratorType> iterators);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_CONTRACTION_H_
