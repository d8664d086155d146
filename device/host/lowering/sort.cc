// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers sort to a bottom-up merge sort: stable, n log n comparisons, in loops over tensors.
//
//   for every line along the dimension:
//     for width = 1, 2, 4, ... < n:            runs of `width` are sorted
//       for every pair of neighbouring runs:   merge them from `from` into `to`
//       swap from and to
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;

class SortPattern : public HostPattern<stablehlo::SortOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::SortOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    if (ResultTypes(op).empty()) return mlir::failure();
    mlir::Operation* culprit = nullptr;
    if (!IsScalarRegion(op->getRegion(0), &culprit)) return RefuseRegion(op, culprit);
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const auto shape = ShapeOf(adaptor.getInputs()[0]);
    const int64_t rank = static_cast<int64_t>(shape.size());
    const auto stated = static_cast<int64_t>(op.getDimension());
    const int64_t dimension = stated < 0 ? stated + rank : stated;
    const int64_t size = shape[dimension];
    if (size < 2 || llvm::is_contained(shape, 0)) {
      rewriter.replaceOp(op, adaptor.getInputs());
      return mlir::success();
    }
    // Arranges the lines as the last dimension of a matrix [lines, size].
    llvm::SmallVector<int64_t> order, back(rank);
    for (int64_t i = 0; i < rank; ++i) {
      if (i != dimension) order.push_back(i);
    }
    order.push_back(dimension);
    llvm::SmallVector<int64_t> ordered_shape;
    for (auto [i, dim] : llvm::enumerate(order)) {
      back[dim] = static_cast<int64_t>(i);
      ordered_shape.push_back(shape[dim]);
    }
    int64_t lines = 1;
    for (int64_t i = 0; i + 1 < rank; ++i) lines *= ordered_shape[i];

    ValueList from, to;
    for (Value input : adaptor.getInputs()) {
      Value matrix = Reshaped(b, Transposed(b, input, order), {lines, size});
      const mlir::RankedTensorType type = WithShape(matrix, {lines, size});
      from.push_back(matrix);
      to.push_back(Filled(b, type, ScalarConstant(b, type.getElementType(), 0)));
    }
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value line_count = arith::ConstantIndexOp::create(b, lines);
    for (int64_t width = 1; width < size; width *= 2) {
      Value step = arith::ConstantIndexOp::create(b, 2 * width);
      Value end = arith::ConstantIndexOp::create(b, size);
      auto nest = scf::buildLoopNest(
          b, op.getLoc(), {zero, zero}, {line_count, end}, {one, step}, to,
          [&](mlir::OpBuilder& builder, mlir::Location location, ValueRange at, ValueRange merged) {
            mlir::ImplicitLocOpBuilder inner(location, builder);
            const ValueList next = Merge(inner, op, from, merged, at[0], at[1], width, size, &culprit);
            return scf::ValueVector(next.begin(), next.end());
          });
      to = from;
      from.assign(nest.results.begin(), nest.results.end());
    }
    if (culprit) return RefuseRegion(op, culprit);
    ValueList results;
    for (Value sorted : from) results.push_back(Transposed(b, Reshaped(b, sorted, ordered_shape), back));
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

 private:
  // Merges the runs [begin, begin + width) and [begin + width, begin + 2 width) of a line, cut at `size`.
  static ValueList Merge(mlir::ImplicitLocOpBuilder& b, stablehlo::SortOp op, ValueRange from, ValueRange to,
                         Value line, Value begin, int64_t width, int64_t size, mlir::Operation** culprit) {
    Value end = arith::ConstantIndexOp::create(b, size);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value last = arith::ConstantIndexOp::create(b, size - 1);
    const auto offset = [&](int64_t by) -> Value {
      Value place = arith::AddIOp::create(b, begin, arith::ConstantIndexOp::create(b, by));
      return arith::MinSIOp::create(b, place, end);
    };
    Value middle = offset(width);
    Value stop = offset(2 * width);
    ValueList carried = {begin, middle};
    llvm::append_range(carried, to);
    auto loop = scf::ForOp::create(
        b, begin, stop, one, carried,
        [&](mlir::OpBuilder& builder, mlir::Location location, Value k, ValueRange state) {
          mlir::ImplicitLocOpBuilder inner(location, builder);
          Value left = state[0];
          Value right = state[1];
          // Reads stay inside the line even when a run is used up; the element that is read then is not used.
          Value left_at = arith::MinSIOp::create(inner, left, last);
          Value right_at = arith::MinSIOp::create(inner, right, last);
          ValueList arguments, lefts, rights;
          for (Value tensor : from) {
            lefts.push_back(tensor::ExtractOp::create(inner, tensor, ValueRange{line, left_at}));
            rights.push_back(tensor::ExtractOp::create(inner, tensor, ValueRange{line, right_at}));
            // The right element goes first only if it is strictly before the left one, so the sort is stable.
            arguments.append({rights.back(), lefts.back()});
          }
          auto before = EmitScalarRegion(inner, op->getRegion(0), arguments, culprit);
          Value no = ScalarConstant(inner, inner.getI1Type(), 0);
          Value right_first = mlir::failed(before) ? no : before->front();
          const auto less = [&](Value x, Value y) -> Value {
            return arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, x, y);
          };
          Value left_has = less(left, middle);
          Value right_has = less(right, stop);
          Value left_empty = arith::XOrIOp::create(inner, left_has, ScalarConstant(inner, inner.getI1Type(), -1));
          Value take_right =
              arith::AndIOp::create(inner, right_has, arith::OrIOp::create(inner, left_empty, right_first));
          ValueList next = {
              arith::SelectOp::create(inner, take_right, left, arith::AddIOp::create(inner, left, one)),
              arith::SelectOp::create(inner, take_right, arith::AddIOp::create(inner, right, one), right)};
          for (size_t i = 0; i < from.size(); ++i) {
            Value value = arith::SelectOp::create(inner, take_right, rights[i], lefts[i]);
            next.push_back(tensor::InsertOp::create(inner, value, state[2 + i], ValueRange{line, k}));
          }
          scf::YieldOp::create(inner, next);
        });
    return ValueList(loop.getResults().drop_front(2));
  }
};

}  // namespace

void PopulateSort(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<SortPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
