// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that need a symbol table: symbols that an op names must exist and have the right type.
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::success;
using mlir::SymbolTableCollection;

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection& symbols) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(*this, getDecompositionAttr());
  if (!function) return emitOpError() << "'" << getDecomposition() << "' does not reference a valid function";
  mlir::FunctionType type = function.getFunctionType();
  if (!llvm::equal(type.getInputs(), getOperandTypes()) || !llvm::equal(type.getResults(), getResultTypes()))
    return emitOpError() << "has the type "
                         << mlir::FunctionType::get(getContext(), getOperandTypes(), getResultTypes())
                         << ", but its decomposition '" << getDecomposition() << "' has the type " << type;
  return success();
}

namespace {

// Checks replica groups that name axes of a mesh, if the mesh is given by its symbol.
LogicalResult VerifyMesh(mlir::Operation* op, mlir::Attribute groups, SymbolTableCollection& symbols) {
  auto axes = llvm::dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  auto mesh = axes ? llvm::dyn_cast<mlir::FlatSymbolRefAttr>(axes.getMesh()) : mlir::FlatSymbolRefAttr();
  if (mesh && !symbols.lookupNearestSymbolFrom(op, mesh))
    return op->emitOpError() << "replica_groups: mesh symbol '" << mesh.getValue() << "' not found";
  return success();
}

}  // namespace

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveBroadcastOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveReduceOp::verifySymbolUses(SymbolTableCollection& symbols) {
  return VerifyMesh(*this, getReplicaGroups(), symbols);
}

// A custom call without side effects may be moved or removed like any pure op.
void CustomCallOp::getEffects(
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>& effects) {
  if (!getHasSideEffect()) return;
  effects.emplace_back(mlir::MemoryEffects::Read::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}

}  // namespace opbyop::stablehlo
