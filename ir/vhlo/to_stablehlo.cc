// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/to_stablehlo.h"

#include "ir/vhlo/stablehlo_attributes.h"
#include "ir/vhlo/vhlo_dialect.h"
#include "ir/vhlo/vhlo_ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"

namespace opbyop::vhlo {
namespace {

using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;

// Returns the name of the op that `op` becomes. Functions become those of the func dialect. `return` becomes that of
// func or stablehlo, depending on its parent.
std::string TargetName(const VhloOp& entry, Operation* op) {
  llvm::StringRef stem = entry.stem();
  if (stem == "func" || stem == "call") return ("func." + stem).str();
  // Ops are converted innermost first, so the surrounding function is still a vhlo op.
  bool in_function = op->getParentOp() && op->getParentOp()->getName().stripDialect() == "func_v1";
  if (stem == "return" && in_function) return "func.return";
  return ("stablehlo." + stem).str();
}

// Sets inherent attributes with setPropertiesFromAttribute, which reports those that it does not accept. The others
// become discardable attributes.
LogicalResult SetAttributes(Operation* op, mlir::NamedAttrList& attributes) {
  mlir::DictionaryAttr all = attributes.getDictionary(op->getContext());
  if (!op->isRegistered()) {
    op->setAttrs(all);
    return success();
  }
  auto emit_error = [&] { return op->emitOpError(); };
  if (op->getPropertiesStorageSize() > 0 && failed(op->setPropertiesFromAttribute(all, emit_error))) return failure();
  for (mlir::NamedAttribute attribute : all) {
    if (!op->getInherentAttr(attribute.getName()).has_value()) {
      op->setDiscardableAttr(attribute.getName(), attribute.getValue());
    }
  }
  return success();
}

LogicalResult ConvertOp(const VhloOp& entry, Operation* op) {
  mlir::OperationName name(TargetName(entry, op), op->getContext());
  if (!name.isRegistered() && !op->getContext()->allowsUnregisteredDialects())
    return op->emitError() << "no operation " << name << " is known to this reader";

  mlir::NamedAttrList attributes;
  if (failed(StablehloAttributes(entry, op, attributes))) return failure();

  mlir::OperationState state(op->getLoc(), name, op->getOperands(), op->getResultTypes(), {}, op->getSuccessors());
  for (unsigned i = 0; i < op->getNumRegions(); ++i) state.addRegion()->takeBody(op->getRegion(i));
  Operation* converted = Operation::create(state);
  op->getBlock()->getOperations().insert(mlir::Block::iterator(op), converted);
  op->replaceAllUsesWith(converted);
  op->erase();
  return SetAttributes(converted, attributes);
}

// Producers cast between versioned and other types where an op of another dialect uses a value. After decoding, both
// types are equal and the cast is removed.
LogicalResult RemoveCast(mlir::UnrealizedConversionCastOp cast) {
  if (cast.getInputs().getTypes() != cast.getOutputs().getTypes()) return success();
  // In a graph region a file may contain a cast of its own result.
  const bool is_circle = llvm::any_of(cast.getInputs(), [&](mlir::Value v) { return v.getDefiningOp() == cast; });
  if (is_circle) return cast.emitError() << "casts its own result";
  cast.replaceAllUsesWith(cast.getInputs());
  cast.erase();
  return success();
}

}  // namespace

LogicalResult ConvertToStablehlo(mlir::ModuleOp module) {
  mlir::WalkResult result = module.walk<mlir::WalkOrder::PostOrder>([](Operation* op) -> mlir::WalkResult {
    if (auto cast = llvm::dyn_cast<mlir::UnrealizedConversionCastOp>(op)) return RemoveCast(cast);
    if (op->getName().getDialectNamespace() != VhloDialect::getDialectNamespace()) return success();
    const VhloOp* entry = FindVhloOp(op->getName().stripDialect());
    if (!entry) return op->emitError() << "no operation " << op->getName() << " is known to this reader";
    return ConvertOp(*entry, op);
  });
  return failure(result.wasInterrupted());
}

}  // namespace opbyop::vhlo
