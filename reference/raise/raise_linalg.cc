// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/raise_linalg.h"

#include <numeric>
#include <optional>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "reference/raise/raise_scalar.h"

namespace opbyop::reference {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;

// An SSA value; `Value` is one of the evaluator's.
using IrValue = mlir::Value;

// Returns the loop that indexes each dimension of an operand; nullopt if an index is not simply a loop counter.
std::optional<SmallVector<int64_t>> LoopsOf(mlir::AffineMap map) {
  if (!map.isProjectedPermutation()) return std::nullopt;
  SmallVector<int64_t> loops;
  for (unsigned i = 0; i < map.getNumResults(); ++i) loops.push_back(map.getDimPosition(i));
  return loops;
}

bool IsZero(IrValue value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat() || !mlir::isa<mlir::FloatType>(elements.getElementType())) return false;
  return elements.getSplatValue<llvm::APFloat>().isZero();
}

// The effect of one step of a reduction on its accumulator: acc = combiner(acc, combined).
struct Reduction {
  Operation* combiner = nullptr;
  IrValue combined;  // x
};

// Raises one op. Each op of its body becomes an op on tensors over all of its loops.
class LinalgRaiser {
 public:
  LinalgRaiser(RaisedFunction& raised, mlir::linalg::LinalgOp op)
      : raised_(raised), op_(op), body_(op->getRegion(0).front()), shape_(op.getStaticLoopRanges()) {}

  Expected<void> Raise() {
    if (mlir::ShapedType::isDynamicShape(shape_)) return CannotRaise(op_, "its shapes are not static");
    if (RaiseContraction()) return {};
    for (mlir::OpOperand& operand : op_->getOpOperands()) {
      mlir::BlockArgument argument = body_.getArgument(operand.getOperandNumber());
      if (argument.use_empty()) continue;
      if (op_.isDpsInit(&operand) && op_.getNumReductionLoops() > 0) continue;  // the accumulator
      const IrValue value = raised_.Lookup(operand.get());
      if (!value) return CannotRaise(op_, "it reads a tensor that has no value yet");
      const auto loops = LoopsOf(op_.getMatchingIndexingMap(&operand));
      if (!loops) return CannotRaise(op_, "its loops index by sums");
      scalars_.map(argument, OverLoops(value, *loops));
    }
    for (Operation& step : body_.without_terminator()) {
      if (IsCombiner(&step)) continue;
      if (const Expected<void> done = RaiseStep(&step); !done) return done;
    }
    for (auto [i, yielded] : llvm::enumerate(body_.getTerminator()->getOperands())) {
      if (const Expected<void> done = RaiseResult(static_cast<unsigned>(i), yielded); !done) return done;
    }
    return {};
  }

 private:
  // Returns the elements that every step of the loops reads from an operand, as a tensor over the loops.
  IrValue OverLoops(IrValue value, ArrayRef<int64_t> loops) {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    return raised_.Make(op_, "stablehlo.broadcast_in_dim", RankedTensorType::get(shape_, type.getElementType()), value,
                        {raised_.Integers("broadcast_dimensions", loops)});
  }

  // Transposes `value`, which has one dimension for each loop of `from`, to the order of loops in `to`.
  IrValue InOrder(IrValue value, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    if (from == to) return value;
    auto type = mlir::cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> permutation, shape;
    for (const int64_t loop : to) {
      permutation.push_back(std::distance(from.begin(), llvm::find(from, loop)));
      shape.push_back(type.getDimSize(permutation.back()));
    }
    return raised_.Make(op_, "stablehlo.transpose", RankedTensorType::get(shape, type.getElementType()), value,
                        {raised_.Integers("permutation", permutation)});
  }

  Expected<void> RaiseStep(Operation* step) {
    if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(step)) {
      auto type = RankedTensorType::get(shape_, raised_.builder().getI64Type());
      scalars_.map(index.getResult(),
                   raised_.Make(op_, "stablehlo.iota", type, {},
                                {raised_.Integer("iota_dimension", static_cast<int64_t>(index.getDim()))}));
      return {};
    }
    SmallVector<IrValue> operands;
    for (IrValue operand : step->getOperands()) {
      const Expected<IrValue> scalar = Scalar(operand);
      if (!scalar) return Unexpected(scalar.error());
      operands.push_back(*scalar);
    }
    const IrValue result = RaiseScalarOp(raised_.builder(), step, operands, shape_);
    if (!result) return CannotRaise(step, "StableHLO has no such operation on elements");
    scalars_.map(step->getResult(0), result);
    return {};
  }

  // Returns a scalar of the body as a tensor over the loops. A scalar from outside is the same at every step.
  Expected<IrValue> Scalar(IrValue value) {
    if (IrValue known = scalars_.lookupOrNull(value)) return known;
    const IrValue outside = raised_.Lookup(value);
    auto type = outside ? mlir::dyn_cast<RankedTensorType>(outside.getType()) : RankedTensorType();
    if (!type || type.getRank() != 0) return CannotRaise(op_, "its body reads what the reference cannot follow");
    const IrValue everywhere = OverLoops(outside, {});
    scalars_.map(value, everywhere);
    return everywhere;
  }

  std::optional<Reduction> ReductionOf(unsigned result) {
    const IrValue accumulator = body_.getArgument(static_cast<unsigned>(op_.getNumDpsInputs()) + result);
    Operation* combiner = body_.getTerminator()->getOperand(result).getDefiningOp();
    if (combiner == nullptr || combiner->getBlock() != &body_ || combiner->getNumOperands() != 2) return std::nullopt;
    if (!accumulator.hasOneUse() || !combiner->getResult(0).hasOneUse()) return std::nullopt;
    const bool commutes = mlir::isa<mlir::arith::AddFOp, mlir::arith::AddIOp, mlir::arith::MulFOp, mlir::arith::MulIOp,
                                    mlir::arith::MaximumFOp, mlir::arith::MinimumFOp, mlir::arith::MaxSIOp,
                                    mlir::arith::MinSIOp, mlir::arith::AndIOp, mlir::arith::OrIOp>(combiner);
    if (!commutes) return std::nullopt;
    for (unsigned i = 0; i < 2; ++i) {
      if (combiner->getOperand(i) == accumulator) return Reduction{combiner, combiner->getOperand(1 - i)};
    }
    return std::nullopt;
  }

  bool IsCombiner(Operation* step) {
    if (op_.getNumReductionLoops() == 0) return false;
    for (unsigned i = 0; i < op_.getNumDpsInits(); ++i) {
      const auto reduction = ReductionOf(i);
      if (reduction && reduction->combiner == step) return true;
    }
    return false;
  }

  // Returns the value with which an accumulator starts, if it is one value for all elements; else null.
  IrValue InitialValue(unsigned result) {
    const IrValue init = op_.getDpsInitOperand(result)->get();
    Operation* source = init.getDefiningOp();
    if (auto fill = mlir::dyn_cast_or_null<mlir::linalg::FillOp>(source)) {
      IrValue value = raised_.Lookup(fill.getInputs().front());
      auto type = value ? mlir::dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
      return type && type.getRank() == 0 ? value : IrValue();
    }
    auto constant = mlir::dyn_cast_or_null<mlir::arith::ConstantOp>(source);
    auto elements = constant ? mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat()) return {};
    return SplatConstant(raised_.builder(), init.getLoc(), elements.getSplatValue<mlir::Attribute>(), {});
  }

  Expected<void> RaiseResult(unsigned i, IrValue yielded) {
    const auto loops = LoopsOf(op_.getMatchingIndexingMap(op_.getDpsInitOperand(i)));
    if (!loops) return CannotRaise(op_, "its loops index a result by sums");
    const IrValue result = op_->getResult(i);
    if (op_.getNumReductionLoops() == 0) {
      const Expected<IrValue> value = Scalar(yielded);
      if (!value) return Unexpected(value.error());
      if (loops->size() != shape_.size()) return CannotRaise(op_, "several steps write one element");
      SmallVector<int64_t> all(shape_.size());
      std::iota(all.begin(), all.end(), 0);
      raised_.Map(result, InOrder(*value, all, *loops));
      return {};
    }
    const auto reduction = ReductionOf(i);
    if (!reduction) return CannotRaise(op_, "its reduction is none of sum, product, extreme, and, or");
    const IrValue init = InitialValue(i);
    if (!init) return CannotRaise(op_, "it accumulates onto a tensor, whose share of the error has no bound here");
    const Expected<IrValue> value = Scalar(reduction->combined);
    if (!value) return Unexpected(value.error());
    SmallVector<int64_t> reduced, kept;
    for (const auto& [loop, kind] : llvm::enumerate(op_.getIteratorTypesArray())) {
      (kind == mlir::utils::IteratorType::reduction ? reduced : kept).push_back(static_cast<int64_t>(loop));
    }
    if (loops->size() != kept.size()) return CannotRaise(op_, "several results of different loops");
    raised_.Map(result, InOrder(Reduce(reduction->combiner, *value, init, reduced, kept), kept, *loops));
    return {};
  }

  IrValue Reduce(Operation* combiner, IrValue value, IrValue init, ArrayRef<int64_t> reduced, ArrayRef<int64_t> kept) {
    mlir::OpBuilder& builder = raised_.builder();
    const mlir::Location loc = op_->getLoc();
    auto type = mlir::cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (const int64_t loop : kept) shape.push_back(type.getDimSize(loop));
    mlir::OperationState state(loc, "stablehlo.reduce", {value, init},
                               mlir::TypeRange(mlir::Type(RankedTensorType::get(shape, type.getElementType()))),
                               {raised_.Integers("dimensions", reduced)});
    mlir::Block& block = state.addRegion()->emplaceBlock();
    auto scalar = RankedTensorType::get({}, type.getElementType());
    block.addArguments({scalar, scalar}, {loc, loc});
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&block);
      const IrValue step = RaiseScalarOp(builder, combiner, block.getArguments(), {});
      builder.create(mlir::OperationState(loc, "stablehlo.return", step, mlir::TypeRange()));
    }
    return builder.create(state)->getResult(0);
  }

  // Raises a sum of products of two tensors to one dot_general, which needs no tensor over all loops. Returns false if
  // the op is not such a sum.
  bool RaiseContraction() {
    if (op_.getNumReductionLoops() == 0 || op_.getNumDpsInputs() != 2 || op_.getNumDpsInits() != 1) return false;
    const auto reduction = ReductionOf(0);
    if (!reduction || !mlir::isa<mlir::arith::AddFOp>(reduction->combiner)) return false;
    auto product = reduction->combined.getDefiningOp<mlir::arith::MulFOp>();
    if (!product || !IsInput(product.getLhs(), 0) || !IsInput(product.getRhs(), 1)) return false;
    const auto maps = op_.getIndexingMapsArray();
    const auto a = LoopsOf(maps[0]), b = LoopsOf(maps[1]), out = LoopsOf(maps[2]);
    if (!a || !b || !out) return false;
    const IrValue lhs = raised_.Lookup(op_->getOperand(0)), rhs = raised_.Lookup(op_->getOperand(1));
    const IrValue init = InitialValue(0);
    if (!lhs || !rhs || !init || !IsZero(init)) return false;
    SmallVector<int64_t> order, lhs_batch, rhs_batch, lhs_contract, rhs_contract, lhs_free, rhs_free;
    const auto place = [](ArrayRef<int64_t> loops, int64_t loop) {
      return std::distance(loops.begin(), llvm::find(loops, loop));
    };
    for (const int64_t loop : *a) {
      const bool in_b = llvm::is_contained(*b, loop);
      const bool in_out = llvm::is_contained(*out, loop);
      if (!in_b && !in_out) return false;
      if (!in_b) lhs_free.push_back(loop);
      if (!in_b) continue;
      (in_out ? lhs_batch : lhs_contract).push_back(place(*a, loop));
      (in_out ? rhs_batch : rhs_contract).push_back(place(*b, loop));
      if (in_out) order.push_back(loop);
    }
    for (const int64_t loop : *b) {
      if (llvm::is_contained(*a, loop)) continue;
      if (!llvm::is_contained(*out, loop)) return false;
      rhs_free.push_back(loop);
    }
    order.append(lhs_free.begin(), lhs_free.end());
    order.append(rhs_free.begin(), rhs_free.end());
    if (order.size() != out->size()) return false;
    SmallVector<int64_t> shape;
    for (const int64_t loop : order) shape.push_back(shape_[static_cast<size_t>(loop)]);
    auto numbers =
        stablehlo::DotDimensionNumbersAttr::get(op_->getContext(), lhs_batch, rhs_batch, lhs_contract, rhs_contract);
    auto element = mlir::cast<RankedTensorType>(op_->getResult(0).getType()).getElementType();
    const IrValue dot = raised_.Make(op_, "stablehlo.dot_general", RankedTensorType::get(shape, element), {lhs, rhs},
                                     {raised_.builder().getNamedAttr("dot_dimension_numbers", numbers)});
    raised_.Map(op_->getResult(0), InOrder(dot, order, *out));
    return true;
  }

  // True if `value` is the element of input `i`, possibly widened to the accumulator's type.
  bool IsInput(IrValue value, unsigned i) {
    if (auto widened = value.getDefiningOp<mlir::arith::ExtFOp>()) value = widened.getIn();
    return value == body_.getArgument(i);
  }

  RaisedFunction& raised_;
  mlir::linalg::LinalgOp op_;
  mlir::Block& body_;
  SmallVector<int64_t> shape_;  // extents of the loops
  mlir::IRMapping scalars_;     // scalars of the body, mapped to tensors over the loops
};

}  // namespace

Expected<void> RaiseLinalg(RaisedFunction& raised, mlir::linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics()) return CannotRaise(op, "it works on buffers");
  return LinalgRaiser(raised, op).Raise();
}

}  // namespace opbyop::reference
