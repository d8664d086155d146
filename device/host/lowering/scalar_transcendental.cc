// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows for roots, exponentials and trigonometric functions. Most become calls of the C library, whose results are
// within one or two ULP.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace math = mlir::math;

template <typename FloatT, typename ComplexT = void>
Value Function(const ScalarOp& s, ValueRange args) {
  return EmitByType<FloatT, void, void, void, ComplexT>(s, args);
}

Value Rsqrt(const ScalarOp& s, ValueRange args) {
  if (mlir::isa<mlir::ComplexType>(s.from)) return complex::RsqrtOp::create(s.b, args[0]);
  Value one = ScalarConstant(s.b, args[0].getType(), 1);
  return arith::DivFOp::create(s.b, one, math::SqrtOp::create(s.b, args[0]));
}

// With e = exp(-|x|), which cannot overflow: 1 / (1 + e) for x >= 0, e / (1 + e) else.
Value Logistic(const ScalarOp& s, ValueRange args) {
  if (mlir::isa<mlir::ComplexType>(s.from)) {
    Value one = ScalarConstant(s.b, args[0].getType(), 1);
    Value e = complex::ExpOp::create(s.b, complex::NegOp::create(s.b, args[0]));
    return complex::DivOp::create(s.b, one, complex::AddOp::create(s.b, one, e));
  }
  Value zero = ScalarConstant(s.b, args[0].getType(), 0);
  Value one = ScalarConstant(s.b, args[0].getType(), 1);
  Value e = math::ExpOp::create(s.b, arith::NegFOp::create(s.b, math::AbsFOp::create(s.b, args[0])));
  Value negative = arith::CmpFOp::create(s.b, arith::CmpFPredicate::OLT, args[0], zero);
  Value numerator = arith::SelectOp::create(s.b, negative, e, one);
  return arith::DivFOp::create(s.b, numerator, arith::AddFOp::create(s.b, one, e));
}

Value Square(const ScalarOp& s, ValueRange args) {
  return EmitByType<arith::MulFOp, arith::MulIOp, arith::MulIOp, arith::AndIOp, complex::MulOp>(s, {args[0], args[0]});
}

Value Conjugate(const ScalarOp& s, ValueRange args) {
  if (mlir::isa<mlir::ComplexType>(s.from)) return complex::ConjOp::create(s.b, args[0]);
  return args[0];
}

constexpr ScalarRow kTranscendentalRows[] = {
    {"stablehlo.sqrt", &Function<math::SqrtOp, complex::SqrtOp>},
    {"stablehlo.rsqrt", &Rsqrt},
    {"stablehlo.exponential", &Function<math::ExpOp, complex::ExpOp>},
    {"stablehlo.exponential_minus_one", &Function<math::ExpM1Op, complex::Expm1Op>},
    {"stablehlo.logistic", &Logistic},
    {"stablehlo.tanh", &Function<math::TanhOp, complex::TanhOp>},
    {"stablehlo.cosine", &Function<math::CosOp, complex::CosOp>},
    {"stablehlo.tan", &Function<math::TanOp, complex::TanOp>},
    {"stablehlo.atan2", &Function<math::Atan2Op, complex::Atan2Op>},
    {"chlo.erf", &Function<math::ErfOp>},
    {"chlo.erfc", &Function<math::ErfcOp>},
    {"chlo.tan", &Function<math::TanOp, complex::TanOp>},
    {"chlo.square", &Square},
    {"chlo.conj", &Conjugate},
};

}  // namespace

llvm::ArrayRef<ScalarRow> TranscendentalRows() { return kTranscendentalRows; }

}  // namespace opbyop::host
