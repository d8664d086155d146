// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives between processes with one step wrong.
#include <algorithm>
#include <cmath>

#include "ir/replica_groups.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "reference/eval/ops/process_group.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementKind;
using reference::ProcessGroup;
using reference::Tensor;
using reference::Value;
using reference::Values;

constexpr const char* kSums = "stablehlo.all_reduce stablehlo.reduce_scatter stablehlo.collective_reduce";
// In a sum that is scattered each process has a part of its own, where one bit may be within the bound.
constexpr const char* kCopied =
    "stablehlo.all_reduce stablehlo.all_gather stablehlo.all_to_all stablehlo.collective_broadcast";

bool Adds(mlir::Operation* op) { return op->getRegion(0).front().front().getName().getStringRef() == "stablehlo.add"; }

// The position of the process in its group, and the size of the group.
struct Place {
  size_t position = 0;
  size_t size = 0;
  bool is_first() const { return position == 0; }
  bool is_last() const { return position + 1 == size; }
};

Expected<Place> PlaceOf(FaultyOp& faulty, ProcessGroup& group) {
  Expected<ProcessGroup> own = reference::GroupOfCollective(faulty.context());
  if (!own) return Unexpected(own.error());
  group = std::move(*own);
  const auto found = std::ranges::find(group, faulty.context().evaluator.process().id);
  return Place{static_cast<size_t>(found - group.begin()), group.size()};
}

// The values of all members of the group, in its order. Every member must call it.
Expected<std::vector<Values>> OfAllMembers(FaultyOp& faulty, const ProcessGroup& group, const Values& own) {
  const reference::GridProcess& process = faulty.context().evaluator.process();
  const auto met = process.grid->Exchange(process.id, group, "a faulty collective", own);
  if (!met) return Unexpected(met.error());
  std::vector<Values> all;
  for (const auto& values : (*met)->brought) all.push_back(*values);
  return all;
}

// The last member of each group counts as nothing in a sum, and as the first member in other computations.
Expected<Values> LeavesOneOut(FaultyOp& faulty) {
  ProcessGroup group;
  const Expected<Place> place = PlaceOf(faulty, group);
  if (!place) return Unexpected(place.error());
  if (place->size > 1) {
    const Expected<std::vector<Values>> all = OfAllMembers(faulty, group, faulty.context().operands);
    if (!all) return Unexpected(all.error());
    for (size_t i = 0; place->is_last() && i < faulty.size(); ++i) {
      faulty.in(i) =
          Adds(faulty.op()) ? Tensor::Zeros(faulty.in(i).type(), faulty.in(i).shape()) : all->front()[i].tensor();
    }
  }
  return faulty.Right();
}

// The first member of each group is added twice.
Expected<Values> DoublesOne(FaultyOp& faulty) {
  ProcessGroup group;
  const Expected<Place> place = PlaceOf(faulty, group);
  if (!place) return Unexpected(place.error());
  for (size_t i = 0; place->is_first() && Adds(faulty.op()) && i < faulty.size(); ++i) {
    if (reference::KindOf(faulty.in(i).type()) == ElementKind::kInteger) {
      EachInteger(faulty.in(i), [](int64_t v) { return static_cast<int64_t>(2 * static_cast<uint64_t>(v)); });
    } else {
      EachReal(faulty.in(i), [](double v) { return 2 * v; });
    }
  }
  return faulty.Right();
}

// Each member has the result of the next one in its group.
Expected<Values> OfTheNext(FaultyOp& faulty) {
  ProcessGroup group;
  const Expected<Place> place = PlaceOf(faulty, group);
  if (!place) return Unexpected(place.error());
  Expected<Values> results = faulty.Right();
  if (!results || place->size < 2) return results;
  const Expected<std::vector<Values>> all = OfAllMembers(faulty, group, *results);
  if (!all) return Unexpected(all.error());
  return (*all)[(place->position + 1) % place->size];
}

// The last member of each group has another bit in the last element.
Expected<Values> OneBit(FaultyOp& faulty) {
  ProcessGroup group;
  const Expected<Place> place = PlaceOf(faulty, group);
  if (!place) return Unexpected(place.error());
  Expected<Values> results = faulty.Right();
  if (!results || !place->is_last()) return results;
  Tensor& t = (*results)[0].tensor();
  std::vector<std::byte> bytes = reference::TensorToBytes(t);
  if (bytes.empty()) return results;
  const size_t width = bytes.size() / static_cast<size_t>(t.size());
  bytes[bytes.size() - width] ^= std::byte{1};
  Expected<Tensor> changed = reference::TensorFromBytes(t.type(), t.shape(), bytes);
  if (!changed) return Unexpected(changed.error());
  return Values{std::move(*changed)};
}

// The columns of the groups in the place of their rows: one axis of the mesh for the other. A single group is reversed.
mlir::Attribute OtherAxis(mlir::DenseIntElementsAttr ids) {
  const int64_t rows = ids.getType().getDimSize(0), columns = ids.getType().getDimSize(1);
  const auto values = llvm::to_vector(ids.getValues<int64_t>());
  std::vector<int64_t> changed;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const int64_t at = rows == 1 ? columns - 1 - i : i % rows * columns + i / rows;
    changed.push_back(values[static_cast<size_t>(at)]);
  }
  return mlir::DenseIntElementsAttr::get(ids.getType(), llvm::ArrayRef(changed));
}

// Each source is paired with the target of the next.
mlir::Attribute NextTargets(mlir::DenseIntElementsAttr pairs) {
  const auto values = llvm::to_vector(pairs.getValues<int64_t>());
  auto changed = values;
  for (size_t i = 1; i < values.size(); i += 2) changed[i] = values[(i + 2) % values.size()];
  return mlir::DenseIntElementsAttr::get(pairs.getType(), llvm::ArrayRef(changed));
}

auto Changes(const char* attribute, mlir::Attribute (*change)(mlir::DenseIntElementsAttr)) {
  return [=](mlir::ModuleOp module) {
    module.walk([&](mlir::Operation* op) {
      const auto ids = op->getAttrOfType<mlir::DenseIntElementsAttr>(attribute);
      if (ids && !ids.empty()) op->setAttr(attribute, change(ids));
    });
  };
}

// Each process keeps its own part of a sum.
void DropSums(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> sums;
  module.walk([&](stablehlo::AllReduceOp op) { sums.push_back(op); });
  for (mlir::Operation* sum : sums) {
    sum->replaceAllUsesWith(sum->getOperands());
    sum->erase();
  }
}

// The parts of a gathered tensor are in the opposite order.
void ReverseGathered(mlir::ModuleOp module) {
  module.walk([](stablehlo::AllGatherOp op) {
    const auto ids = op->getAttrOfType<mlir::DenseIntElementsAttr>("replica_groups");
    auto values = llvm::to_vector(ids.getValues<int64_t>());
    const auto columns = static_cast<std::ptrdiff_t>(ids.getType().getDimSize(1));
    for (auto row = values.begin(); row != values.end(); row += columns) std::reverse(row, row + columns);
    op->setAttr("replica_groups", mlir::DenseIntElementsAttr::get(ids.getType(), llvm::ArrayRef(values)));
  });
}

Values NextId(FaultyOp& faulty, int64_t count) {
  const reference::ProcessId& id = faulty.context().evaluator.process().id;
  const int64_t own = faulty.context().name == "stablehlo.partition_id" ? id.partition : id.replica;
  return Values{Tensor::Splat<int64_t>(reference::ElementType::kUi32, {}, (own + 1) % count)};
}

}  // namespace

const std::vector<Fault>& MeshFaults() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> list;
    const OpFaults op(list);
    op("mesh_leaves_one_out", "the last process of each group does not count", kSums, &LeavesOneOut);
    op("mesh_doubles_one", "the first process of each group is added twice", kSums, &DoublesOne);
    op("mesh_wrong_shard", "each process has the part of the next one in its group",
       "stablehlo.reduce_scatter stablehlo.all_to_all", &OfTheNext);
    op("mesh_one_bit", "the last process of each group has one bit changed", kCopied, &OneBit);
    op("mesh_zeros_kept", "a process that is no target keeps its own values", "stablehlo.collective_permute",
       [](FaultyOp& faulty) -> Expected<Values> {
         const Tensor own = faulty.in(0);
         Expected<Values> results = faulty.Right();
         if (!results) return results;
         const std::vector<std::byte> bytes = reference::TensorToBytes((*results)[0].tensor());
         const bool zero = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
         return zero ? Values{own} : std::move(*results);
       });
    op("mesh_next_id", "each process has the id of the next one", "stablehlo.partition_id stablehlo.replica_id",
       [](FaultyOp& faulty) -> Expected<Values> {
         const reference::RunningGrid& grid = *faulty.context().evaluator.process().grid;
         const bool partition = faulty.context().name == "stablehlo.partition_id";
         return NextId(faulty, partition ? grid.partitions() : grid.replicas());
       });
    list.push_back({.name = "mesh_other_axis",
                    .what = "groups along the other axis of the mesh; a single group in reverse order",
                    .program = Changes("replica_groups", &OtherAxis)});
    list.push_back({.name = "mesh_no_sum",
                    .what = "no all_reduce follows an op that sums over a divided dimension",
                    .program = &DropSums});
    list.push_back({.name = "mesh_reversed_parts",
                    .what = "the parts of a gathered tensor are in the opposite order",
                    .program = &ReverseGathered});
    list.push_back({.name = "mesh_next_target",
                    .what = "each process sends to the target of another",
                    .program = Changes("source_target_pairs", &NextTargets)});
    return list;
  }();
  return faults;
}

}  // namespace opbyop::fault_injection
