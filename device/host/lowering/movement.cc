// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/movement.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/scalar.h"
#include "device/host/lowering/types.h"

namespace opbyop::host {

using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

Value BroadcastInDim(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value operand,
                     llvm::ArrayRef<int64_t> dimensions) {
  llvm::SmallVector<mlir::AffineExpr> source;
  for (auto [size, dimension] : llvm::zip_equal(ShapeOf(operand), dimensions)) {
    source.push_back(size == 1 && type.getDimSize(dimension) != 1 ? b.getAffineConstantExpr(0)
                                                                  : b.getAffineDimExpr(dimension));
  }
  return CopyThrough(b, type, operand, mlir::AffineMap::get(type.getRank(), 0, source, b.getContext()));
}

Value Iota(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, uint64_t dimension, mlir::Type element) {
  return Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
    Value index = mlir::linalg::IndexOp::create(inner, dimension);
    Value integer = arith::IndexCastOp::create(inner, inner.getI64Type(), index);
    return ValueList{EmitConvert(inner, integer, inner.getI64Type(), element)};
  });
}

ValueList IndexList(mlir::ImplicitLocOpBuilder& b, Value vector, mlir::Type type) {
  ValueList indices;
  for (int64_t i = 0; i < ShapeOf(vector)[0]; ++i) {
    indices.push_back(ToIndex(b, tensor::ExtractOp::create(b, vector, ConstantIndex(b, i)), ElementOf(type)));
  }
  return indices;
}

Value PaddedAtRunTime(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value input, Value scalar, ValueRange low,
                      ValueRange step) {
  const auto shape = ShapeOf(input);
  if (llvm::is_contained(shape, 0)) return Filled(b, type, scalar);
  return Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
    Value zero = ConstantIndex(inner, 0);
    Value inside = ScalarConstant(inner, inner.getI1Type(), 1);
    ValueList at;
    for (size_t d = 0; d < shape.size(); ++d) {
      Value index = mlir::linalg::IndexOp::create(inner, d);
      Value offset = arith::SubIOp::create(inner, index, low[d]);
      Value place = arith::DivSIOp::create(inner, offset, step[d]);
      Value whole =
          arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, arith::MulIOp::create(inner, place, step[d]), offset);
      // As an unsigned number, a negative position is past the end, too.
      Value fits = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult, place, ConstantIndex(inner, shape[d]));
      fits = arith::AndIOp::create(inner, fits, whole);
      inside = arith::AndIOp::create(inner, inside, fits);
      at.push_back(arith::SelectOp::create(inner, fits, place, zero));
    }
    Value value = tensor::ExtractOp::create(inner, input, at);
    return ValueList{arith::SelectOp::create(inner, inside, value, scalar)};
  });
}

}  // namespace opbyop::host
