// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops whose sizes, starts and padding are operands, but whose result type is static: starts and padding are computed at
// run time. (Dynamic forms that differ only in a shape operand are lowered with the static ones.)
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/movement.h"
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

class DynamicPadPattern : public ValuePattern<stablehlo::DynamicPadOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::DynamicPadOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const ValueList low = IndexList(b, adaptor.getEdgePaddingLow(), op.getEdgePaddingLow().getType());
    ValueList step = IndexList(b, adaptor.getInteriorPadding(), op.getInteriorPadding().getType());
    for (Value& value : step) value = arith::AddIOp::create(b, value, ConstantIndex(b, 1));
    return PaddedAtRunTime(b, type, adaptor.getOperand(), ScalarOf(b, adaptor.getPaddingValue()), low, step);
  }
};

// The sizes are those of the result. Starts and strides that would read outside of the operand read its edge.
class RealDynamicSlicePattern : public ValuePattern<stablehlo::RealDynamicSliceOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::RealDynamicSliceOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    Value operand = adaptor.getOperand();
    const auto shape = ShapeOf(operand);
    if (type.getNumElements() == 0) {
      return Empty(b, type);
    }
    const ValueList start = IndexList(b, adaptor.getStartIndices(), op.getStartIndices().getType());
    const ValueList stride = IndexList(b, adaptor.getStrides(), op.getStrides().getType());
    Value result = Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
      ValueList at;
      for (size_t d = 0; d < shape.size(); ++d) {
        Value offset = arith::MulIOp::create(inner, mlir::linalg::IndexOp::create(inner, d), stride[d]);
        at.push_back(
            ClampedIndex(inner, arith::AddIOp::create(inner, start[d], offset), inner.getIndexType(), shape[d] - 1));
      }
      return ValueList{tensor::ExtractOp::create(inner, operand, at)};
    });
    return result;
  }
};

class GetDimensionSizePattern : public ValuePattern<stablehlo::GetDimensionSizeOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::GetDimensionSizeOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const auto size = static_cast<double>(ShapeOf(adaptor.getOperand())[op.getDimension()]);
    return Filled(b, type, ScalarConstant(b, type.getElementType(), size));
  }
};

class SetDimensionSizePattern : public ValuePattern<stablehlo::SetDimensionSizeOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::SetDimensionSizeOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    return CopyThrough(b, type, adaptor.getOperand(), b.getMultiDimIdentityMap(type.getRank()));
  }
};

}  // namespace

void PopulateDynamic(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<DynamicPadPattern, RealDynamicSlicePattern, GetDimensionSizePattern, SetDimensionSizePattern>(
      types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
