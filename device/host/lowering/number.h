// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on single floats and complex numbers, for lowerings that write out their own formulas. Complex products
// are the plain four products, without the recovery of infinities that complex.mul has.
//
//   Value rest = Subtract(b, sum, Multiply(b, x, Conjugate(b, y)));
#ifndef OPBYOP_DEVICE_HOST_LOWERING_NUMBER_H_
#define OPBYOP_DEVICE_HOST_LOWERING_NUMBER_H_

#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

mlir::Value Add(mlir::ImplicitLocOpBuilder& b, mlir::Value x, mlir::Value y);
mlir::Value Subtract(mlir::ImplicitLocOpBuilder& b, mlir::Value x, mlir::Value y);
mlir::Value Multiply(mlir::ImplicitLocOpBuilder& b, mlir::Value x, mlir::Value y);
mlir::Value Divide(mlir::ImplicitLocOpBuilder& b, mlir::Value x, mlir::Value y);

// For a real number, both return the number itself.
mlir::Value Conjugate(mlir::ImplicitLocOpBuilder& b, mlir::Value x);
mlir::Value RealPart(mlir::ImplicitLocOpBuilder& b, mlir::Value x);

// Converts a real number to `type`, which may be complex.
mlir::Value FromReal(mlir::ImplicitLocOpBuilder& b, mlir::Type type, mlir::Value real);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_NUMBER_H_
