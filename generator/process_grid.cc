// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/process_grid.h"

#include "ir/op_info.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop::generator {
namespace {

bool ChangesView(mlir::Operation* op) {
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  return target && llvm::StringSwitch<bool>(target.getValue())
                       .Cases({"SPMDFullToShardShape", "SPMDShardToFullShape"}, true)
                       .Default(false);
}

}  // namespace

ProcessGrid::ProcessGrid(mlir::ModuleOp module) : module_(module) {
  auto take = [&](llvm::StringRef name, uint64_t& count) {
    for (mlir::Operation* at = module; at != nullptr; at = at->getParentOp()) {
      auto value = at->getAttrOfType<mlir::IntegerAttr>(name);
      if (!value) continue;
      attributes_.emplace_back(mlir::StringAttr::get(module.getContext(), name), value);
      count = value.getValue().getLimitedValue();
      return;
    }
  };
  take("mhlo.num_partitions", partitions_);
  take("mhlo.num_replicas", replicas_);
  if (attributes_.empty()) return;
  any_ = module
             ->walk([&](mlir::Operation* op) {
               return IsDistributed(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
             })
             .wasInterrupted();
}

bool ProcessGrid::IsDistributed(mlir::Operation* op) {
  auto [it, is_new] = names_.try_emplace(op->getName(), false);
  if (is_new) {
    const OpInfo* info = LookUpOp(op->getName().getStringRef());
    it->second = info != nullptr && info->category == "distribution";
  }
  return it->second || (op->getName().getStringRef() == "stablehlo.custom_call" && ChangesView(op));
}

bool ProcessGrid::Concerns(mlir::Operation* op) {
  if (!any_) return false;
  llvm::SmallVector<mlir::Operation*> named;
  bool found = op->walk([&](mlir::Operation* inner) {
                   if (IsDistributed(inner)) return mlir::WalkResult::interrupt();
                   inner->getAttrDictionary().walk([&](mlir::SymbolRefAttr symbol) {
                     mlir::Operation* body = mlir::SymbolTable::lookupSymbolIn(module_, symbol.getRootReference());
                     if (body != nullptr) named.push_back(body);
                   });
                   return mlir::WalkResult::advance();
                 }).wasInterrupted();
  for (mlir::Operation* body : named) {
    if (found) break;
    // Entered as not concerned first: functions that name each other in a circle end here.
    auto [it, is_new] = symbols_.try_emplace(body, false);
    found = it->second;
    if (is_new && Concerns(body)) found = symbols_[body] = true;
  }
  return found;
}

}  // namespace opbyop::generator
