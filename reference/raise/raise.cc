// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/raise.h"

#include <numeric>
#include <optional>

#include "ir/chlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/eval/evaluator.h"
#include "reference/raise/raise_linalg.h"
#include "reference/raise/raise_scalar.h"
#include "reference/raise/raised_function.h"

namespace opbyop::reference {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;

// An SSA value; `Value` is one of the evaluator's.
using IrValue = mlir::Value;

// Raises the ops of a block, one after the other.
class Raiser {
 public:
  Raiser(mlir::OpBuilder& builder, mlir::ModuleOp module) : raised_(builder), module_(module) {}

  RaisedFunction& raised() { return raised_; }

  // Raises all ops of the block except its terminator.
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
      raised_.Clone(op);
      return {};
    }
    if (mlir::isa<mlir::arith::ConstantOp>(op)) return RaiseConstant(op);
    if (mlir::isa<mlir::tensor::EmptyOp>(op)) return {};  // has no value; an op that reads it fails
    if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(op)) return RaiseLinalg(raised_, linalg);
    if (dialect == "tensor" || IsReshape(op)) return RaiseTensor(op);
    if (op->getName().getStringRef() == "flow.dispatch") return RaiseDispatch(op);
    return RaiseElementwise(op);
  }

  Expected<void> RaiseConstant(Operation* op) {
    mlir::Attribute value = mlir::cast<mlir::arith::ConstantOp>(op).getValue();
    if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value)) {
      if (!mlir::isa<mlir::DenseElementsAttr>(elements) || elements.getElementType().isIndex()) {
        return CannotRaise(op, "its elements are of an unusual form");
      }
      raised_.Map(op->getResult(0), raised_.Make(op, "stablehlo.constant", elements.getType(), {},
                                                 {raised_.builder().getNamedAttr("value", elements)}));
      return {};
    }
    if (IrValue splat = SplatConstant(raised_.builder(), op->getLoc(), value, {})) raised_.Map(op->getResult(0), splat);
    return {};
  }

  // Raises ops of ttir and ttnn that compute element by element.
  Expected<void> RaiseElementwise(Operation* op) {
    const std::string_view name = StablehloNameOf(op->getName().getStringRef());
    if (name.empty() || op->getNumResults() != 1) {
      return CannotRaise(op, "the reference does not know what it computes");
    }
    const RankedTensorType type = StaticTensor(op->getResult(0).getType());
    SmallVector<IrValue> operands;
    for (IrValue operand : op->getOperands()) {
      const RankedTensorType given = StaticTensor(operand.getType());
      if (!type || !given || given.getElementType() != type.getElementType()) {
        return CannotRaise(op, "its operands are not of one type with its result");
      }
      IrValue raised = raised_.Lookup(operand);
      if (!raised) return CannotRaise(op, "an operand has no value");
      // These ops broadcast as NumPy does.
      if (given.getRank() > type.getRank()) return CannotRaise(op, "an operand has more dimensions than its result");
      if (given.getShape() != type.getShape()) {
        SmallVector<int64_t> dims(given.getRank());
        std::iota(dims.begin(), dims.end(), type.getRank() - given.getRank());
        raised = raised_.Make(op, "stablehlo.broadcast_in_dim", type, raised,
                              {raised_.Integers("broadcast_dimensions", dims)});
      }
      operands.push_back(raised);
    }
    raised_.Map(op->getResult(0), raised_.Make(op, llvm::StringRef(name), type, operands));
    return {};
  }

  static bool IsReshape(Operation* op) {
    return mlir::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp, mlir::tensor::CastOp>(op) ||
           op->getName().getStringRef() == "flow.tensor.reshape";
  }

  Expected<void> RaiseTensor(Operation* op) {
    const RankedTensorType type = op->getNumResults() == 1 ? StaticTensor(op->getResult(0).getType()) : nullptr;
    if (!type) return CannotRaise(op, "its result is no tensor of a static shape");
    SmallVector<IrValue> operands;
    for (IrValue operand : op->getOperands()) {
      if (!mlir::isa<RankedTensorType>(operand.getType())) continue;
      IrValue raised = raised_.Lookup(operand);
      if (!raised) return CannotRaise(op, "an operand has no value");
      operands.push_back(raised);
    }
    IrValue result;
    if (IsReshape(op)) {
      result = raised_.Make(op, "stablehlo.reshape", type, operands.front());
    } else if (auto concat = mlir::dyn_cast<mlir::tensor::ConcatOp>(op)) {
      result = raised_.Make(op, "stablehlo.concatenate", type, operands,
                            {raised_.Integer("dimension", static_cast<int64_t>(concat.getDim()))});
    } else if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(op)) {
      const bool known = !mlir::ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
                         !mlir::ShapedType::isDynamicShape(slice.getStaticSizes()) &&
                         !mlir::ShapedType::isDynamicShape(slice.getStaticStrides());
      if (!known) return CannotRaise(op, "its offsets are computed");
      SmallVector<int64_t> limits;
      for (auto [offset, size, stride] :
           llvm::zip(slice.getStaticOffsets(), slice.getStaticSizes(), slice.getStaticStrides())) {
        limits.push_back(offset + (size == 0 ? 0 : (size - 1) * stride + 1));
      }
      auto sliced = RankedTensorType::get(slice.getStaticSizes(), type.getElementType());
      result = raised_.Make(
          op, "stablehlo.slice", sliced, operands.front(),
          {raised_.Integers("start_indices", slice.getStaticOffsets()), raised_.Integers("limit_indices", limits),
           raised_.Integers("strides", slice.getStaticStrides())});
      if (sliced != type) result = raised_.Make(op, "stablehlo.reshape", type, result);
    } else {
      return CannotRaise(op, "the reference does not know what it computes");
    }
    raised_.Map(op->getResult(0), result);
    return {};
  }

  // --- flow.dispatch: calls a function on whole tensors, which loads its arguments and stores its results

  Expected<void> RaiseDispatch(Operation* op) {
    auto entries = op->getAttrOfType<mlir::ArrayAttr>("entry_points");
    auto entry = entries && entries.size() == 1 ? mlir::dyn_cast<mlir::SymbolRefAttr>(entries[0]) : nullptr;
    mlir::func::FuncOp function;
    module_.walk([&](mlir::func::FuncOp candidate) {
      if (entry && candidate.getSymName() == entry.getLeafReference()) function = candidate;
    });
    if (!function || !function.getBody().hasOneBlock()) return CannotRaise(op, "its function is not in the module");
    mlir::Block& body = function.getBody().front();
    if (body.getNumArguments() != op->getNumOperands() + op->getNumResults()) {
      return CannotRaise(op, "an argument of its function is a result too, or a size");
    }
    Raiser inner(raised_.builder(), module_);
    SmallVector<IrValue> results(op->getNumResults());
    const auto argument = [&](IrValue value) -> std::optional<unsigned> {
      auto found = mlir::dyn_cast<mlir::BlockArgument>(value);
      return found && found.getOwner() == &body ? std::optional(found.getArgNumber()) : std::nullopt;
    };
    for (Operation& step : body.without_terminator()) {
      const llvm::StringRef name = step.getName().getStringRef();
      if (name == "iree_tensor_ext.dispatch.tensor.load") {
        const auto from = argument(step.getOperand(0));
        if (!from || *from >= op->getNumOperands() || step.getNumOperands() != 1) {
          return CannotRaise(&step, "a part is loaded");
        }
        IrValue given = raised_.Lookup(op->getOperand(*from));
        if (!given || StaticTensor(given.getType()) != StaticTensor(step.getResult(0).getType())) {
          return CannotRaise(&step, "a part of a tensor is loaded, or as another type");
        }
        inner.raised().Map(step.getResult(0), given);
      } else if (name == "iree_tensor_ext.dispatch.tensor.store") {
        const auto to = step.getNumOperands() == 2 ? argument(step.getOperand(1)) : std::nullopt;
        const IrValue stored = inner.raised().Lookup(step.getOperand(0));
        if (!to || *to < op->getNumOperands() || !stored) return CannotRaise(&step, "a part is stored");
        const unsigned i = *to - op->getNumOperands();
        if (results[i] || StaticTensor(stored.getType()) != StaticTensor(op->getResult(i).getType())) {
          return CannotRaise(&step, "a part of a tensor is stored, or as another type");
        }
        results[i] = stored;
      } else if (const Expected<void> done = inner.Raise(&step); !done) {
        return done;
      }
    }
    for (unsigned i = 0; i < results.size(); ++i) {
      if (!results[i]) return CannotRaise(op, "a result is never stored");
      raised_.Map(op->getResult(i), results[i]);
    }
    return {};
  }

  RaisedFunction raised_;
  mlir::ModuleOp module_;
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
  // The raised function is built next to the original, which it replaces if all ops can be raised.
  mlir::OpBuilder builder(main);
  auto raised = mlir::func::FuncOp::create(builder, main.getLoc(), "raised", main.getFunctionType());
  mlir::Block* block = raised.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Raiser raiser(builder, module);
  for (auto [from, to] : llvm::zip(body.getArguments(), block->getArguments())) raiser.raised().Map(from, to);
  Expected<void> done = raiser.Raise(body);
  SmallVector<IrValue> results;
  for (IrValue result : body.getTerminator()->getOperands()) {
    const IrValue value = raiser.raised().Lookup(result);
    if (done && !value) done = CannotRaise(body.getTerminator(), "a result has no value");
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

}  // namespace opbyop::reference
