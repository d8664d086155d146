// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/process_grid.h"

#include <algorithm>

#include "ir/op_info.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "support/saturated.h"

namespace opbyop::generator {
namespace {

bool ChangesView(mlir::Operation* op) {
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  return target && llvm::StringSwitch<bool>(target.getValue())
                       .Cases({"SPMDFullToShardShape", "SPMDShardToFullShape"}, true)
                       .Default(false);
}

// The number of devices in a mesh; 1 if it is unknown.
int64_t PlacesOf(mlir::Operation* op, mlir::Attribute mesh) {
  int64_t places = 1;
  const auto add = [&](int64_t size) { places = MulCapped(places, std::max<int64_t>(size, 1)); };
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(mesh)) {
    auto definition = llvm::dyn_cast_or_null<sdy::MeshOp>(mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol));
    if (!definition) return 1;
    for (const sdy::MeshAxisAttr axis : definition.getMesh().getAxes()) add(axis.getSize());
  } else if (auto spelled = llvm::dyn_cast<stablehlo::MeshAttr>(mesh)) {
    for (const mlir::Attribute entry : spelled.getAxes()) {
      if (auto axis = llvm::dyn_cast<stablehlo::MeshAxisAttr>(entry)) add(axis.getSize());
    }
  }
  return places;
}

int64_t NamedBy(mlir::Operation* op, llvm::DenseSet<mlir::Operation*>& seen) {
  int64_t most = 1;
  op->walk([&](mlir::Operation* inner) {
    for (const llvm::StringRef name : {"replica_groups", "source_target_pairs"}) {
      const mlir::Attribute groups = inner->getAttr(name);
      if (auto ids = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(groups)) {
        for (const llvm::APInt& id : ids.getValues<llvm::APInt>()) {
          // An absurd id is left for the verifier to refuse; here it must not overflow.
          constexpr int64_t kMostProcesses = int64_t{1} << 31;
          most = std::max(most, std::min(id.getSExtValue(), kMostProcesses) + 1);
        }
      } else if (auto axes = llvm::dyn_cast_or_null<stablehlo::ReplicaGroupMeshAxesAttr>(groups)) {
        most = std::max(most, PlacesOf(inner, axes.getMesh()));
      }
    }
    inner->getAttrDictionary().walk([&](mlir::SymbolRefAttr symbol) {
      mlir::Operation* body = mlir::SymbolTable::lookupNearestSymbolFrom(inner, symbol.getRootReference());
      if (body != nullptr && seen.insert(body).second) most = std::max(most, NamedBy(body, seen));
    });
  });
  return most;
}

}  // namespace

int64_t ProcessesNamedBy(mlir::Operation* op) {
  llvm::DenseSet<mlir::Operation*> seen;
  return NamedBy(op, seen);
}

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
    // Entered as not concerned first, so that functions that name each other in a cycle end here.
    auto [it, is_new] = symbols_.try_emplace(body, false);
    found = it->second;
    if (is_new && Concerns(body)) found = symbols_[body] = true;
  }
  return found;
}

}  // namespace opbyop::generator
