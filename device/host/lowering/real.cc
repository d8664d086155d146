// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/real.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <cmath>
#include <limits>

#include "device/host/lowering/scalar.h"

namespace opbyop::host {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

template <typename OpT>
Real Unary(Real x) {
  return Real(*x.b, OpT::create(*x.b, x.value));
}

template <typename OpT>
Real Binary(Real x, Real y) {
  return Real(*x.b, OpT::create(*x.b, x.value, y.value));
}

Truth Compare(arith::CmpFPredicate predicate, Real x, Real y) {
  return {x.b, arith::CmpFOp::create(*x.b, predicate, x.value, y.value)};
}

}  // namespace

Real Real::Number(double number) const { return Real(*b, ScalarConstant(*b, type(), number)); }

Real operator-(Real x) { return Unary<arith::NegFOp>(x); }
Real operator+(Real x, Real y) { return Binary<arith::AddFOp>(x, y); }
Real operator-(Real x, Real y) { return Binary<arith::SubFOp>(x, y); }
Real operator*(Real x, Real y) { return Binary<arith::MulFOp>(x, y); }
Real operator/(Real x, Real y) { return Binary<arith::DivFOp>(x, y); }

Truth operator<(Real x, Real y) { return Compare(arith::CmpFPredicate::OLT, x, y); }
Truth operator<=(Real x, Real y) { return Compare(arith::CmpFPredicate::OLE, x, y); }
Truth operator==(Real x, Real y) { return Compare(arith::CmpFPredicate::OEQ, x, y); }
Truth operator!=(Real x, Real y) { return Compare(arith::CmpFPredicate::UNE, x, y); }
Truth operator&&(Truth a, Truth b) { return {a.b, arith::AndIOp::create(*a.b, a.value, b.value)}; }
Truth operator||(Truth a, Truth b) { return {a.b, arith::OrIOp::create(*a.b, a.value, b.value)}; }
Truth operator!(Truth a) {
  return {a.b, arith::XOrIOp::create(*a.b, a.value, ScalarConstant(*a.b, a.value.getType(), 1))};
}

Real Select(Truth condition, Real yes, Real no) {
  return Real(*yes.b, arith::SelectOp::create(*yes.b, condition.value, yes.value, no.value));
}

Real Abs(Real x) { return Unary<math::AbsFOp>(x); }
Real Atan2(Real y, Real x) { return Binary<math::Atan2Op>(y, x); }
Real CopySign(Real magnitude, Real sign) { return Binary<math::CopySignOp>(magnitude, sign); }
Real Cos(Real x) { return Unary<math::CosOp>(x); }
Real Cosh(Real x) { return Unary<math::CoshOp>(x); }
Real Erf(Real x) { return Unary<math::ErfOp>(x); }
Real Erfc(Real x) { return Unary<math::ErfcOp>(x); }
Real Exp(Real x) { return Unary<math::ExpOp>(x); }
Real Floor(Real x) { return Unary<math::FloorOp>(x); }
Real Log(Real x) { return Unary<math::LogOp>(x); }
Real Log1p(Real x) { return Unary<math::Log1pOp>(x); }
Real Maximum(Real x, Real y) { return Binary<arith::MaximumFOp>(x, y); }
Real Minimum(Real x, Real y) { return Binary<arith::MinimumFOp>(x, y); }
Real Power(Real x, Real y) { return Binary<math::PowFOp>(x, y); }
Real Sin(Real x) { return Unary<math::SinOp>(x); }
Real Sinh(Real x) { return Unary<math::SinhOp>(x); }
Real Sqrt(Real x) { return Unary<math::SqrtOp>(x); }

Real Hypot(Real x, Real y) {
  Real a = Abs(x);
  Real c = Abs(y);
  Real large = Maximum(a, c);
  Real small = Minimum(a, c);
  Real ratio = small / large;
  // 0 / 0 and inf / inf are undefined: the result is then one of the two.
  Real h =
      Select(small == large, large * std::sqrt(2.0), Select(small == 0.0, large, large * Sqrt(1.0 + ratio * ratio)));
  // The result is infinite even if the other argument is NaN, as for IEEE 754's hypot.
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return Select((a == kInf) || (c == kInf), kInf, h);
}

Real Polynomial(Real x, llvm::ArrayRef<double> coefficients) {
  Real sum = x.Number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) sum = sum * x + coefficient;
  return sum;
}

llvm::SmallVector<Real> Repeat(Real count, llvm::ArrayRef<Real> state,
                               llvm::function_ref<llvm::SmallVector<Real>(Real, llvm::ArrayRef<Real>)> step) {
  mlir::ImplicitLocOpBuilder& b = *count.b;
  mlir::Value steps = arith::FPToSIOp::create(b, b.getI64Type(), count.value);
  mlir::Value upper = arith::IndexCastOp::create(b, b.getIndexType(), steps);
  mlir::Value zero = arith::ConstantIndexOp::create(b, 0);
  mlir::Value one = arith::ConstantIndexOp::create(b, 1);
  const auto values = llvm::map_to_vector(state, [](const Real& x) { return x.value; });
  auto loop = scf::ForOp::create(
      b, zero, upper, one, values,
      [&](mlir::OpBuilder& builder, mlir::Location location, mlir::Value k, mlir::ValueRange carried) {
        mlir::ImplicitLocOpBuilder inner(location, builder);
        mlir::Value integer = arith::IndexCastOp::create(inner, inner.getI64Type(), k);
        Real number(inner, arith::SIToFPOp::create(inner, count.type(), integer));
        llvm::SmallVector<Real> current;
        for (mlir::Value value : carried) current.emplace_back(inner, value);
        const llvm::SmallVector<Real> next = step(number, current);
        scf::YieldOp::create(inner, llvm::map_to_vector(next, [](const Real& x) { return x.value; }));
      });
  llvm::SmallVector<Real> results;
  for (mlir::Value value : loop.getResults()) results.emplace_back(b, value);
  return results;
}

}  // namespace opbyop::host
