// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements to positions known at run time.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::OpFoldResult;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

// The start of a slice of `sizes` in a tensor of `shape`, clamped so that the slice is inside.
llvm::SmallVector<OpFoldResult> SliceOffsets(mlir::ImplicitLocOpBuilder& b, ValueRange indices, ValueRange original,
                                             llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<OpFoldResult> offsets;
  for (size_t i = 0; i < shape.size(); ++i) {
    offsets.push_back(ClampedIndex(b, ScalarOf(b, indices[i]), ElementOf(original[i].getType()), shape[i] - sizes[i]));
  }
  return offsets;
}

llvm::SmallVector<OpFoldResult> Attributes(mlir::ImplicitLocOpBuilder& b, llvm::ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult { return b.getIndexAttr(value); });
}

class DynamicSlicePattern : public ValuePattern<stablehlo::DynamicSliceOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::DynamicSliceOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const auto offsets = SliceOffsets(b, adaptor.getStartIndices(), op.getStartIndices(), ShapeOf(adaptor.getOperand()),
                                      type.getShape());
    const llvm::SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    Value slice =
        tensor::ExtractSliceOp::create(b, type, adaptor.getOperand(), offsets, Attributes(b, type.getShape()), strides);
    return CopyThrough(b, type, slice, b.getMultiDimIdentityMap(type.getRank()));
  }
};

class DynamicUpdateSlicePattern : public ValuePattern<stablehlo::DynamicUpdateSliceOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::DynamicUpdateSliceOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    Value update = adaptor.getUpdate();
    const auto shape = ShapeOf(update);
    if (llvm::is_contained(shape, 0)) {
      return adaptor.getOperand();
    }
    const auto offsets = SliceOffsets(b, adaptor.getStartIndices(), op.getStartIndices(), type.getShape(), shape);
    const llvm::SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    return tensor::InsertSliceOp::create(b, update, adaptor.getOperand(), offsets, Attributes(b, shape), strides);
  }
};

// The index vector that `place` (the indices of all dimensions except `vector_dim`) selects in `indices`, as signed
// indices.
ValueList IndexVector(mlir::ImplicitLocOpBuilder& b, Value indices, mlir::Type element, ValueRange place,
                      int64_t vector_dim) {
  const auto shape = ShapeOf(indices);
  const int64_t count = vector_dim == static_cast<int64_t>(shape.size()) ? 1 : shape[vector_dim];
  ValueList vector;
  for (int64_t i = 0; i < count; ++i) {
    ValueList at(place.begin(), place.end());
    if (vector_dim < static_cast<int64_t>(shape.size())) {
      at.insert(at.begin() + vector_dim, arith::ConstantIndexOp::create(b, i));
    }
    Value index = ToIndex(b, tensor::ExtractOp::create(b, indices, at), element);
    // An unsigned 64-bit index beyond the signed range is large, not negative; an offset may still be added to it.
    if (IsUnsigned(element))
      index = arith::MinUIOp::create(b, index, arith::ConstantIndexOp::create(b, int64_t{1} << 62));
    vector.push_back(index);
  }
  return vector;
}

// The position of dimension `dim` of the index tensor among the dimensions without `vector_dim`.
int64_t PlaceWithout(int64_t dim, int64_t vector_dim) { return dim < vector_dim ? dim : dim - 1; }

// gather and dynamic_gather. The result's type determines the sizes of the slices as far as they matter.
template <typename OpT>
class GatherPattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor adaptor, mlir::ImplicitLocOpBuilder& builder,
              RankedTensorType type) const override {
    const auto numbers = op.getDimensionNumbers();
    Value operand = adaptor.getOperand();
    const auto shape = ShapeOf(operand);
    const int64_t vector_dim = numbers.getIndexVectorDim();
    mlir::Type index_element = ElementOf(op.getStartIndices().getType());
    if (type.getNumElements() == 0) {
      return Empty(builder, type);
    }

    Value result = Pointwise(builder, type, {}, [&](mlir::ImplicitLocOpBuilder& b, ValueRange) {
      ValueList batch, offset;
      for (int64_t i = 0; i < type.getRank(); ++i) {
        Value index = mlir::linalg::IndexOp::create(b, i);
        (llvm::is_contained(numbers.getOffsetDims(), i) ? offset : batch).push_back(index);
      }
      const ValueList start = IndexVector(b, adaptor.getStartIndices(), index_element, batch, vector_dim);
      ValueList at;
      size_t next_offset = 0;
      for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
        const auto batching = numbers.getOperandBatchingDims();
        const auto* batched = llvm::find(batching, i);
        const bool whole = batched == batching.end() && !llvm::is_contained(numbers.getCollapsedSliceDims(), i);
        const int64_t size = whole ? type.getDimSize(numbers.getOffsetDims()[next_offset]) : 1;
        Value index;
        const auto add = [&](Value part) { index = index ? arith::AddIOp::create(b, index, part).getResult() : part; };
        if (const auto* found = llvm::find(numbers.getStartIndexMap(), i); found != numbers.getStartIndexMap().end()) {
          add(ClampedIndex(b, start[found - numbers.getStartIndexMap().begin()], index_element, shape[i] - size));
        }
        if (batched != batching.end()) {
          add(batch[PlaceWithout(numbers.getStartIndicesBatchingDims()[batched - batching.begin()], vector_dim)]);
        } else if (whole) {
          add(offset[next_offset++]);
        }
        at.push_back(index ? index : arith::ConstantIndexOp::create(b, 0).getResult());
      }
      return ValueList{tensor::ExtractOp::create(b, operand, at)};
    });
    return result;
  }
};

// The deprecated gather along one dimension: result[batch, before, index..., after] takes its position along `dim` from
// index[batch, index...].
class TorchIndexSelectPattern : public ValuePattern<stablehlo::TorchIndexSelectOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::TorchIndexSelectOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    if (type.getNumElements() == 0) {
      return Empty(b, type);
    }
    mlir::Type index_element = ElementOf(op.getIndex().getType());
    if (!mlir::isa<mlir::IntegerType>(index_element)) return Refuse(op, "its indices are no integers");
    const auto shape = ShapeOf(adaptor.getOperand());
    const auto dim = static_cast<int64_t>(op.getDim());
    const auto batch = static_cast<int64_t>(op.getBatchDims());
    const int64_t picks = static_cast<int64_t>(ShapeOf(adaptor.getIndex()).size()) - batch;
    Value result = Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
      ValueList at, index;
      for (int64_t i = 0; i < type.getRank(); ++i) {
        Value place = mlir::linalg::IndexOp::create(inner, i);
        const bool pick = i >= dim && i < dim + picks;
        if (pick || i < batch) index.push_back(place);
        if (!pick) at.push_back(place);
      }
      Value picked = tensor::ExtractOp::create(inner, adaptor.getIndex(), index);
      at.insert(at.begin() + dim, ClampedIndex(inner, picked, index_element, shape[dim] - 1));
      return ValueList{tensor::ExtractOp::create(inner, adaptor.getOperand(), at)};
    });
    return result;
  }
};

// One loop nest over the updates, in index order. An update outside of the operand writes back the element that is
// there.
class ScatterPattern : public HostPattern<stablehlo::ScatterOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::ScatterOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    const llvm::SmallVector<RankedTensorType> types = ResultTypes(op);
    if (types.empty()) return mlir::failure();
    mlir::Operation* culprit = nullptr;
    if (!IsScalarRegion(op->getRegion(0), &culprit)) return RefuseRegion(op, culprit);
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const auto shape = ShapeOf(adaptor.getInputs()[0]);
    const auto updates_shape = ShapeOf(adaptor.getUpdates()[0]);
    ValueList inputs, results;
    for (auto [i, input] : llvm::enumerate(adaptor.getInputs())) {
      RankedTensorType type = types[i];
      const auto promote = [&, from = op.getInputs()[i].getType(), to = op->getResult(i).getType()](
                               mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
        return ValueList(Promoted(inner, v[0], from, to));
      };
      inputs.push_back(input.getType() == type ? input : Pointwise(b, type, input, promote));
    }
    if (llvm::is_contained(shape, 0) || llvm::is_contained(updates_shape, 0)) {
      rewriter.replaceOp(op, inputs);
      return mlir::success();
    }
    results = ForAll(b, updates_shape, inputs, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange at, ValueRange state) {
      return Update(inner, op, adaptor, at, state, &culprit);
    });
    if (culprit) return RefuseRegion(op, culprit);
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

 private:
  static ValueList Update(mlir::ImplicitLocOpBuilder& b, stablehlo::ScatterOp op, OpAdaptor adaptor, ValueRange at,
                          ValueRange results, mlir::Operation** culprit) {
    const auto numbers = op.getScatterDimensionNumbers();
    const int64_t vector_dim = numbers.getIndexVectorDim();
    mlir::Type index_element = ElementOf(op.getScatterIndices().getType());
    ValueList scatter, window;
    for (auto [i, index] : llvm::enumerate(at)) {
      (llvm::is_contained(numbers.getUpdateWindowDims(), static_cast<int64_t>(i)) ? window : scatter).push_back(index);
    }
    const ValueList start = IndexVector(b, adaptor.getScatterIndices(), index_element, scatter, vector_dim);
    const auto shape = ShapeOf(adaptor.getInputs()[0]);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value inside;
    ValueList place;
    size_t next_window = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      Value index = zero;
      const auto map = numbers.getScatterDimsToOperandDims();
      if (const auto* found = llvm::find(map, i); found != map.end()) index = start[found - map.begin()];
      const auto batching = numbers.getInputBatchingDims();
      if (const auto* found = llvm::find(batching, i); found != batching.end()) {
        const int64_t dim = numbers.getScatterIndicesBatchingDims()[found - batching.begin()];
        index = arith::AddIOp::create(b, index, scatter[PlaceWithout(dim, vector_dim)]);
      } else if (!llvm::is_contained(numbers.getInsertedWindowDims(), i)) {
        index = arith::AddIOp::create(b, index, window[next_window++]);
      }
      // As an unsigned number, a negative index is past the end, too.
      Value size = arith::ConstantIndexOp::create(b, shape[i]);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, size);
      inside = inside ? arith::AndIOp::create(b, inside, fits).getResult() : fits;
      place.push_back(arith::SelectOp::create(b, fits, index, zero));
    }
    ValueList arguments;
    for (Value result : results) arguments.push_back(tensor::ExtractOp::create(b, result, place));
    for (auto [i, update] : llvm::enumerate(adaptor.getUpdates())) {
      Value element = tensor::ExtractOp::create(b, update, at);
      llvm::append_range(arguments, Promoted(b, element, op.getUpdates()[i].getType(), op->getResult(i).getType()));
    }
    auto computed = EmitScalarRegion(b, op->getRegion(0), arguments, culprit);
    ValueList next;
    for (auto [i, result] : llvm::enumerate(results)) {
      Value value = mlir::failed(computed) ? arguments[i] : (*computed)[i];
      if (inside) value = arith::SelectOp::create(b, inside, value, arguments[i]);
      next.push_back(tensor::InsertOp::create(b, value, result, place));
    }
    return next;
  }
};

}  // namespace

void PopulateIndexing(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<DynamicSlicePattern, DynamicUpdateSlicePattern, GatherPattern<stablehlo::GatherOp>,
               GatherPattern<stablehlo::DynamicGatherOp>, TorchIndexSelectPattern, ScatterPattern>(
      types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
