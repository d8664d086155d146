// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/number.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "device/host/lowering/scalar.h"

namespace opbyop::host {
namespace {

using mlir::Value;
namespace arith = mlir::arith;
namespace complex = mlir::complex;

bool IsComplex(Value x) { return mlir::isa<mlir::ComplexType>(x.getType()); }

struct Parts {
  Value re, im;
};

Parts PartsOf(mlir::ImplicitLocOpBuilder& b, Value x) {
  return {complex::ReOp::create(b, x), complex::ImOp::create(b, x)};
}

Value Joined(mlir::ImplicitLocOpBuilder& b, mlir::Type type, Value re, Value im) {
  return complex::CreateOp::create(b, type, re, im);
}

}  // namespace

Value Add(mlir::ImplicitLocOpBuilder& b, Value x, Value y) {
  if (!IsComplex(x)) return arith::AddFOp::create(b, x, y);
  const Parts p = PartsOf(b, x), q = PartsOf(b, y);
  return Joined(b, x.getType(), Add(b, p.re, q.re), Add(b, p.im, q.im));
}

Value Subtract(mlir::ImplicitLocOpBuilder& b, Value x, Value y) {
  if (!IsComplex(x)) return arith::SubFOp::create(b, x, y);
  const Parts p = PartsOf(b, x), q = PartsOf(b, y);
  return Joined(b, x.getType(), Subtract(b, p.re, q.re), Subtract(b, p.im, q.im));
}

Value Multiply(mlir::ImplicitLocOpBuilder& b, Value x, Value y) {
  if (!IsComplex(x)) return arith::MulFOp::create(b, x, y);
  const Parts p = PartsOf(b, x), q = PartsOf(b, y);
  return Joined(b, x.getType(), Subtract(b, Multiply(b, p.re, q.re), Multiply(b, p.im, q.im)),
                Add(b, Multiply(b, p.re, q.im), Multiply(b, p.im, q.re)));
}

Value Divide(mlir::ImplicitLocOpBuilder& b, Value x, Value y) {
  if (!IsComplex(x)) return arith::DivFOp::create(b, x, y);
  // x / y = x conj(z) / |z|^2 / s with z = y / s, where s is the larger part of y: |z|^2 neither overflows nor
  // underflows.
  const Parts q = PartsOf(b, y);
  Value scale = arith::MaximumFOp::create(b, mlir::math::AbsFOp::create(b, q.re), mlir::math::AbsFOp::create(b, q.im));
  const Parts z = {Divide(b, q.re, scale), Divide(b, q.im, scale)};
  Value square = Add(b, Multiply(b, z.re, z.re), Multiply(b, z.im, z.im));
  const Parts p = PartsOf(b, Multiply(b, x, Conjugate(b, Joined(b, y.getType(), z.re, z.im))));
  return Joined(b, x.getType(), Divide(b, Divide(b, p.re, square), scale), Divide(b, Divide(b, p.im, square), scale));
}

Value Conjugate(mlir::ImplicitLocOpBuilder& b, Value x) {
  if (!IsComplex(x)) return x;
  const Parts p = PartsOf(b, x);
  return Joined(b, x.getType(), p.re, arith::NegFOp::create(b, p.im));
}

Value RealPart(mlir::ImplicitLocOpBuilder& b, Value x) { return IsComplex(x) ? PartsOf(b, x).re : x; }

Value FromReal(mlir::ImplicitLocOpBuilder& b, mlir::Type type, Value real) {
  if (!mlir::isa<mlir::ComplexType>(type)) return real;
  return Joined(b, type, real, ScalarConstant(b, real.getType(), 0));
}

}  // namespace opbyop::host
