// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives between processes with one step wrong.
#include <algorithm>

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
constexpr const char* kAll =
    "stablehlo.all_reduce stablehlo.reduce_scatter stablehlo.collective_reduce stablehlo.all_gather "
    "stablehlo.all_to_all stablehlo.collective_broadcast stablehlo.collective_permute";

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

// The last member of each group has another bit in the last element. A value that other ops use is left alone: a bit of
// an operand may be within the bound of the result.
Expected<Values> OneBit(FaultyOp& faulty) {
  ProcessGroup group;
  const Expected<Place> place = PlaceOf(faulty, group);
  if (!place) return Unexpected(place.error());
  Expected<Values> results = faulty.Right();
  const bool returned = llvm::all_of(
      faulty.op()->getUsers(), [](mlir::Operation* user) { return user->hasTrait<mlir::OpTrait::IsTerminator>(); });
  if (!results || !place->is_last() || !returned) return results;
  Tensor& t = (*results)[0].tensor();
  std::vector<std::byte> bytes = reference::TensorToBytes(t);
  if (bytes.empty()) return results;
  const size_t width = bytes.size() / static_cast<size_t>(t.size());
  bytes[bytes.size() - width] ^= std::byte{1};
  Expected<Tensor> changed = reference::TensorFromBytes(t.type(), t.shape(), bytes);
  if (!changed) return Unexpected(changed.error());
  return Values{std::move(*changed)};
}

// The others read the tensors of process 0 before it has written them.
Expected<Values> ReadsTooEarly(FaultyOp& faulty) {
  const reference::ProcessId& id = faulty.context().evaluator.process().id;
  for (size_t i = 0; id.replica == 0 && id.partition == 0 && i < faulty.size(); ++i) {
    faulty.in(i) = Tensor::Zeros(faulty.in(i).type(), faulty.in(i).shape());
  }
  return faulty.Right();
}

Values NextId(FaultyOp& faulty, int64_t count) {
  const reference::ProcessId& id = faulty.context().evaluator.process().id;
  const int64_t own = faulty.context().name == "stablehlo.partition_id" ? id.partition : id.replica;
  return Values{Tensor::Splat<int64_t>(reference::ElementType::kUi32, {}, (own + 1) % count)};
}

}  // namespace

void AddCollectiveFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("mesh_leaves_one_out", "the last process of each group does not count", kSums, &LeavesOneOut);
  op("mesh_doubles_one", "the first process of each group is added twice", kSums, &DoublesOne);
  op("mesh_wrong_shard", "each process has the part of the next one in its group",
     "stablehlo.reduce_scatter stablehlo.all_to_all", &OfTheNext);
  op("mesh_one_bit", "the last process of each group has one bit of its result changed", kCopied, &OneBit);
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
  op("mesh_reads_too_early", "the tensor of process 0 is read before it is written", kAll, &ReadsTooEarly);
  op("mesh_race", "the same, in one of 50 executions", kAll, &ReadsTooEarly);
  faults.back().always = "mesh_reads_too_early";
}

}  // namespace opbyop::fault_injection
