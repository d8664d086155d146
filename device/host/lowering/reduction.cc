// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers reductions. Loops run in the order of the input's memory, so that a reduction over leading dimensions has a
// contiguous parallel loop innermost.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

// Whether the region is `return add(a, b)` on one pair of narrow floats: such sums are kept in f32 and rounded once,
// instead of after every step.
bool IsNarrowFloatSum(mlir::Region& region, mlir::Type element) {
  return AccumulatorOf(element) != SignlessElement(element) &&
         mlir::isa_and_nonnull<stablehlo::AddOp>(SoleOpOfBoth(region));
}

// An unfinished reduction: outputs filled with the initial values, in the type in which sums are kept.
struct Accumulation {
  bool wide = false;
  ValueList outputs;
};

// After its inputs, `op` has as many initial values as results.
Accumulation Begin(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op, ValueRange init_values,
                   llvm::ArrayRef<RankedTensorType> types) {
  Accumulation accumulation;
  accumulation.wide = types.size() == 1 && IsNarrowFloatSum(op->getRegion(0), types[0].getElementType());
  ValueList scalars = llvm::map_to_vector(init_values, [&](Value init) { return ScalarOf(b, init); });
  scalars = Promoted(b, scalars, mlir::TypeRange(op->getOperandTypes()).drop_front(types.size()), op->getResultTypes());
  for (auto [scalar, type] : llvm::zip_equal(scalars, types)) {
    RankedTensorType target = type;
    if (accumulation.wide) {
      target = RankedTensorType::get(type.getShape(), AccumulatorOf(type.getElementType()));
      scalar = ConvertFloat(b, scalar, target.getElementType());
    }
    accumulation.outputs.push_back(Filled(b, target, scalar));
  }
  return accumulation;
}

// Applies the region to (accumulated values, elements), in the specification's order of arguments.
ValueList Step(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op, bool wide, ValueRange given, ValueRange sums,
               mlir::Operation** culprit) {
  const auto from = mlir::TypeRange(op->getOperandTypes()).take_front(given.size());
  const ValueList elements = Promoted(b, given, from, op->getResultTypes());
  if (wide) return {arith::AddFOp::create(b, sums[0], ConvertFloat(b, elements[0], sums[0].getType()))};
  ValueList arguments(sums.begin(), sums.end());
  arguments.append(elements.begin(), elements.end());
  auto values = EmitScalarRegion(b, op->getRegion(0), arguments, culprit);
  return mlir::failed(values) ? ValueList() : ValueList(*values);
}

ValueList Finish(mlir::ImplicitLocOpBuilder& b, const Accumulation& accumulation, ValueList sums,
                 llvm::ArrayRef<RankedTensorType> types) {
  if (!accumulation.wide) return sums;
  return {Pointwise(b, types[0], sums[0], [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
    return ValueList{ConvertFloat(inner, scalars[0], types[0].getElementType())};
  })};
}

class ReducePattern : public HostPattern<stablehlo::ReduceOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::ReduceOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    const llvm::SmallVector<RankedTensorType> types = ResultTypes(op);
    if (types.empty()) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const int64_t rank = static_cast<int64_t>(ShapeOf(adaptor.getInputs()[0]).size());
    llvm::SmallVector<AffineExpr> kept;
    llvm::SmallVector<mlir::utils::IteratorType> iterators;
    for (int64_t i = 0; i < rank; ++i) {
      const bool reduced = llvm::is_contained(op.getDimensions(), i);
      iterators.push_back(reduced ? kReduction : kParallel);
      if (!reduced) kept.push_back(b.getAffineDimExpr(i));
    }
    const size_t count = types.size();
    llvm::SmallVector<AffineMap> maps(count, b.getMultiDimIdentityMap(rank));
    maps.append(count, AffineMap::get(rank, 0, kept, b.getContext()));

    const Accumulation accumulation = Begin(b, op, adaptor.getInitValues(), types);
    mlir::Operation* culprit = nullptr;
    ValueList sums = Generic(b, adaptor.getInputs(), accumulation.outputs, maps, iterators,
                             [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                               return Step(inner, op, accumulation.wide, scalars.take_front(count),
                                           scalars.drop_front(count), &culprit);
                             });
    if (sums.empty()) return RefuseRegion(op, culprit);
    rewriter.replaceOp(op, Finish(b, accumulation, std::move(sums), types));
    return mlir::success();
  }
};

llvm::SmallVector<int64_t> OrDefault(std::optional<llvm::ArrayRef<int64_t>> values, size_t rank, int64_t value) {
  if (values && !values->empty()) return llvm::to_vector(*values);
  return llvm::SmallVector<int64_t>(rank, value);
}

class ReduceWindowPattern : public HostPattern<stablehlo::ReduceWindowOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::ReduceWindowOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    const llvm::SmallVector<RankedTensorType> types = ResultTypes(op);
    if (types.empty()) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    // A window that is larger than its padded input has no position; linalg requires that it fits.
    if (types.front().hasStaticShape() && types.front().getNumElements() == 0) {
      ValueList empty;
      for (const RankedTensorType type : types) empty.push_back(Empty(b, type));
      rewriter.replaceOp(op, empty);
      return mlir::success();
    }
    const auto window = op.getWindowDimensions();
    const size_t rank = window.size();
    const auto strides = OrDefault(op.getWindowStrides(), rank, 1);
    const auto dilations = OrDefault(op.getWindowDilations(), rank, 1);
    llvm::SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
    for (size_t i = 0; i < rank; ++i) interior[i] = OrDefault(op.getBaseDilations(), rank, 1)[i] - 1;
    if (auto padding = op.getPadding()) {
      for (auto [i, value] : llvm::enumerate(padding->getValues<int64_t>())) (i % 2 ? high : low)[i / 2] = value;
    }

    // The loops are the result dimensions up to the last one that the window spans, then the window, then the other
    // result dimensions (often features), so that the innermost loop is contiguous.
    size_t spanned = 0;
    for (size_t i = 0; i < rank; ++i) {
      if (window[i] != 1) spanned = i + 1;
    }
    llvm::SmallVector<AffineExpr> result, source;
    llvm::SmallVector<AffineExpr> window_place;
    llvm::SmallVector<int64_t> window_shape;
    llvm::SmallVector<mlir::utils::IteratorType> iterators;
    const auto loop = [&](mlir::utils::IteratorType kind) {
      iterators.push_back(kind);
      return b.getAffineDimExpr(static_cast<unsigned>(iterators.size() - 1));
    };
    for (size_t i = 0; i < spanned; ++i) result.push_back(loop(kParallel));
    llvm::SmallVector<AffineExpr> offsets(rank, b.getAffineConstantExpr(0));
    for (size_t i = 0; i < spanned; ++i) {
      if (window[i] == 1) continue;
      AffineExpr index = loop(kReduction);
      offsets[i] = index * dilations[i];
      window_place.push_back(index);
      window_shape.push_back(window[i]);
    }
    for (size_t i = spanned; i < rank; ++i) result.push_back(loop(kParallel));
    for (size_t i = 0; i < rank; ++i) source.push_back(result[i] * strides[i] + offsets[i]);

    // The inputs, padded with the initial values, then a tensor that only provides the window's extent.
    ValueList inputs;
    for (auto [input, init] : llvm::zip_equal(adaptor.getInputs(), adaptor.getInitValues())) {
      Value scalar = ScalarOf(b, init);
      if (scalar.getType() != ElementOf(input.getType())) {
        return Refuse(op, "its initial value has another element type than its operand");
      }
      inputs.push_back(Padded(b, input, scalar, low, high, interior));
    }
    const size_t count = inputs.size();
    inputs.push_back(Empty(b, RankedTensorType::get(window_shape, b.getI8Type())));
    const unsigned loops = static_cast<unsigned>(iterators.size());
    llvm::SmallVector<AffineMap> maps(count, AffineMap::get(loops, 0, source, b.getContext()));
    maps.push_back(AffineMap::get(loops, 0, window_place, b.getContext()));
    maps.append(count, AffineMap::get(loops, 0, result, b.getContext()));

    const Accumulation accumulation = Begin(b, op, adaptor.getInitValues(), types);
    mlir::Operation* culprit = nullptr;
    ValueList sums = Generic(
        b, inputs, accumulation.outputs, maps, iterators, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
          return Step(inner, op, accumulation.wide, scalars.take_front(count), scalars.drop_front(count + 1), &culprit);
        });
    if (sums.empty()) return RefuseRegion(op, culprit);
    rewriter.replaceOp(op, Finish(b, accumulation, std::move(sums), types));
    return mlir::success();
  }
};

}  // namespace

void PopulateReductions(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<ReducePattern, ReduceWindowPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
