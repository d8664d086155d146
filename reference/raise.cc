#include "reference/raise.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "ir/chlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/evaluator.h"
#include "reference/raise_scalar.h"

namespace opbyop {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;

// An SSA value; `Value` is one of the evaluator's.
using IrValue = mlir::Value;

tl::unexpected<Error> Cannot(Operation* op, std::string_view why) {
  return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: {}: {}", op->getName().getStringRef(), why));
}

RankedTensorType StaticTensor(mlir::Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return {};
  return RankedTensorType::get(tensor.getShape(), ElementFor(tensor.getElementType()));
}

// One function on its way into StableHLO: what each of its values has become.
class Raiser {
 public:
  Raiser(mlir::OpBuilder& builder, mlir::ModuleOp module) : builder_(builder), module_(module) {}

  void Map(IrValue from, IrValue to) { mapping_.map(from, to); }
  IrValue Lookup(IrValue value) { return mapping_.lookupOrNull(value); }

  // All ops of the block but its terminator.
  Expected<void> Raise(mlir::Block& block) {
    for (Operation& op : block.without_terminator()) {
      if (const Expected<void> done = Raise(&op); !done) return done;
    }
    return {};
  }

 private:
  Expected<void> Raise(Operation* op) {
    const llvm::StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "stablehlo" || dialect == "chlo") {
      builder_.clone(*op, mapping_);
      return {};
    }
    if (mlir::isa<mlir::arith::ConstantOp>(op)) return RaiseConstant(op);
    if (mlir::isa<mlir::tensor::EmptyOp>(op)) return {};  // no value: what reads one says so
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(op)) return RaiseLinalg(linalg);
    if (dialect == "tensor" || IsReshape(op)) return RaiseTensor(op);
    if (op->getName().getStringRef() == "flow.dispatch") return RaiseDispatch(op);
    return RaiseElementwise(op);
  }

  IrValue Make(Operation* of, llvm::StringRef name, mlir::Type type, mlir::ValueRange operands,
               ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return MakeStablehlo(builder_, of->getLoc(), name, type, operands, attributes);
  }
  mlir::NamedAttribute Integers(llvm::StringRef name, ArrayRef<int64_t> values) {
    return builder_.getNamedAttr(name, builder_.getDenseI64ArrayAttr(values));
  }

  Expected<void> RaiseConstant(Operation* op) {
    mlir::Attribute value = mlir::cast<mlir::arith::ConstantOp>(op).getValue();
    if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value)) {
      if (!mlir::isa<mlir::DenseElementsAttr>(elements) || elements.getElementType().isIndex()) {
        return Cannot(op, "its elements are of an unusual form");
      }
      mapping_.map(op->getResult(0),
                   Make(op, "stablehlo.constant", elements.getType(), {}, {builder_.getNamedAttr("value", elements)}));
      return {};
    }
    if (IrValue splat = SplatConstant(builder_, op->getLoc(), value, {})) mapping_.map(op->getResult(0), splat);
    return {};
  }

  // Ops of ttir and ttnn that compute element by element.
  Expected<void> RaiseElementwise(Operation* op) {
    const std::string_view name = StablehloNameOf(op->getName().getStringRef());
    if (name.empty() || op->getNumResults() != 1) return Cannot(op, "the reference does not know what it computes");
    const RankedTensorType type = StaticTensor(op->getResult(0).getType());
    SmallVector<IrValue> operands;
    for (IrValue operand : op->getOperands()) {
      const RankedTensorType given = StaticTensor(operand.getType());
      if (!type || !given || given.getElementType() != type.getElementType()) {
        return Cannot(op, "its operands are not of one type with its result");
      }
      IrValue raised = mapping_.lookupOrNull(operand);
      if (!raised) return Cannot(op, "an operand has no value");
      // These ops broadcast as NumPy does.
      if (given.getRank() > type.getRank()) return Cannot(op, "an operand has more dimensions than its result");
      if (given.getShape() != type.getShape()) {
        SmallVector<int64_t> dims(given.getRank());
        std::iota(dims.begin(), dims.end(), type.getRank() - given.getRank());
        raised = Make(op, "stablehlo.broadcast_in_dim", type, raised, {Integers("broadcast_dimensions", dims)});
      }
      operands.push_back(raised);
    }
    mapping_.map(op->getResult(0), Make(op, llvm::StringRef(name), type, operands));
    return {};
  }

  static bool IsReshape(Operation* op) {
    return mlir::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp, mlir::tensor::CastOp>(op) ||
           op->getName().getStringRef() == "flow.tensor.reshape";
  }

  Expected<void> RaiseTensor(Operation* op) {
    const RankedTensorType type = op->getNumResults() == 1 ? StaticTensor(op->getResult(0).getType()) : nullptr;
    if (!type) return Cannot(op, "its result is no tensor of a static shape");
    SmallVector<IrValue> operands;
    for (IrValue operand : op->getOperands()) {
      if (!mlir::isa<RankedTensorType>(operand.getType())) continue;
      IrValue raised = mapping_.lookupOrNull(operand);
      if (!raised) return Cannot(op, "an operand has no value");
      operands.push_back(raised);
    }
    IrValue result;
    if (IsReshape(op)) {
      result = Make(op, "stablehlo.reshape", type, operands.front());
    } else if (auto concat = mlir::dyn_cast<mlir::tensor::ConcatOp>(op)) {
      result = Make(op, "stablehlo.concatenate", type, operands,
                    {builder_.getNamedAttr("dimension", builder_.getI64IntegerAttr(concat.getDim()))});
    } else if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(op)) {
      const bool known = !mlir::ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
                         !mlir::ShapedType::isDynamicShape(slice.getStaticSizes()) &&
                         !mlir::ShapedType::isDynamicShape(slice.getStaticStrides());
      if (!known) return Cannot(op, "its offsets are computed");
      SmallVector<int64_t> limits;
      for (auto [offset, size, stride] :
           llvm::zip(slice.getStaticOffsets(), slice.getStaticSizes(), slice.getStaticStrides())) {
        limits.push_back(offset + (size == 0 ? 0 : (size - 1) * stride + 1));
      }
      auto sliced = RankedTensorType::get(slice.getStaticSizes(), type.getElementType());
      result = Make(op, "stablehlo.slice", sliced, operands.front(),
                    {Integers("start_indices", slice.getStaticOffsets()), Integers("limit_indices", limits),
                     Integers("strides", slice.getStaticStrides())});
      if (sliced != type) result = Make(op, "stablehlo.reshape", type, result);
    } else {
      return Cannot(op, "the reference does not know what it computes");
    }
    mapping_.map(op->getResult(0), result);
    return {};
  }

  // --- linalg

  // The dimension of the loops behind each dimension of an operand; nullopt where one is no loop's counter.
  static std::optional<SmallVector<int64_t>> LoopsOf(mlir::AffineMap map) {
    if (!map.isProjectedPermutation()) return std::nullopt;
    SmallVector<int64_t> loops;
    for (unsigned i = 0; i < map.getNumResults(); ++i) loops.push_back(map.getDimPosition(i));
    return loops;
  }

  // The elements that an operand brings to every step of the loops.
  IrValue OverLoops(Operation* op, IrValue raised, ArrayRef<int64_t> loops, ArrayRef<int64_t> shape) {
    auto type = mlir::cast<RankedTensorType>(raised.getType());
    return Make(op, "stablehlo.broadcast_in_dim", RankedTensorType::get(shape, type.getElementType()), raised,
                {Integers("broadcast_dimensions", loops)});
  }

  // `value` with one dimension for each of `from`, in the order that `to` gives; both name loops.
  IrValue InOrder(Operation* op, IrValue value, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    if (from == to) return value;
    auto type = mlir::cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> permutation, shape;
    for (const int64_t loop : to) {
      permutation.push_back(std::distance(from.begin(), llvm::find(from, loop)));
      shape.push_back(type.getDimSize(permutation.back()));
    }
    return Make(op, "stablehlo.transpose", RankedTensorType::get(shape, type.getElementType()), value,
                {Integers("permutation", permutation)});
  }

  Expected<void> RaiseLinalg(mlir::linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics()) return Cannot(op, "it works on buffers");
    const SmallVector<int64_t> shape = op.getStaticLoopRanges();
    if (mlir::ShapedType::isDynamicShape(shape)) return Cannot(op, "its shapes are not static");
    if (auto done = RaiseContraction(op); !done || *done) {
      return done ? Expected<void>() : Unexpected(done.error());
    }
    mlir::Block& body = op->getRegion(0).front();
    mlir::IRMapping inner;
    for (mlir::OpOperand& operand : op->getOpOperands()) {
      mlir::BlockArgument argument = body.getArgument(operand.getOperandNumber());
      if (argument.use_empty()) continue;
      IrValue raised = mapping_.lookupOrNull(operand.get());
      if (op.isDpsInit(&operand) && op.getNumReductionLoops() > 0) continue;  // the accumulator
      if (!raised) return Cannot(op, "it reads a tensor that has no value yet");
      const auto loops = LoopsOf(op.getMatchingIndexingMap(&operand));
      if (!loops) return Cannot(op, "its loops index by sums");
      inner.map(argument, OverLoops(op, raised, *loops, shape));
    }
    for (Operation& step : body.without_terminator()) {
      if (IsCombiner(op, &step)) continue;
      if (const Expected<void> done = RaiseStep(op, &step, inner, shape); !done) return done;
    }
    for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
      if (const Expected<void> done = RaiseResult(op, static_cast<unsigned>(i), yielded, inner, shape); !done) {
        return done;
      }
    }
    return {};
  }

  Expected<void> RaiseStep(mlir::linalg::LinalgOp op, Operation* step, mlir::IRMapping& inner,
                           ArrayRef<int64_t> shape) {
    if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(step)) {
      const auto dimension = builder_.getI64IntegerAttr(static_cast<int64_t>(index.getDim()));
      inner.map(index.getResult(), Make(op, "stablehlo.iota", RankedTensorType::get(shape, builder_.getI64Type()), {},
                                        {builder_.getNamedAttr("iota_dimension", dimension)}));
      return {};
    }
    SmallVector<IrValue> operands;
    for (IrValue operand : step->getOperands()) {
      const Expected<IrValue> raised = Scalar(op, operand, inner, shape);
      if (!raised) return Unexpected(raised.error());
      operands.push_back(*raised);
    }
    const IrValue result = RaiseScalarOp(builder_, step, operands, shape);
    if (!result) return Cannot(step, "StableHLO has no such operation on elements");
    inner.map(step->getResult(0), result);
    return {};
  }

  // A scalar of the body as a tensor over the loops; one from outside is the same at every step.
  Expected<IrValue> Scalar(mlir::linalg::LinalgOp op, IrValue value, mlir::IRMapping& inner, ArrayRef<int64_t> shape) {
    if (IrValue known = inner.lookupOrNull(value)) return known;
    IrValue outside = mapping_.lookupOrNull(value);
    auto type = outside ? mlir::dyn_cast<RankedTensorType>(outside.getType()) : RankedTensorType();
    if (!type || type.getRank() != 0) return Cannot(op, "its body reads what the reference cannot follow");
    const IrValue everywhere = OverLoops(op, outside, {}, shape);
    inner.map(value, everywhere);
    return everywhere;
  }

  // What a step of a reduction does to its accumulator: acc = combine(acc, x).
  struct Reduction {
    Operation* combiner = nullptr;
    IrValue combined;  // x
  };

  static std::optional<Reduction> ReductionOf(mlir::linalg::LinalgOp op, unsigned result) {
    mlir::Block& body = op->getRegion(0).front();
    const IrValue accumulator = body.getArgument(static_cast<unsigned>(op.getNumDpsInputs()) + result);
    Operation* combiner = body.getTerminator()->getOperand(result).getDefiningOp();
    if (combiner == nullptr || combiner->getBlock() != &body || combiner->getNumOperands() != 2) return std::nullopt;
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

  static bool IsCombiner(mlir::linalg::LinalgOp op, Operation* step) {
    if (op.getNumReductionLoops() == 0) return false;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      const auto reduction = ReductionOf(op, i);
      if (reduction && reduction->combiner == step) return true;
    }
    return false;
  }

  // The one value that an accumulator begins with.
  IrValue InitialValue(IrValue init) {
    Operation* source = init.getDefiningOp();
    if (auto fill = mlir::dyn_cast_or_null<mlir::linalg::FillOp>(source)) {
      IrValue raised = mapping_.lookupOrNull(fill.getInputs().front());
      auto type = raised ? mlir::dyn_cast<RankedTensorType>(raised.getType()) : RankedTensorType();
      return type && type.getRank() == 0 ? raised : IrValue();
    }
    auto constant = mlir::dyn_cast_or_null<mlir::arith::ConstantOp>(source);
    auto elements = constant ? mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat()) return {};
    return SplatConstant(builder_, init.getLoc(), elements.getSplatValue<mlir::Attribute>(), {});
  }

  Expected<void> RaiseResult(mlir::linalg::LinalgOp op, unsigned i, IrValue yielded, mlir::IRMapping& inner,
                             ArrayRef<int64_t> shape) {
    const auto loops = LoopsOf(op.getMatchingIndexingMap(op.getDpsInitOperand(i)));
    if (!loops) return Cannot(op, "its loops index a result by sums");
    const IrValue result = op->getResult(i);
    if (op.getNumReductionLoops() == 0) {
      const Expected<IrValue> value = Scalar(op, yielded, inner, shape);
      if (!value) return Unexpected(value.error());
      if (loops->size() != shape.size()) return Cannot(op, "several steps write one element");
      SmallVector<int64_t> all(shape.size());
      std::iota(all.begin(), all.end(), 0);
      mapping_.map(result, InOrder(op, *value, all, *loops));
      return {};
    }
    const auto reduction = ReductionOf(op, i);
    if (!reduction) return Cannot(op, "its reduction is none of sum, product, extreme, and, or");
    const IrValue init = InitialValue(op.getDpsInitOperand(i)->get());
    if (!init) return Cannot(op, "it accumulates onto a tensor, whose share of the error has no bound here");
    const Expected<IrValue> value = Scalar(op, reduction->combined, inner, shape);
    if (!value) return Unexpected(value.error());
    SmallVector<int64_t> reduced, kept;
    for (const auto& [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      (kind == mlir::utils::IteratorType::reduction ? reduced : kept).push_back(static_cast<int64_t>(loop));
    }
    if (loops->size() != kept.size()) return Cannot(op, "several results of different loops");
    mapping_.map(result, InOrder(op, Reduce(op, reduction->combiner, *value, init, reduced, kept), kept, *loops));
    return {};
  }

  IrValue Reduce(Operation* op, Operation* combiner, IrValue value, IrValue init, ArrayRef<int64_t> reduced,
                 ArrayRef<int64_t> kept) {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (const int64_t loop : kept) shape.push_back(type.getDimSize(loop));
    mlir::OperationState state(op->getLoc(), "stablehlo.reduce", {value, init},
                               mlir::TypeRange(mlir::Type(RankedTensorType::get(shape, type.getElementType()))),
                               {Integers("dimensions", reduced)});
    mlir::Region* region = state.addRegion();
    mlir::Block& block = region->emplaceBlock();
    auto scalar = RankedTensorType::get({}, type.getElementType());
    block.addArguments({scalar, scalar}, {op->getLoc(), op->getLoc()});
    {
      mlir::OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPointToEnd(&block);
      const IrValue step = RaiseScalarOp(builder_, combiner, block.getArguments(), {});
      builder_.create(mlir::OperationState(op->getLoc(), "stablehlo.return", step, mlir::TypeRange()));
    }
    return builder_.create(state)->getResult(0);
  }

  // A product of two tensors summed up, as one dot_general: nothing of the size of all loops is made. False: it is
  // none.
  Expected<bool> RaiseContraction(mlir::linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) return false;
    const auto reduction = ReductionOf(op, 0);
    if (!reduction || !mlir::isa<mlir::arith::AddFOp>(reduction->combiner)) return false;
    auto product = reduction->combined.getDefiningOp<mlir::arith::MulFOp>();
    if (!product || !IsInput(op, product.getLhs(), 0) || !IsInput(op, product.getRhs(), 1)) return false;
    const auto maps = op.getIndexingMapsArray();
    const auto a = LoopsOf(maps[0]), b = LoopsOf(maps[1]), out = LoopsOf(maps[2]);
    if (!a || !b || !out) return false;
    const IrValue lhs = mapping_.lookupOrNull(op->getOperand(0)), rhs = mapping_.lookupOrNull(op->getOperand(1));
    const IrValue init = InitialValue(op.getDpsInitOperand(0)->get());
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
    const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<int64_t> shape;
    for (const int64_t loop : order) shape.push_back(ranges[static_cast<size_t>(loop)]);
    auto numbers = stablehlo::DotDimensionNumbersAttr::get(builder_.getContext(), lhs_batch, rhs_batch, lhs_contract,
                                                           rhs_contract);
    auto element = mlir::cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    const IrValue dot = Make(op, "stablehlo.dot_general", RankedTensorType::get(shape, element), {lhs, rhs},
                             {builder_.getNamedAttr("dot_dimension_numbers", numbers)});
    mapping_.map(op->getResult(0), InOrder(op, dot, order, *out));
    return true;
  }

  // The element of input `i`, perhaps widened to the accumulator's type.
  static bool IsInput(mlir::linalg::LinalgOp op, IrValue value, unsigned i) {
    if (auto widened = value.getDefiningOp<mlir::arith::ExtFOp>()) value = widened.getIn();
    return value == op->getRegion(0).front().getArgument(i);
  }

  static bool IsZero(IrValue value) {
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    auto elements = constant ? mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat() || !mlir::isa<mlir::FloatType>(elements.getElementType())) return false;
    return elements.getSplatValue<llvm::APFloat>().isZero();
  }

  // --- flow.dispatch: a function on whole tensors, which loads its arguments and stores its results

  Expected<void> RaiseDispatch(Operation* op) {
    auto entries = op->getAttrOfType<mlir::ArrayAttr>("entry_points");
    auto entry = entries && entries.size() == 1 ? mlir::dyn_cast<mlir::SymbolRefAttr>(entries[0]) : nullptr;
    mlir::func::FuncOp function;
    module_.walk([&](mlir::func::FuncOp candidate) {
      if (entry && candidate.getSymName() == entry.getLeafReference()) function = candidate;
    });
    if (!function || !function.getBody().hasOneBlock()) return Cannot(op, "its function is not in the module");
    mlir::Block& body = function.getBody().front();
    if (body.getNumArguments() != op->getNumOperands() + op->getNumResults()) {
      return Cannot(op, "an argument of its function is a result too, or a size");
    }
    Raiser inner(builder_, module_);
    SmallVector<IrValue> results(op->getNumResults());
    const auto argument = [&](IrValue value) -> std::optional<unsigned> {
      auto found = mlir::dyn_cast<mlir::BlockArgument>(value);
      return found && found.getOwner() == &body ? std::optional(found.getArgNumber()) : std::nullopt;
    };
    for (Operation& step : body.without_terminator()) {
      const llvm::StringRef name = step.getName().getStringRef();
      if (name == "iree_tensor_ext.dispatch.tensor.load") {
        const auto from = argument(step.getOperand(0));
        if (!from || *from >= op->getNumOperands() || step.getNumOperands() != 1)
          return Cannot(&step, "a part is loaded");
        IrValue given = mapping_.lookupOrNull(op->getOperand(*from));
        if (!given || StaticTensor(given.getType()) != StaticTensor(step.getResult(0).getType())) {
          return Cannot(&step, "a part of a tensor is loaded, or as another type");
        }
        inner.Map(step.getResult(0), given);
      } else if (name == "iree_tensor_ext.dispatch.tensor.store") {
        const auto to = step.getNumOperands() == 2 ? argument(step.getOperand(1)) : std::nullopt;
        const IrValue stored = inner.Lookup(step.getOperand(0));
        if (!to || *to < op->getNumOperands() || !stored) return Cannot(&step, "a part is stored");
        const unsigned i = *to - op->getNumOperands();
        if (results[i] || StaticTensor(stored.getType()) != StaticTensor(op->getResult(i).getType())) {
          return Cannot(&step, "a part of a tensor is stored, or as another type");
        }
        results[i] = stored;
      } else if (const Expected<void> done = inner.Raise(&step); !done) {
        return done;
      }
    }
    for (unsigned i = 0; i < results.size(); ++i) {
      if (!results[i]) return Cannot(op, "a result is never stored");
      mapping_.map(op->getResult(i), results[i]);
    }
    return {};
  }

  mlir::OpBuilder& builder_;
  mlir::ModuleOp module_;
  mlir::IRMapping mapping_;
};

bool IsKnown(Operation* op) {
  const llvm::StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "chlo" || dialect == "check" || dialect == "interpreter" ||
         dialect == "sdy" || dialect == "func";
}

}  // namespace

Expected<bool> RaiseToStablehlo(mlir::ModuleOp module) {
  const Expected<Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  auto main = mlir::dyn_cast<mlir::func::FuncOp>(*entry);
  if (!main || !main.getBody().hasOneBlock()) return false;
  mlir::Block& body = main.getBody().front();
  if (llvm::all_of(body, [](Operation& op) { return IsKnown(&op); })) return false;

  mlir::MLIRContext* context = module.getContext();
  context->getOrLoadDialect<stablehlo::StablehloDialect>();
  context->getOrLoadDialect<chlo::ChloDialect>();
  // Written beside the function, and put in its place when all of it can be said.
  mlir::OpBuilder builder(main);
  auto raised = mlir::func::FuncOp::create(builder, main.getLoc(), "raised", main.getFunctionType());
  mlir::Block* block = raised.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Raiser raiser(builder, module);
  for (auto [from, to] : llvm::zip(body.getArguments(), block->getArguments())) raiser.Map(from, to);
  Expected<void> done = raiser.Raise(body);
  SmallVector<IrValue> results;
  for (IrValue result : body.getTerminator()->getOperands()) {
    const IrValue value = raiser.Lookup(result);
    if (done && !value) done = Cannot(body.getTerminator(), "a result has no value");
    results.push_back(value);
  }
  if (!done) {
    raised.erase();
    return Unexpected(done.error());
  }
  mlir::func::ReturnOp::create(builder, main.getLoc(), results);
  raised.setSymNameAttr(main.getSymNameAttr());
  main.erase();
  return true;
}

}  // namespace opbyop
