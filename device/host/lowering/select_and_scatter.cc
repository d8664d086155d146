// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers select_and_scatter: for every window in the order of the source, finds the position that `select` keeps, then
// applies `scatter` to it with the source's element. Windows may overlap and reach into the padding, whose positions
// are never chosen.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/lowering/loops.h"
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

struct Windows {
  llvm::SmallVector<int64_t> sizes, strides, low;
};

Windows WindowsOf(stablehlo::SelectAndScatterOp op, size_t rank) {
  const auto given = [&](std::optional<llvm::ArrayRef<int64_t>> values) {
    return values && !values->empty() ? llvm::to_vector(*values) : llvm::SmallVector<int64_t>(rank, 1);
  };
  Windows windows = {given(op.getWindowDimensions()), given(op.getWindowStrides()), llvm::SmallVector<int64_t>(rank)};
  if (auto padding = op.getPadding()) {
    for (size_t d = 0; d < rank; ++d) windows.low[d] = padding->getValues<int64_t>()[{d, 0}];
  }
  return windows;
}

// `inside`: whether all indices are inside; `place`: the indices, with 0 in place of those that are outside.
struct Place {
  Value inside;
  ValueList place;
};

Place PlaceInWindow(mlir::ImplicitLocOpBuilder& b, const Windows& windows, llvm::ArrayRef<int64_t> shape,
                    ValueRange window, ValueRange position) {
  Place found = {ScalarConstant(b, b.getI1Type(), 1), {}};
  for (size_t d = 0; d < shape.size(); ++d) {
    Value corner = arith::MulIOp::create(b, window[d], ConstantIndex(b, windows.strides[d]));
    Value index = arith::AddIOp::create(b, corner, position[d]);
    index = arith::SubIOp::create(b, index, ConstantIndex(b, windows.low[d]));
    // As an unsigned number, a negative index is past the end, too.
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, ConstantIndex(b, shape[d]));
    found.inside = arith::AndIOp::create(b, found.inside, fits);
    found.place.push_back(arith::SelectOp::create(b, fits, index, ConstantIndex(b, 0)));
  }
  return found;
}

class SelectAndScatterPattern : public ValuePattern<stablehlo::SelectAndScatterOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::SelectAndScatterOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Operation* culprit = nullptr;
    for (mlir::Region& region : op->getRegions()) {
      if (!IsScalarRegion(region, &culprit)) return RefuseRegion(op, culprit);
    }
    Value operand = adaptor.getOperand();
    Value source = adaptor.getSource();
    const auto shape = ShapeOf(operand);
    const Windows windows = WindowsOf(op, shape.size());
    Value init = Promoted(b, ScalarOf(b, adaptor.getInitValue()), op.getInitValue().getType(), op.getType())[0];
    Value filled = Filled(b, type, init);
    if (type.getNumElements() == 0 || llvm::is_contained(ShapeOf(source), 0) || llvm::is_contained(windows.sizes, 0)) {
      return filled;
    }

    const auto one_window = [&](mlir::ImplicitLocOpBuilder& outer, ValueRange window, ValueRange state) -> ValueList {
      // The values carried through the window's positions: whether one was inside, its value, its indices.
      ValueList chosen = {ScalarConstant(outer, outer.getI1Type(), 0),
                          ScalarConstant(outer, ElementOf(operand.getType()), 0)};
      chosen.append(shape.size(), ConstantIndex(outer, 0));
      chosen = ForAll(outer, windows.sizes, chosen,
                      [&](mlir::ImplicitLocOpBuilder& inner, ValueRange position, ValueRange held) -> ValueList {
                        return Choose(inner, op, PlaceInWindow(inner, windows, shape, window, position), operand, held,
                                      &culprit);
                      });
      const ValueRange place = ValueRange(chosen).drop_front(2);
      Value held = tensor::ExtractOp::create(outer, state[0], place);
      Value element = tensor::ExtractOp::create(outer, source, window);
      element = Promoted(outer, element, op.getSource().getType(), op.getType())[0];
      auto scattered = EmitScalarRegion(outer, op->getRegion(1), {held, element}, &culprit);
      Value next = mlir::failed(scattered) ? held : (*scattered)[0];
      next = arith::SelectOp::create(outer, chosen[0], next, held);
      return {tensor::InsertOp::create(outer, next, state[0], place)};
    };
    Value result = ForAll(b, ShapeOf(source), filled, one_window)[0];
    if (culprit) return RefuseRegion(op, culprit);
    return result;
  }

 private:
  // The carried values after one more position of the window.
  static ValueList Choose(mlir::ImplicitLocOpBuilder& b, stablehlo::SelectAndScatterOp op, const Place& candidate,
                          Value operand, ValueRange held, mlir::Operation** culprit) {
    Value value = tensor::ExtractOp::create(b, operand, candidate.place);
    auto keep = EmitScalarRegion(b, op->getRegion(0), {held[1], value}, culprit);
    if (mlir::failed(keep)) return ValueList(held);
    Value yes = ScalarConstant(b, b.getI1Type(), 1);
    Value loses = arith::XOrIOp::create(b, arith::AndIOp::create(b, held[0], (*keep)[0]), yes);
    Value take = arith::AndIOp::create(b, candidate.inside, loses);
    ValueList next = {arith::OrIOp::create(b, held[0], candidate.inside),
                      arith::SelectOp::create(b, take, value, held[1])};
    for (auto [index, old] : llvm::zip_equal(candidate.place, held.drop_front(2))) {
      next.push_back(arith::SelectOp::create(b, take, index, old));
    }
    return next;
  }
};

}  // namespace

void PopulateSelectAndScatter(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<SelectAndScatterPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
