// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers cholesky and triangular_solve, column by column, on batches of matrices. Narrow floats are computed in f32 and
// rounded once.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/number.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

// Reshapes to [batches, rows, columns], in the type in which matrices of the original type `element` are computed.
Value Matrices(mlir::ImplicitLocOpBuilder& b, Value x, mlir::Type element) {
  const auto type = mlir::cast<RankedTensorType>(x.getType());
  const auto shape = type.getShape();
  const int64_t rows = shape[shape.size() - 2];
  const int64_t columns = shape.back();
  x = Reshaped(b, x, {type.getNumElements() / (rows * columns), rows, columns});
  mlir::Type wide = AccumulatorOf(element);
  if (wide == type.getElementType()) return x;
  return Pointwise(b, RankedTensorType::get(ShapeOf(x), wide), x, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
    return ValueList{EmitConvert(inner, v[0], element, wide)};
  });
}

// Converts back to the shape of the result and its type, which stores `element`.
Value Restored(mlir::ImplicitLocOpBuilder& b, Value matrices, RankedTensorType type, mlir::Type element) {
  mlir::Type wide = ElementOf(matrices.getType());
  if (wide != type.getElementType()) {
    matrices = Pointwise(b, RankedTensorType::get(ShapeOf(matrices), type.getElementType()), matrices,
                         [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
                           return ValueList{EmitConvert(inner, v[0], wide, element)};
                         });
  }
  return Reshaped(b, matrices, type.getShape());
}

Value SwapRowsAndColumns(mlir::ImplicitLocOpBuilder& b, Value matrices) { return Transposed(b, matrices, {0, 2, 1}); }

Value Adjoint(mlir::ImplicitLocOpBuilder& b, Value matrices) {
  Value swapped = SwapRowsAndColumns(b, matrices);
  if (!mlir::isa<mlir::ComplexType>(ElementOf(swapped.getType()))) return swapped;
  return Pointwise(b, mlir::cast<RankedTensorType>(swapped.getType()), swapped,
                   [](mlir::ImplicitLocOpBuilder& inner, ValueRange v) { return ValueList{Conjugate(inner, v[0])}; });
}

Value Element(mlir::ImplicitLocOpBuilder& b, Value matrices, Value batch, Value row, Value column) {
  return tensor::ExtractOp::create(b, matrices, ValueRange{batch, row, column});
}

// Computes column j of L from the columns before it: d = sqrt(a[j, j] - sum |l[j, k]|^2), then for i > j l[i, j] =
// (a[i, j] - sum l[i, k] conj(l[j, k])) / d. An upper factor is the adjoint of the lower one. Only the triangle that
// the attribute names is read, and the other triangle of the result is zero.
class CholeskyPattern : public ValuePattern<stablehlo::CholeskyOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::CholeskyOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    if (type.getNumElements() == 0) {
      return adaptor.getA();
    }
    Value a = Matrices(b, adaptor.getA(), ElementOf(op.getA().getType()));
    if (!op.getLower()) a = Adjoint(b, a);
    const auto matrices = mlir::cast<RankedTensorType>(a.getType());
    mlir::Type element = matrices.getElementType();
    Value zero = ConstantIndex(b, 0);
    Value size = ConstantIndex(b, matrices.getDimSize(1));
    Value zeros = Filled(b, matrices, ScalarConstant(b, element, 0));
    Value factor =
        ForAll(b, {matrices.getDimSize(0), matrices.getDimSize(1)}, zeros,
               [&](mlir::ImplicitLocOpBuilder& columns, ValueRange at, ValueRange state) {
                 Value batch = at[0], j = at[1];
                 return For(columns, j, size, state, [&](mlir::ImplicitLocOpBuilder& rows, Value i, ValueRange next) {
                   Value l = next[0];
                   const auto minus_product = [&](mlir::ImplicitLocOpBuilder& inner, Value k, ValueRange sum) {
                     Value product = Multiply(inner, Element(inner, l, batch, i, k),
                                              Conjugate(inner, Element(inner, l, batch, j, k)));
                     return ValueList{Subtract(inner, sum[0], product)};
                   };
                   Value sum = For(rows, zero, j, Element(rows, a, batch, i, j), minus_product)[0];
                   Value root = FromReal(rows, element, mlir::math::SqrtOp::create(rows, RealPart(rows, sum)));
                   Value quotient = Divide(rows, sum, Element(rows, l, batch, j, j));
                   Value diagonal = arith::CmpIOp::create(rows, arith::CmpIPredicate::eq, i, j);
                   Value value = arith::SelectOp::create(rows, diagonal, root, quotient);
                   return ValueList{tensor::InsertOp::create(rows, value, l, ValueRange{batch, i, j})};
                 });
               })[0];
    if (!op.getLower()) factor = Adjoint(b, factor);
    return Restored(b, factor, type, ElementOf(op.getType()));
  }
};

// Solves op(A) X = B by substitution. The right-hand form X op(A) = B is op(A)^T X^T = B^T.
class TriangularSolvePattern : public ValuePattern<stablehlo::TriangularSolveOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::TriangularSolveOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    if (type.getNumElements() == 0) {
      return adaptor.getB();
    }
    const bool left = op.getLeftSide();
    const bool adjoint = op.getTransposeA() == stablehlo::Transpose::ADJOINT;
    const bool transposed = adjoint || op.getTransposeA() == stablehlo::Transpose::TRANSPOSE;
    const bool swap = transposed == left;
    const bool forward = op.getLower() != swap;
    Value a = Matrices(b, adaptor.getA(), ElementOf(op.getA().getType()));
    Value x = Matrices(b, adaptor.getB(), ElementOf(op.getB().getType()));
    if (!left) x = SwapRowsAndColumns(b, x);
    const auto shape = ShapeOf(x);
    const auto coefficient = [&](mlir::ImplicitLocOpBuilder& inner, Value batch, Value i, Value j) {
      Value value = swap ? Element(inner, a, batch, j, i) : Element(inner, a, batch, i, j);
      return adjoint ? Conjugate(inner, value) : value;
    };
    Value zero = ConstantIndex(b, 0);
    Value last = ConstantIndex(b, shape[1] - 1);
    // The row of the unknown that is solved for in step r.
    const auto row = [&](mlir::ImplicitLocOpBuilder& inner, Value r) -> Value {
      return forward ? r : arith::SubIOp::create(inner, last, r).getResult();
    };
    Value solved = ForAll(b, shape, x, [&](mlir::ImplicitLocOpBuilder& outer, ValueRange at, ValueRange state) {
      Value batch = at[0], i = row(outer, at[1]), column = at[2];
      const auto minus_known = [&](mlir::ImplicitLocOpBuilder& inner, Value q, ValueRange sum) {
        Value j = row(inner, q);
        Value known = Element(inner, state[0], batch, j, column);
        return ValueList{Subtract(inner, sum[0], Multiply(inner, coefficient(inner, batch, i, j), known))};
      };
      Value value = For(outer, zero, at[1], Element(outer, state[0], batch, i, column), minus_known)[0];
      if (!op.getUnitDiagonal()) value = Divide(outer, value, coefficient(outer, batch, i, i));
      return ValueList{tensor::InsertOp::create(outer, value, state[0], ValueRange{batch, i, column})};
    })[0];
    if (!left) solved = SwapRowsAndColumns(b, solved);
    return Restored(b, solved, type, ElementOf(op.getType()));
  }
};

}  // namespace

void PopulateLinearAlgebra(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<CholeskyPattern, TriangularSolvePattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
