// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/process_grid.h"

#include <algorithm>

#include "ir/call_target.h"
#include "ir/op_info.h"
#include "ir/replica_groups.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "support/saturated.h"

namespace opbyop::generator {
namespace {

bool ChangesView(mlir::Operation* op) {
  const llvm::StringRef target = CallTargetOf(op);
  return target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape";
}

int64_t PlacesOf(sdy::MeshAttr mesh) {
  int64_t places = 1;
  for (const sdy::MeshAxisAttr axis : mesh.getAxes()) places = MulCapped(places, std::max<int64_t>(axis.getSize(), 1));
  return places;
}

// The number of devices in a mesh; 1 if it is unknown.
int64_t PlacesOf(mlir::Operation* op, mlir::Attribute mesh) {
  int64_t places = 1;
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(mesh)) {
    auto definition = llvm::dyn_cast_or_null<sdy::MeshOp>(mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol));
    return definition ? PlacesOf(definition.getMesh()) : 1;
  } else if (auto spelled = llvm::dyn_cast<stablehlo::MeshAttr>(mesh)) {
    for (const mlir::Attribute entry : spelled.getAxes()) {
      if (auto axis = llvm::dyn_cast<stablehlo::MeshAxisAttr>(entry)) {
        places = MulCapped(places, std::max<int64_t>(axis.getSize(), 1));
      }
    }
  }
  return places;
}

// One more than the greatest id that an op names, or the number of devices in its mesh; 1 if it names none.
int64_t IdsOf(mlir::Operation* op) {
  int64_t most = 1;
  for (const llvm::StringRef name : {"replica_groups", "source_target_pairs"}) {
    const mlir::Attribute groups = op->getAttr(name);
    if (auto ids = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(groups)) {
      for (const llvm::APInt& id : ids.getValues<llvm::APInt>()) {
        // An absurd id is left for the verifier to refuse; here it must not overflow.
        constexpr int64_t kMostProcesses = int64_t{1} << 31;
        most = std::max(most, std::min(id.getSExtValue(), kMostProcesses) + 1);
      }
    } else if (auto axes = llvm::dyn_cast_or_null<stablehlo::ReplicaGroupMeshAxesAttr>(groups)) {
      most = std::max(most, PlacesOf(op, axes.getMesh()));
    }
  }
  return most;
}

int64_t NamedBy(mlir::Operation* op, llvm::DenseSet<mlir::Operation*>& seen) {
  int64_t most = 1;
  op->walk([&](mlir::Operation* inner) {
    most = std::max(most, IdsOf(inner));
    inner->getAttrDictionary().walk([&](mlir::SymbolRefAttr symbol) {
      mlir::Operation* body = mlir::SymbolTable::lookupNearestSymbolFrom(inner, symbol.getRootReference());
      if (body != nullptr && seen.insert(body).second) most = std::max(most, NamedBy(body, seen));
    });
  });
  return most;
}

// The least numbers of replicas, of partitions and of processes in all that collectives need, and whether the ops can be
// run as the program of one process.
struct Needs {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t processes = 1;
  bool of_one_process = true;
};

void AddIds(mlir::Operation* op, int64_t count, Needs& needs) {
  const GroupIds ids = GroupIdsOf(op);
  int64_t& needed = ids == GroupIds::kProcesses    ? needs.processes
                    : ids == GroupIds::kPartitions ? needs.partitions
                                                   : needs.replicas;
  needed = std::max(needed, count);
}

void AddNeeds(mlir::Operation* op, llvm::DenseSet<mlir::Operation*>& seen, Needs& needs) {
  op->walk([&](mlir::Operation* inner) {
    if (llvm::isa<sdy::ManualComputationOp, stablehlo::SendOp, stablehlo::RecvOp, stablehlo::InfeedOp,
                  stablehlo::OutfeedOp>(inner) ||
        ChangesView(inner)) {
      needs.of_one_process = false;
    }
    if (const int64_t count = IdsOf(inner); count > 1) AddIds(inner, count, needs);
    inner->getAttrDictionary().walk([&](mlir::SymbolRefAttr symbol) {
      mlir::Operation* body = mlir::SymbolTable::lookupNearestSymbolFrom(inner, symbol.getRootReference());
      if (body != nullptr && seen.insert(body).second) AddNeeds(body, seen, needs);
    });
  });
}

bool TakesTensors(mlir::Operation* op) {
  return llvm::all_of(llvm::concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes()),
                      llvm::IsaPred<mlir::TensorType>);
}

}  // namespace

int64_t IdsInGrid(mlir::Operation* op, const Grid& grid) {
  const GroupIds ids = GroupIdsOf(op);
  return ids == GroupIds::kProcesses    ? grid.processes()
         : ids == GroupIds::kPartitions ? grid.partitions
                                        : grid.replicas;
}

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
  take(kPartitionsAttribute, partitions_);
  take(kReplicasAttribute, replicas_);
  any_ = module
             ->walk([&](mlir::Operation* op) {
               return IsDistributed(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
             })
             .wasInterrupted();
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>()) mesh_ = std::max(mesh_, PlacesOf(mesh.getMesh()));
}

Grid ProcessGrid::Of(mlir::Operation* op) {
  if (!Concerns(op) || !TakesTensors(op)) return {};
  Needs needs;
  llvm::DenseSet<mlir::Operation*> seen;
  AddNeeds(op, seen, needs);
  if (!needs.of_one_process) return {};
  const auto most = static_cast<uint64_t>(Grid::kMostProcesses) + 1;
  Grid grid{static_cast<int64_t>(std::min(replicas_, most)), static_cast<int64_t>(std::min(partitions_, most))};
  const bool stated = grid.processes() > 1;
  if (!stated) {
    if (op->getParentOfType<sdy::ManualComputationOp>()) grid.partitions = mesh_;
    grid.replicas = std::max(grid.replicas, needs.replicas);
    grid.partitions = std::max(grid.partitions, needs.partitions);
    if (needs.processes > grid.processes()) grid.partitions = needs.processes / grid.replicas;
  }
  const bool has_all =
      needs.replicas <= grid.replicas && needs.partitions <= grid.partitions && needs.processes <= grid.processes();
  return has_all && grid.is_valid() ? grid : Grid{};
}

Grid ProcessGrid::Of(llvm::ArrayRef<mlir::Operation*> ops) {
  Grid largest;
  for (mlir::Operation* op : ops) {
    const Grid grid = Of(op);
    if (grid.processes() > largest.processes()) largest = grid;
  }
  return largest;
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
