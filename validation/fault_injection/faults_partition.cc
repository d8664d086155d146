// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs of several devices with one step wrong: groups, targets, the sums and slices of a partitioner, what the
// devices hand back.
#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using Ids = llvm::SmallVector<int64_t>;
using Parts = std::vector<std::vector<std::byte>>;

// Changes ids of groups or pairs, in a matrix with this many columns. Groups of fewer members end with -1.
using IdsFn = void (*)(Ids& ids, size_t columns);

// The columns of the groups in the place of their rows: one axis of the mesh for the other. A single group is reversed.
void TakeOtherAxis(Ids& ids, size_t columns) {
  const Ids own = ids;
  const size_t rows = own.size() / columns;
  for (size_t i = 0; i < own.size(); ++i) {
    ids[i] = own[rows == 1 ? columns - 1 - i : i % rows * columns + i / rows];
  }
}

// The first member of the first group and the last one of the last group have changed places.
void ExchangeTwo(Ids& ids, size_t) {
  const auto last = std::find_if(ids.rbegin(), ids.rend(), [](int64_t id) { return id >= 0; });
  if (last != ids.rend()) std::swap(ids.front(), *last);
}

void ReverseEach(Ids& ids, size_t columns) {
  for (auto row = ids.begin(); row != ids.end(); row += static_cast<std::ptrdiff_t>(columns)) {
    std::reverse(row, std::find(row, row + static_cast<std::ptrdiff_t>(columns), int64_t{-1}));
  }
}

// Each source is paired with the target of the next.
void TakeNextTargets(Ids& ids, size_t) {
  const Ids own = ids;
  for (size_t i = 1; i < own.size(); i += 2) ids[i] = own[(i + 2) % own.size()];
}

void ChangeIds(mlir::Operation* op, llvm::StringRef attribute, IdsFn change) {
  const auto ids = op->getAttrOfType<mlir::DenseIntElementsAttr>(attribute);
  if (!ids || ids.empty()) return;
  Ids changed = llvm::to_vector(ids.getValues<int64_t>());
  change(changed, static_cast<size_t>(ids.getType().getDimSize(1)));
  op->setAttr(attribute, mlir::DenseIntElementsAttr::get(ids.getType(), llvm::ArrayRef(changed)));
}

auto Changes(const char* attribute, IdsFn change) {
  return [=](mlir::ModuleOp module) { module.walk([&](mlir::Operation* op) { ChangeIds(op, attribute, change); }); };
}

// The parts of a gathered tensor are in the opposite order.
void ReverseGathered(mlir::ModuleOp module) {
  module.walk([](stablehlo::AllGatherOp op) { ChangeIds(op, "replica_groups", &ReverseEach); });
}

// Each process keeps its own part of a sum.
void DropSums(mlir::ModuleOp module) {
  llvm::SmallVector<stablehlo::AllReduceOp> sums;
  module.walk([&](stablehlo::AllReduceOp op) {
    if (op.getOperandTypes() == op.getResultTypes()) sums.push_back(op);
  });
  for (stablehlo::AllReduceOp sum : sums) {
    sum->replaceAllUsesWith(sum->getOperands());
    sum->erase();
  }
}

// The padding of an uneven part is taken for elements where a device sums over it.
void CountPadding(mlir::ModuleOp module) {
  module.walk([](stablehlo::SelectOp op) {
    auto is_element = op.getPred().getDefiningOp<stablehlo::CompareOp>();
    auto place = is_element ? is_element.getLhs().getDefiningOp<stablehlo::AddOp>() : stablehlo::AddOp();
    if (place && place.getLhs().getDefiningOp<stablehlo::IotaOp>()) op.getResult().replaceAllUsesWith(op.getOnTrue());
  });
}

// A device finds its part along the innermost axis of the mesh instead of an outer one.
void TakeInnermostAxis(mlir::ModuleOp module) {
  module.walk([](stablehlo::DivOp op) {
    if (op.getLhs().getDefiningOp<stablehlo::PartitionIdOp>()) op.getResult().replaceAllUsesWith(op.getLhs());
  });
}

// The last result is what the device has for other arguments.
Expected<void> LastStale(ProgramResults program) {
  reference::Values others = program.arguments;
  for (reference::Value& value : others) value.tensor() = Rotated(value.tensor());
  const Expected<reference::Values> results = program.rerun(std::move(others));
  if (results && !program.tensors.empty()) program.tensors.back() = results->back().tensor();
  return {};
}

// The last device has another bit in the last element if it has the same part as another device.
void ChangeOneCopy(const ShardedTensor& whole, Parts& parts) {
  int64_t different = 1;
  for (const Axes& axes : whole.division) different *= PartsOf(axes);
  if (different == static_cast<int64_t>(parts.size()) || parts.back().empty()) return;
  parts.back()[parts.back().size() - static_cast<size_t>(whole.element_bytes)] ^= std::byte{1};
}

}  // namespace

void AddPartitionFaults(std::vector<Fault>& faults) {
  const auto program = [&](std::string name, std::string what, std::function<void(mlir::ModuleOp)> change) {
    faults.push_back({.name = std::move(name), .what = std::move(what), .program = std::move(change)});
  };
  program("mesh_other_axis", "groups along the other axis of the mesh; a single group in reverse order",
          Changes("replica_groups", &TakeOtherAxis));
  program("mesh_permuted_groups", "a member of the first group and one of the last have changed places",
          Changes("replica_groups", &ExchangeTwo));
  program("mesh_no_sum", "no all_reduce follows an op that sums over a divided dimension", &DropSums);
  program("mesh_padding_counts", "the padding of an uneven part counts in a sum", &CountPadding);
  program("mesh_reversed_parts", "the parts of a gathered tensor are in the opposite order", &ReverseGathered);
  program("mesh_innermost_axis", "a device slices by the innermost axis of the mesh", &TakeInnermostAxis);
  program("mesh_next_target", "each process sends to the target of another",
          Changes("source_target_pairs", &TakeNextTargets));
  faults.push_back(
      {.name = "mesh_stale", .what = "the last process has the last result of an earlier run", .results = &LastStale});
  faults.push_back({.name = "mesh_one_bit_of_copy",
                    .what = "one of the devices that have the same part of a result has one bit changed",
                    .parts = &ChangeOneCopy});
}

}  // namespace opbyop::fault_injection
