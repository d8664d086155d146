// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/loops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>

#include <numeric>

#include "device/host/lowering/types.h"

namespace opbyop::host {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

llvm::ArrayRef<int64_t> ShapeOf(Value value) { return mlir::cast<RankedTensorType>(value.getType()).getShape(); }

RankedTensorType WithShape(Value value, llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, ElementOf(value.getType()));
}

Value Empty(mlir::ImplicitLocOpBuilder& b, RankedTensorType type) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
}

Value Filled(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value scalar) {
  return linalg::FillOp::create(b, scalar, Empty(b, type)).getResult(0);
}

ValueList Generic(mlir::ImplicitLocOpBuilder& b, ValueRange inputs, ValueRange outputs, llvm::ArrayRef<AffineMap> maps,
                  llvm::ArrayRef<mlir::utils::IteratorType> iterators, Body body) {
  bool failed = false;
  auto generic =
      linalg::GenericOp::create(b, outputs.getTypes(), inputs, outputs, maps, iterators,
                                [&](mlir::OpBuilder& builder, mlir::Location location, ValueRange scalars) {
                                  mlir::ImplicitLocOpBuilder inner(location, builder);
                                  ValueList results = body(inner, scalars);
                                  failed = results.size() != outputs.size() || llvm::is_contained(results, Value());
                                  // The op must be well-formed even if the caller is about to discard it.
                                  if (failed) results = ValueList(scalars.take_back(outputs.size()));
                                  linalg::YieldOp::create(inner, results);
                                });
  if (failed) return {};
  return ValueList(generic.getResults());
}

Value Pointwise(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, ValueRange inputs, Body body) {
  const llvm::SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(type.getRank()));
  const llvm::SmallVector<mlir::utils::IteratorType> iterators(type.getRank(), kParallel);
  const ValueList results = Generic(b, inputs, Empty(b, type), maps, iterators, body);
  return results.empty() ? Value() : results[0];
}

// If the map uses a dimension unchanged, linalg requires the input to be as long as the loop.
static Value Trimmed(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value input, AffineMap map) {
  llvm::SmallVector<int64_t> sizes(ShapeOf(input));
  for (auto [size, expression] : llvm::zip_equal(sizes, map.getResults())) {
    if (auto dimension = mlir::dyn_cast<mlir::AffineDimExpr>(expression))
      size = type.getDimSize(dimension.getPosition());
  }
  if (ShapeOf(input) == llvm::ArrayRef(sizes)) return input;
  const llvm::SmallVector<mlir::OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  const llvm::SmallVector<mlir::OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, WithShape(input, sizes), input, offsets,
                                        mlir::getAsIndexOpFoldResult(b.getContext(), sizes), strides);
}

Value CopyThrough(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value input, AffineMap map) {
  const llvm::SmallVector<mlir::utils::IteratorType> iterators(type.getRank(), kParallel);
  return Generic(b, Trimmed(b, type, input, map), Empty(b, type), {map, b.getMultiDimIdentityMap(type.getRank())},
                 iterators, [](mlir::ImplicitLocOpBuilder&, ValueRange scalars) { return ValueList{scalars[0]}; })[0];
}

Value CopyInto(mlir::ImplicitLocOpBuilder& b, Value input, Value output, llvm::ArrayRef<int64_t> offsets,
               llvm::ArrayRef<int64_t> strides) {
  const auto attributes = [&](llvm::ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t v) -> mlir::OpFoldResult { return b.getIndexAttr(v); });
  };
  return tensor::InsertSliceOp::create(b, input, output, attributes(offsets), attributes(ShapeOf(input)),
                                       attributes(strides));
}

Value Transposed(mlir::ImplicitLocOpBuilder& b, Value input, llvm::ArrayRef<int64_t> permutation) {
  const auto shape = ShapeOf(input);
  llvm::SmallVector<int64_t> result;
  bool identity = true;
  for (auto [index, dimension] : llvm::enumerate(permutation)) {
    result.push_back(shape[dimension]);
    identity &= static_cast<int64_t>(index) == dimension;
  }
  if (identity) return input;
  // Uses the named op, which elementwise fusion does not touch: the caller wants the elements in this order in memory,
  // not an index map inside of its own loops.
  return linalg::TransposeOp::create(b, input, Empty(b, WithShape(input, result)), permutation).getResult()[0];
}

Value Reshaped(mlir::ImplicitLocOpBuilder& b, Value input, llvm::ArrayRef<int64_t> shape) {
  const auto from = mlir::cast<RankedTensorType>(input.getType());
  const RankedTensorType to = WithShape(input, shape);
  if (from == to) return input;
  if (from.getRank() != to.getRank()) {
    if (auto groups = mlir::getReassociationIndicesForReshape(from, to)) {
      if (from.getRank() > to.getRank()) return tensor::CollapseShapeOp::create(b, to, input, *groups);
      return tensor::ExpandShapeOp::create(b, to, input, *groups);
    }
  }
  // Reshapes through the flat tensor.
  const auto all = [](int64_t rank) {
    mlir::ReassociationIndices indices(rank);
    std::iota(indices.begin(), indices.end(), 0);
    return llvm::SmallVector<mlir::ReassociationIndices>{indices};
  };
  const RankedTensorType flat = WithShape(input, from.getNumElements());
  if (from.getRank() == 0) {
    input = tensor::ExpandShapeOp::create(b, flat, input, llvm::ArrayRef<mlir::ReassociationIndices>());
  } else if (from.getRank() > 1) {
    input = tensor::CollapseShapeOp::create(b, flat, input, all(from.getRank()));
  }
  if (to.getRank() == 0) {
    return tensor::CollapseShapeOp::create(b, to, input, llvm::ArrayRef<mlir::ReassociationIndices>());
  }
  return to.getRank() == 1 ? input : tensor::ExpandShapeOp::create(b, to, input, all(to.getRank())).getResult();
}

Value Padded(mlir::ImplicitLocOpBuilder& b, Value input, Value scalar, llvm::ArrayRef<int64_t> low,
             llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior) {
  const auto shape = ShapeOf(input);
  const size_t rank = shape.size();
  llvm::SmallVector<int64_t> result;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides(rank, b.getIndexAttr(1));
  llvm::SmallVector<int64_t> kept;
  llvm::SmallVector<int64_t> places, steps;
  bool identity = true;
  bool cropped = false;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t step = interior[i] + 1;
    const int64_t spread = shape[i] == 0 ? 0 : (shape[i] - 1) * step + 1;
    const int64_t size = std::max<int64_t>(0, low[i] + spread + high[i]);
    // Negative padding crops: these are the first and the last source element that remain.
    const int64_t first = low[i] >= 0 ? 0 : std::min(shape[i], (-low[i] + step - 1) / step);
    int64_t last = shape[i] - 1;
    while (last >= first && low[i] + last * step >= size) --last;
    identity &= low[i] == 0 && high[i] == 0 && interior[i] == 0;
    kept.push_back(last - first + 1);
    cropped |= kept.back() != shape[i];
    offsets.push_back(b.getIndexAttr(first));
    sizes.push_back(b.getIndexAttr(kept.back()));
    places.push_back(low[i] + first * step);
    steps.push_back(step);
    result.push_back(size);
  }
  if (identity) return input;
  Value filled = Filled(b, WithShape(input, result), scalar);
  if (llvm::is_contained(kept, 0)) return filled;
  if (cropped) input = tensor::ExtractSliceOp::create(b, WithShape(input, kept), input, offsets, sizes, strides);
  return CopyInto(b, input, filled, places, steps);
}

Value Reversed(mlir::ImplicitLocOpBuilder& b, Value input, llvm::ArrayRef<int64_t> dimensions) {
  if (dimensions.empty()) return input;
  const auto type = mlir::cast<RankedTensorType>(input.getType());
  llvm::SmallVector<AffineExpr> source;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    AffineExpr index = b.getAffineDimExpr(i);
    source.push_back(llvm::is_contained(dimensions, i) ? type.getDimSize(i) - 1 - index : index);
  }
  return CopyThrough(b, type, input, AffineMap::get(type.getRank(), 0, source, b.getContext()));
}

Value ConstantIndex(mlir::ImplicitLocOpBuilder& b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

ValueList For(mlir::ImplicitLocOpBuilder& b, Value from, Value to, ValueRange carried, LoopBody body) {
  auto loop =
      mlir::scf::ForOp::create(b, from, to, ConstantIndex(b, 1), carried,
                               [&](mlir::OpBuilder& builder, mlir::Location location, Value i, ValueRange state) {
                                 mlir::ImplicitLocOpBuilder inner(location, builder);
                                 mlir::scf::YieldOp::create(inner, body(inner, i, state));
                               });
  return ValueList(loop.getResults());
}

ValueList ForAll(mlir::ImplicitLocOpBuilder& b, llvm::ArrayRef<int64_t> sizes, ValueRange carried, NestBody body) {
  ValueList at;
  const auto nest = [&](auto& self, mlir::ImplicitLocOpBuilder& outer, ValueRange state) -> ValueList {
    if (at.size() == sizes.size()) return body(outer, at, state);
    return For(outer, ConstantIndex(outer, 0), ConstantIndex(outer, sizes[at.size()]), state,
               [&](mlir::ImplicitLocOpBuilder& inner, Value i, ValueRange next) {
                 at.push_back(i);
                 ValueList results = self(self, inner, next);
                 at.pop_back();
                 return results;
               });
  };
  return nest(nest, b, carried);
}

Value ScalarOf(mlir::ImplicitLocOpBuilder& b, Value value) { return tensor::ExtractOp::create(b, value, ValueRange()); }

Value ToIndex(mlir::ImplicitLocOpBuilder& b, Value index, mlir::Type element) {
  if (index.getType().isIndex()) return index;
  if (IsUnsigned(element) || IsBool(element)) return arith::IndexCastUIOp::create(b, b.getIndexType(), index);
  return arith::IndexCastOp::create(b, b.getIndexType(), index);
}

Value ClampedIndex(mlir::ImplicitLocOpBuilder& b, Value index, mlir::Type element, int64_t limit) {
  Value value = ToIndex(b, index, element);
  Value low = arith::ConstantIndexOp::create(b, 0);
  Value high = arith::ConstantIndexOp::create(b, limit);
  // An unsigned 64-bit index beyond the signed range is large, not negative.
  if (IsUnsigned(element)) return arith::MinUIOp::create(b, value, high);
  return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, value, low), high);
}

}  // namespace opbyop::host
