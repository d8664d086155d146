// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-flatten-values: replaces values that are not tensors by the tensors that they consist of.
//
// One process runs a program in order, so tokens order nothing and are removed; a tuple is the list of its elements; an
// asynchronous computation is computed where it starts. Such values that remain in the signature of @main, or that
// reach an op that is unknown here, are left for the lowering to refuse.
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Builders.h>

#include "device/host/passes.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::Value;
namespace func = mlir::func;
using Values = llvm::SmallVector<Value>;

// Appends the tensor types that a value of the type consists of.
void AppendParts(mlir::Type type, llvm::SmallVectorImpl<mlir::Type>& parts) {
  if (mlir::isa<stablehlo::TokenType>(type)) return;
  if (auto tuple = mlir::dyn_cast<mlir::TupleType>(type)) {
    for (mlir::Type each : tuple.getTypes()) AppendParts(each, parts);
  } else {
    parts.push_back(type);
  }
}

llvm::SmallVector<mlir::Type> PartsOf(mlir::TypeRange types) {
  llvm::SmallVector<mlir::Type> parts;
  for (mlir::Type type : types) AppendParts(type, parts);
  return parts;
}

bool IsFlat(mlir::Type type) { return !mlir::isa<stablehlo::TokenType, mlir::TupleType, stablehlo::FutureType>(type); }

class FlattenValues : public mlir::PassWrapper<FlattenValues, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FlattenValues)

  llvm::StringRef getArgument() const final { return "opbyop-flatten-values"; }
  llvm::StringRef getDescription() const final { return "Replace tuples, tokens and futures by tensors"; }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal()) continue;
      parts_.clear();
      replaced_.clear();
      Flatten(function.getBody().front());
      // Users come after the values that they use, so ops are erased in reverse.
      for (mlir::Operation* op : llvm::reverse(replaced_)) {
        if (op->use_empty()) op->erase();
      }
    }
  }

 private:
  void Flatten(mlir::Block& block) {
    for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
      if (mlir::isa<stablehlo::AfterAllOp, stablehlo::CreateTokenOp>(op)) {
        Replace(&op, {{}});
      } else if (mlir::isa<stablehlo::TupleOp>(op)) {
        if (auto parts = Parts(op.getOperands())) Replace(&op, {*parts});
      } else if (auto element = mlir::dyn_cast<stablehlo::GetTupleElementOp>(op)) {
        Select(element);
      } else if (auto start = mlir::dyn_cast<stablehlo::AsyncStartOp>(op)) {
        Inline(start);
      } else if (auto done = mlir::dyn_cast<stablehlo::AsyncDoneOp>(op)) {
        if (auto parts = Parts(done->getOperands())) ReplaceFlat(done, *parts);
      } else if (IsStructural(&op)) {
        FlattenStructure(&op);
      } else {
        for (mlir::Region& region : op.getRegions()) {
          for (mlir::Block& inner : region) Flatten(inner);
        }
      }
    }
  }

  // Whether the op passes on any values: it can pass on the parts instead.
  static bool IsStructural(mlir::Operation* op) {
    return mlir::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp, stablehlo::OptimizationBarrierOp,
                     stablehlo::ReturnOp>(op);
  }

  // The tensors that the values consist of; nullopt if one of the values is unknown.
  std::optional<Values> Parts(mlir::ValueRange values) const {
    Values parts;
    for (Value value : values) {
      if (IsFlat(value.getType())) {
        parts.push_back(value);
      } else if (auto known = parts_.find(value); known != parts_.end()) {
        llvm::append_range(parts, known->second);
      } else {
        return std::nullopt;
      }
    }
    return parts;
  }

  // `results` has one list of parts per result.
  void Replace(mlir::Operation* op, llvm::ArrayRef<Values> results) {
    for (auto [result, parts] : llvm::zip_equal(op->getResults(), results)) parts_[result] = parts;
    replaced_.push_back(op);
  }

  // `parts` holds the parts of all results in order.
  void ReplaceFlat(mlir::Operation* op, llvm::ArrayRef<Value> parts) {
    for (mlir::Value result : op->getResults()) {
      const size_t count = PartsOf(result.getType()).size();
      if (IsFlat(result.getType())) {
        result.replaceAllUsesWith(parts.front());
      } else {
        parts_[result] = Values(parts.take_front(count));
      }
      parts = parts.drop_front(count);
    }
    replaced_.push_back(op);
  }

  void Select(stablehlo::GetTupleElementOp op) {
    const auto parts = Parts(op->getOperands());
    if (!parts) return;
    const auto types = mlir::cast<mlir::TupleType>(op.getOperand().getType()).getTypes();
    const size_t skipped = PartsOf(mlir::TypeRange(types.take_front(op.getIndex()))).size();
    ReplaceFlat(op, llvm::ArrayRef(*parts).drop_front(skipped).take_front(PartsOf(op.getType()).size()));
  }

  // Moves the body in front of the op, so that it is computed here.
  void Inline(stablehlo::AsyncStartOp op) {
    mlir::Block& body = op->getRegion(0).front();
    if (!Parts(op->getOperands())) return;
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands())) {
      argument.replaceAllUsesWith(operand);
    }
    mlir::Operation* end = body.getTerminator();
    const Values results(end->getOperands());
    end->erase();
    mlir::Block inner;
    inner.getOperations().splice(inner.end(), body.getOperations());
    Flatten(inner);
    op->getBlock()->getOperations().splice(op->getIterator(), inner.getOperations());
    Replace(op, {results});
  }

  void FlattenStructure(mlir::Operation* op) {
    const auto operands = Parts(op->getOperands());
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        if (operands) FlattenArguments(block);
        Flatten(block);
      }
    }
    const bool flat = llvm::all_of(op->getOperandTypes(), IsFlat) && llvm::all_of(op->getResultTypes(), IsFlat);
    if (flat || !operands) return;
    mlir::OpBuilder builder(op);
    mlir::OperationState state(op->getLoc(), op->getName());
    state.addOperands(*operands);
    state.addTypes(PartsOf(op->getResultTypes()));
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
    mlir::Operation* flattened = builder.create(state);
    if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      op->erase();
    } else {
      ReplaceFlat(op, Values(flattened->getResults()));
    }
  }

  void FlattenArguments(mlir::Block& block) {
    for (unsigned i = 0; i < block.getNumArguments();) {
      mlir::BlockArgument argument = block.getArgument(i);
      if (IsFlat(argument.getType())) {
        ++i;
        continue;
      }
      // A cast to the old type replaces the argument; all its uses are then replaced by the parts or erased.
      Values parts;
      unsigned place = i;
      for (mlir::Type type : PartsOf(argument.getType())) {
        parts.push_back(block.insertArgument(++place, type, argument.getLoc()));
      }
      mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&block);
      mlir::OperationState state(argument.getLoc(), "builtin.unrealized_conversion_cast");
      state.addOperands(parts);
      state.addTypes(argument.getType());
      mlir::Operation* stand_in = builder.create(state);
      argument.replaceAllUsesWith(stand_in->getResult(0));
      block.eraseArgument(i);
      i += static_cast<unsigned>(parts.size());
      Replace(stand_in, {parts});
    }
  }

  llvm::DenseMap<Value, Values> parts_;
  llvm::SmallVector<mlir::Operation*> replaced_;
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateFlattenValuesPass() { return std::make_unique<FlattenValues>(); }

}  // namespace opbyop::host
