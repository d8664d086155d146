// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect itself, and the functions of sdy.h.
#include "ir/sdy/sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::sdy {

void SdyDialect::initialize() {
  RegisterAttributes();
  RegisterOps();
  RegisterBytecode();
}

MeshAttr TensorShardingAttr::MeshFor(mlir::Operation* op) const {
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) return mesh;
  auto name = llvm::cast<mlir::FlatSymbolRefAttr>(getMeshOrRef());
  auto mesh = mlir::SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, name.getAttr());
  return mesh ? mesh.getMesh() : MeshAttr();
}

bool IsCollective(mlir::Operation* op) {
  return llvm::isa<AllGatherOp, AllSliceOp, AllReduceOp, ReduceScatterOp, AllToAllOp, CollectivePermuteOp,
                   ReplicatedToUnreducedOp, ShardedToUnreducedOp>(op);
}

TensorShardingAttr ShardingOf(mlir::Value value) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto function = llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock()) return {};
    return function.getArgAttrOfType<TensorShardingAttr>(argument.getArgNumber(), kShardingName);
  }
  mlir::Operation* op = value.getDefiningOp();
  for (llvm::StringRef name : {"sharding", "out_sharding"}) {
    if (!llvm::isa_and_nonnull<SdyDialect>(op->getDialect())) break;
    if (auto sharding = op->getAttrOfType<TensorShardingAttr>(name)) return sharding;
  }
  TensorShardingPerValueAttr list;
  if (llvm::isa<ManualComputationOp, NamedComputationOp>(op)) {
    list = op->getAttrOfType<TensorShardingPerValueAttr>("out_shardings");
  }
  if (!list) list = op->getAttrOfType<TensorShardingPerValueAttr>(kShardingName);
  const unsigned result = llvm::cast<mlir::OpResult>(value).getResultNumber();
  return list && result < list.getShardings().size() ? list.getShardings()[result] : TensorShardingAttr();
}

llvm::SmallVector<MeshAttr> MeshesOf(mlir::Operation* op) {
  llvm::SmallVector<MeshAttr> meshes;
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    attribute.getValue().walk([&](TensorShardingAttr sharding) {
      MeshAttr mesh = sharding.MeshFor(op);
      if (!llvm::is_contained(meshes, mesh)) meshes.push_back(mesh);
    });
  }
  return meshes;
}

}  // namespace opbyop::sdy

#include "ir/sdy/dialect.cc.inc"
