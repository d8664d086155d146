// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on real scalars, written as formulas: values of one float type with the operators of C++.
//
//   Real x(b, value);
//   Real y = Select(x < 1, Log(x) * 0.5, Sqrt(x - 1));       // arith.cmpf, math.log, ...
//   return y.value;
//
// A number on either side becomes a constant of the other side's type. Both sides of a Select are computed.
#ifndef OPBYOP_DEVICE_HOST_LOWERING_REAL_H_
#define OPBYOP_DEVICE_HOST_LOWERING_REAL_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <mlir/IR/ImplicitLocOpBuilder.h>

namespace opbyop::host {

struct Real {
  Real(mlir::ImplicitLocOpBuilder& builder, mlir::Value v) : b(&builder), value(v) {}

  // A constant of this value's type.
  Real Number(double number) const;
  mlir::Type type() const { return value.getType(); }

  mlir::ImplicitLocOpBuilder* b;
  mlir::Value value;
};

// A condition: an i1.
struct Truth {
  mlir::ImplicitLocOpBuilder* b;
  mlir::Value value;
};

Real operator-(Real x);
Real operator+(Real x, Real y);
Real operator-(Real x, Real y);
Real operator*(Real x, Real y);
Real operator/(Real x, Real y);
inline Real operator+(Real x, double y) { return x + x.Number(y); }
inline Real operator-(Real x, double y) { return x - x.Number(y); }
inline Real operator*(Real x, double y) { return x * x.Number(y); }
inline Real operator/(Real x, double y) { return x / x.Number(y); }
inline Real operator+(double x, Real y) { return y.Number(x) + y; }
inline Real operator-(double x, Real y) { return y.Number(x) - y; }
inline Real operator*(double x, Real y) { return y.Number(x) * y; }
inline Real operator/(double x, Real y) { return y.Number(x) / y; }

// Comparisons are false if either side is NaN, except !=, which is true.
Truth operator<(Real x, Real y);
Truth operator<=(Real x, Real y);
Truth operator==(Real x, Real y);
Truth operator!=(Real x, Real y);
inline Truth operator<(Real x, double y) { return x < x.Number(y); }
inline Truth operator<=(Real x, double y) { return x <= x.Number(y); }
inline Truth operator==(Real x, double y) { return x == x.Number(y); }
inline Truth operator!=(Real x, double y) { return x != x.Number(y); }
inline Truth operator>(Real x, double y) { return x.Number(y) < x; }
inline Truth operator>=(Real x, double y) { return x.Number(y) <= x; }
Truth operator&&(Truth a, Truth b);
Truth operator||(Truth a, Truth b);
Truth operator!(Truth a);

Real Select(Truth condition, Real yes, Real no);
inline Real Select(Truth condition, double yes, Real no) { return Select(condition, no.Number(yes), no); }
inline Real Select(Truth condition, Real yes, double no) { return Select(condition, yes, yes.Number(no)); }

Real Abs(Real x);
Real Atan2(Real y, Real x);
Real CopySign(Real magnitude, Real sign);
Real Cos(Real x);
Real Cosh(Real x);
Real Erf(Real x);
Real Erfc(Real x);
Real Exp(Real x);
Real Floor(Real x);
Real Log(Real x);
Real Log1p(Real x);
Real Maximum(Real x, Real y);
Real Minimum(Real x, Real y);
Real Power(Real x, Real y);
Real Sin(Real x);
Real Sinh(Real x);
Real Sqrt(Real x);

// sqrt(x^2 + y^2) without overflow or underflow in between; infinite if x or y is.
Real Hypot(Real x, Real y);

// coefficients[0] + coefficients[1] x + ...
Real Polynomial(Real x, llvm::ArrayRef<double> coefficients);

// Returns the state after step(k, state) for k = 0, 1, ... count - 1; k is passed as a number of the states' type.
llvm::SmallVector<Real> Repeat(Real count, llvm::ArrayRef<Real> state,
                               llvm::function_ref<llvm::SmallVector<Real>(Real k, llvm::ArrayRef<Real> state)> step);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_LOWERING_REAL_H_
