// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collective ops, transfers between processes, and the ops that return a process's own id. A process that runs by
// itself is a grid of one.
#include <fmt/format.h>

#include <algorithm>

#include "ir/replica_groups.h"
#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/combine.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/fold.h"
#include "reference/eval/ops/process_group.h"
#include "reference/eval/quantization.h"
#include "reference/grid/running_grid.h"

namespace opbyop::reference {
namespace {

int64_t ChannelOf(const OpContext& context) {
  const auto handle = context.op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  return handle ? handle.getHandle() : 0;
}

// Names the op in messages about deadlocks. Ops of different processes exchange values if their names are equal.
std::string ExchangeName(const OpContext& context) {
  return fmt::format("{} on channel {}", context.name, ChannelOf(context));
}

enum class Split {
  kReplicas,           // cross_replica
  kPartitions,         // cross_replica without a channel, cross_partition with one
  kReplicasAndGlobal,  // cross_replica, cross_replica_and_partition with a channel, flattened_ids on demand
};

// The four ways of the specification to make groups of processes from ids.
enum class Way { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattenedIds };

std::vector<ProcessGroup> MakeGroups(const RunningGrid& grid, Way way, const IdGroups& ids) {
  switch (way) {
    case Way::kCrossReplica:
      return grid.CrossReplica(ids);
    case Way::kCrossPartition:
      return grid.CrossPartition(ids);
    case Way::kCrossReplicaAndPartition:
      return grid.CrossReplicaAndPartition(ids);
    case Way::kFlattenedIds:
      return grid.FlattenedIds(ids);
  }
  return {};
}

// The groups that an attribute of the op states, read by the first process that needs them. Axes of a mesh mean what the
// op's module says.
template <typename Read>
Expected<const std::vector<ProcessGroup>*> GroupsIn(const OpContext& context, const char* name, Way way, Read&& read) {
  RunningGrid& grid = *context.evaluator.process().grid;
  const mlir::Attribute stated = context.op->getAttr(name);
  const bool is_list = llvm::isa_and_nonnull<mlir::DenseIntElementsAttr>(stated);
  const RunningGrid::GroupsKey key{is_list ? stated.getAsOpaquePointer() : context.op, static_cast<int>(way)};
  if (const std::vector<ProcessGroup>* known = grid.FindGroups(key)) return known;
  const Expected<IdGroups> ids = read();
  if (!ids) return context.Fail(ids.error().code, ids.error().message);
  return grid.KeepGroups(key, MakeGroups(grid, way, *ids));
}

Expected<const std::vector<ProcessGroup>*> GroupsOf(const OpContext& context, Split split) {
  const bool channel = ChannelOf(context) > 0;
  const bool global = context.Bool("use_global_device_ids") || context.op->hasAttr("use_global_device_ids");
  Way way = Way::kCrossReplica;
  if (split == Split::kReplicasAndGlobal && global) {
    if (!channel) return context.Fail(ExitCode::kBadInput, "use_global_device_ids needs a channel");
    way = Way::kFlattenedIds;
  } else if (channel && split != Split::kReplicas) {
    way = split == Split::kPartitions ? Way::kCrossPartition : Way::kCrossReplicaAndPartition;
  }
  return GroupsIn(context, "replica_groups", way, [&] { return ReplicaGroupsOf(context.op); });
}

// Returns the group of this process; empty if it is in none. Returns kUnsupported if the op needs other processes and
// this one runs by itself.
Expected<ProcessGroup> OwnGroup(const OpContext& context, Split split) {
  const Expected<const std::vector<ProcessGroup>*> groups = GroupsOf(context, split);
  if (!groups) return Unexpected(groups.error());
  const GridProcess& process = context.evaluator.process();
  ProcessGroup own;
  for (const ProcessGroup& group : **groups) {
    if (std::ranges::find(group, process.id) != group.end()) own = group;
    for (const ProcessId& id : group) {
      if (process.grid->Has(id)) continue;
      if (process.grid->alone()) {
        return context.Unsupported(
            fmt::format("{} among {} processes, of which only one runs here", context.name, group.size()));
      }
      return context.Fail(ExitCode::kBadInput,
                          fmt::format("names {}, the grid has {} replicas of {} partitions", NameOf(id),
                                      process.grid->replicas(), process.grid->partitions()));
    }
  }
  return own;
}

Expected<std::shared_ptr<CollectiveExecution>> ExchangeInGroup(OpContext& context, const ProcessGroup& group,
                                                               Values values) {
  const GridProcess& process = context.evaluator.process();
  Expected<std::shared_ptr<CollectiveExecution>> execution =
      process.grid->Exchange(process.id, group, ExchangeName(context), std::move(values));
  if (!execution) return context.Fail(execution.error().code, execution.error().message);
  if (context.evaluator.options().provenance) {
    for (const auto& brought : (*execution)->brought)
      context.met.insert(context.met.end(), brought->begin(), brought->end());
  }
  return execution;
}

Expected<std::shared_ptr<CollectiveExecution>> ExchangeInOwnGroup(OpContext& context, Split split,
                                                                  ProcessGroup& group) {
  Expected<ProcessGroup> own = OwnGroup(context, split);
  if (!own) return Unexpected(own.error());
  if (own->empty()) {
    return context.Fail(ExitCode::kBadInput, fmt::format("{} is in no group", NameOf(context.evaluator.process().id)));
  }
  group = std::move(*own);
  return ExchangeInGroup(context, group, context.operands);
}

size_t PositionOf(const OpContext& context, const ProcessGroup& group) {
  return static_cast<size_t>(std::ranges::find(group, context.evaluator.process().id) - group.begin());
}

// Returns operand `i` of every member.
std::vector<Tensor> OperandOfAllMembers(const CollectiveExecution& execution, size_t i) {
  std::vector<Tensor> out;
  out.reserve(execution.brought.size());
  for (const auto& values : execution.brought) out.push_back((*values)[i].tensor());
  return out;
}

// True if all members pass operands of the same shapes and types. Members may run different programs, so they need not.
bool SameShapes(const CollectiveExecution& execution) {
  const TupleValue& first = *execution.brought[0];
  return std::ranges::all_of(execution.brought, [&](const auto& other) {
    return std::ranges::equal(*other, first, [](const Value& a, const Value& b) {
      return a.is_tensor() && b.is_tensor() && a.tensor().shape() == b.tensor().shape() &&
             a.tensor().type() == b.tensor().type();
    });
  });
}

Tensor Joined(const std::vector<Tensor>& parts, size_t dimension) {
  Shape shape = parts[0].shape();
  shape[dimension] = 0;
  for (const Tensor& part : parts) shape[dimension] += part.shape()[dimension];
  const Shape strides = StridesOf(shape);
  Move move(parts[0].type(), shape);
  int64_t at = 0;
  for (const Tensor& part : parts) {
    move.Copy(part, part.shape(), StridesOf(part.shape()), 0, strides, at * strides[dimension]);
    at += part.shape()[dimension];
  }
  return move.Take();
}

// Returns part `index` of `count` equal parts along a dimension.
Tensor PieceOf(const Tensor& t, size_t dimension, int64_t count, int64_t index) {
  Shape shape = t.shape();
  const Shape strides = StridesOf(shape);
  shape[dimension] /= count;
  return StridedView(t, shape, strides, index * shape[dimension] * strides[dimension]);
}

Expected<Values> AllGather(OpContext& context) {
  ProcessGroup group;
  const Expected<std::shared_ptr<CollectiveExecution>> execution =
      ExchangeInOwnGroup(context, Split::kReplicasAndGlobal, group);
  if (!execution) return Unexpected(execution.error());
  if ((*execution)->joint) return *(*execution)->joint;
  if (!SameShapes(**execution)) return context.Fail(ExitCode::kBadInput, "the processes bring different shapes");
  Values out;
  for (size_t i = 0; i < context.size(); ++i) {
    out.emplace_back(Joined(OperandOfAllMembers(**execution, i), static_cast<size_t>(context.Int("all_gather_dim"))));
  }
  (*execution)->joint = out;
  return out;
}

// The tensors of all members one after the other, in a new first dimension.
Tensor Stacked(const std::vector<Tensor>& parts) {
  Shape shape = parts[0].shape();
  shape.insert(shape.begin(), static_cast<int64_t>(parts.size()));
  Move move(parts[0].type(), shape);
  for (size_t i = 0; i < parts.size(); ++i) {
    move.Copy(parts[i], {parts[i].size()}, {1}, 0, {1}, static_cast<int64_t>(i) * parts[i].size());
  }
  return move.Take();
}

// Part `own` of `count` of each tensor of the stack along a dimension, joined along another.
Tensor PiecesJoined(const Tensor& stack, size_t split, size_t concat, int64_t count, int64_t own) {
  Shape piece(stack.shape().begin() + 1, stack.shape().end());
  Shape from_strides = StridesOf(stack.shape());
  piece[split] /= count;
  Shape joined = piece;
  joined[concat] *= stack.shape()[0];
  Shape to_strides = StridesOf(joined);
  const int64_t from = own * piece[split] * from_strides[split + 1];
  to_strides.insert(to_strides.begin(), piece[concat] * to_strides[concat]);
  Shape extents = piece;
  extents.insert(extents.begin(), stack.shape()[0]);
  Move move(stack.type(), joined);
  move.Copy(stack, extents, from_strides, from, to_strides, 0);
  return move.Take();
}

Expected<Values> AllToAll(OpContext& context) {
  ProcessGroup group;
  const Expected<std::shared_ptr<CollectiveExecution>> execution =
      ExchangeInOwnGroup(context, Split::kPartitions, group);
  if (!execution) return Unexpected(execution.error());
  const int64_t count = context.Int("split_count");
  CollectiveExecution& all = **execution;
  if (count != static_cast<int64_t>(group.size()) || (!all.joint && !SameShapes(all))) {
    return context.Fail(ExitCode::kBadInput,
                        fmt::format("splits into {} parts among {} processes of one shape each", count, group.size()));
  }
  if (!all.joint) {
    all.joint.emplace();
    for (size_t i = 0; i < context.size(); ++i) all.joint->emplace_back(Stacked(OperandOfAllMembers(all, i)));
  }
  const auto own = static_cast<int64_t>(PositionOf(context, group));
  Values out;
  for (const Value& stack : *all.joint) {
    out.emplace_back(PiecesJoined(stack.tensor(), static_cast<size_t>(context.Int("split_dimension")),
                                  static_cast<size_t>(context.Int("concat_dimension")), count, own));
  }
  return out;
}

// Combines the first `operands` operands of all members with the op's computation, in the order of the group. The first
// member that calls this computes the result for all.
Expected<Values> Reduced(OpContext& context, CollectiveExecution& execution, size_t operands) {
  if (execution.joint) return *execution.joint;
  if (!SameShapes(execution)) return context.Fail(ExitCode::kBadInput, "the processes bring different shapes");
  mlir::Region& computation = context.op->getRegion(0);
  if (computation.getNumArguments() != 2)
    return context.Fail(ExitCode::kBadInput, "needs a computation of two arguments");
  Values out;
  for (size_t i = 0; i < operands; ++i) {
    std::vector<Tensor> columns;
    for (const Tensor& t : OperandOfAllMembers(execution, i)) {
      columns.push_back(ToDestinationType(t, context.op->getOperand(static_cast<unsigned>(i)).getType(),
                                          computation.getArgument(0).getType()));
    }
    const Shape shape = columns[0].shape();
    const int64_t count = columns[0].size();
    const auto members = static_cast<int64_t>(columns.size());
    // Makes one row per element, with its values on all processes.
    Move move(columns[0].type(), {count, members});
    for (int64_t m = 0; m < members; ++m) {
      move.Copy(columns[static_cast<size_t>(m)], {count}, {1}, 0, {members}, m);
    }
    Expected<Tensor> folded = FoldMembers(context, computation, move.Take(), count, members);
    if (!folded) return Unexpected(folded.error());
    out.emplace_back(folded->Reshaped(shape));
  }
  execution.joint = out;
  return out;
}

Expected<Values> AllReduce(OpContext& context) {
  ProcessGroup group;
  const Expected<std::shared_ptr<CollectiveExecution>> execution =
      ExchangeInOwnGroup(context, Split::kReplicasAndGlobal, group);
  if (!execution) return Unexpected(execution.error());
  return Reduced(context, **execution, context.size());
}

// A deprecated op: the sum over replicas.
Expected<Values> CrossReplicaSum(OpContext& context) {
  ProcessGroup group;
  const Expected<std::shared_ptr<CollectiveExecution>> execution = ExchangeInOwnGroup(context, Split::kReplicas, group);
  if (!execution) return Unexpected(execution.error());
  if (!SameShapes(**execution)) return context.Fail(ExitCode::kBadInput, "the processes bring different shapes");
  const EvalFn add = EvalTable().lookup("stablehlo.add");
  Value sum = (*(*execution)->brought[0])[0];
  for (size_t m = 1; m < group.size(); ++m) {
    OpContext inner{
        context.op, "stablehlo.add", {sum, (*(*execution)->brought[m])[0]}, context.evaluator, context.scope};
    Expected<Values> next = add(inner);
    if (!next) return next;
    sum = std::move((*next)[0]);
  }
  return Values{std::move(sum)};
}

Expected<Values> ReduceScatter(OpContext& context) {
  ProcessGroup group;
  const Expected<std::shared_ptr<CollectiveExecution>> execution =
      ExchangeInOwnGroup(context, Split::kReplicasAndGlobal, group);
  if (!execution) return Unexpected(execution.error());
  Expected<Values> reduced = Reduced(context, **execution, 1);
  if (!reduced) return reduced;
  const auto dimension = static_cast<size_t>(context.Int("scatter_dimension"));
  const auto count = static_cast<int64_t>(group.size());
  if ((*reduced)[0].tensor().shape()[dimension] % count != 0) {
    return context.Fail(ExitCode::kBadInput, "the scattered dimension does not divide among the processes");
  }
  return Values{PieceOf((*reduced)[0].tensor(), dimension, count, static_cast<int64_t>(PositionOf(context, group)))};
}

// The number of operands that are data. If the roots are dynamic, the last operand names them.
size_t DataOperands(const OpContext& context) {
  return context.size() - (context.op->hasAttr("has_dynamic_root") && context.size() > 1 ? 1 : 0);
}

// Returns the position of the root of result `i` in the group.
Expected<size_t> RootOf(const OpContext& context, const ProcessGroup& group, size_t i) {
  if (DataOperands(context) == context.size()) return 0;
  const Tensor& roots = context.operands.back().tensor();
  const int64_t root = static_cast<int64_t>(i) < roots.size() ? roots.IntegerAt(static_cast<int64_t>(i)) : -1;
  if (root < 0 || root >= static_cast<int64_t>(group.size())) {
    return context.Fail(ExitCode::kBadInput, fmt::format("root {} of a group of {}", root, group.size()));
  }
  return static_cast<size_t>(root);
}

Values Zeros(const OpContext& context) {
  Values out;
  for (unsigned i = 0; i < DataOperands(context); ++i) {
    const mlir::Type operand = context.op->getOperand(i).getType();
    out.emplace_back(ToDestinationType(ZeroOf(operand, context.in(i)), operand, context.op->getResult(i).getType()));
  }
  return out;
}

Expected<Values> CollectiveBroadcast(OpContext& context) {
  const Expected<ProcessGroup> group = OwnGroup(context, Split::kPartitions);
  if (!group) return Unexpected(group.error());
  if (group->empty()) return Zeros(context);
  const Expected<std::shared_ptr<CollectiveExecution>> execution = ExchangeInGroup(context, *group, context.operands);
  if (!execution) return Unexpected(execution.error());
  Values out;
  for (size_t i = 0; i < DataOperands(context); ++i) {
    const Expected<size_t> root = RootOf(context, *group, i);
    if (!root) return Unexpected(root.error());
    out.push_back((*(*execution)->brought[*root])[i]);
  }
  return out;
}

// The root gets the reduction, all other members get zeros.
Expected<Values> CollectiveReduce(OpContext& context) {
  const bool global = context.op->hasAttr("use_global_device_ids");
  const Expected<ProcessGroup> group = OwnGroup(context, global ? Split::kReplicasAndGlobal : Split::kPartitions);
  if (!group) return Unexpected(group.error());
  Values out = Zeros(context);
  if (group->empty()) return out;
  const Expected<std::shared_ptr<CollectiveExecution>> execution = ExchangeInGroup(context, *group, context.operands);
  if (!execution) return Unexpected(execution.error());
  Expected<Values> reduced = Reduced(context, **execution, DataOperands(context));
  if (!reduced) return reduced;
  for (size_t i = 0; i < out.size(); ++i) {
    const Expected<size_t> root = RootOf(context, *group, i);
    if (!root) return Unexpected(root.error());
    if (PositionOf(context, *group) == *root) out[i] = (*reduced)[i];
  }
  return out;
}

// Returns the source and the target process of every pair. Pairs are replica ids without a channel and partition ids
// with one. In a grid of one partition they are always replica ids.
Expected<const std::vector<ProcessGroup>*> PairsOf(const OpContext& context, bool replicas_only_if_alone) {
  static const std::vector<ProcessGroup> none;
  const RunningGrid& grid = *context.evaluator.process().grid;
  const auto stated = context.op->getAttrOfType<mlir::DenseIntElementsAttr>("source_target_pairs");
  if (!stated || stated.empty()) return &none;
  const bool by_partition = ChannelOf(context) > 0 && !(replicas_only_if_alone && grid.partitions() == 1);
  const Expected<const std::vector<ProcessGroup>*> pairs =
      GroupsIn(context, "source_target_pairs", by_partition ? Way::kCrossPartition : Way::kCrossReplica,
               [&]() -> Expected<IdGroups> { return RowsOf(context.op, "source_target_pairs"); });
  if (!pairs) return Unexpected(pairs.error());
  for (const ProcessGroup& group : **pairs) {
    if (group.size() != 2) return context.Fail(ExitCode::kBadInput, "source_target_pairs that are no pairs");
    for (const ProcessId& id : group) {
      if (grid.Has(id)) continue;
      if (grid.alone()) {
        return context.Unsupported(fmt::format("{} between processes, of which only one runs here", context.name));
      }
      return context.Fail(ExitCode::kBadInput, fmt::format("names {}, which the grid does not have", NameOf(id)));
    }
  }
  return *pairs;
}

std::string MessageKey(const OpContext& context, const char* what, const ProcessId& from, const ProcessId& to) {
  return fmt::format("{} {}: {} -> {}", what, ChannelOf(context), NameOf(from), NameOf(to));
}

Expected<Values> CollectivePermute(OpContext& context) {
  const auto pairs = PairsOf(context, false);
  if (!pairs) return Unexpected(pairs.error());
  const GridProcess& process = context.evaluator.process();
  for (const ProcessGroup& pair : **pairs) {
    const ProcessId &source = pair[0], &target = pair[1];
    if (source != process.id) continue;
    process.grid->Post(MessageKey(context, "permute", source, target), {context.operands[0]});
  }
  for (const ProcessGroup& pair : **pairs) {
    const ProcessId &source = pair[0], &target = pair[1];
    if (target != process.id) continue;
    Expected<TupleValue> received =
        process.grid->Receive(process.id, MessageKey(context, "permute", source, target),
                              fmt::format("{} in {}", NameOf(source), ExchangeName(context)));
    if (!received) return context.Fail(received.error().code, received.error().message);
    return Values(std::move(*received));
  }
  return Values{ZeroOf(context.op->getResult(0).getType(), context.in(0))};
}

std::string ChannelKey(const OpContext& context) { return fmt::format("channel {}", ChannelOf(context)); }

// Sends to the targets of this process. Without pairs, any process that receives from the channel gets the message.
Expected<Values> Send(OpContext& context) {
  const auto pairs = PairsOf(context, true);
  if (!pairs) return Unexpected(pairs.error());
  const GridProcess& process = context.evaluator.process();
  TupleValue payload(context.operands.begin(), context.operands.end() - 1);
  if ((*pairs)->empty()) process.grid->Post(ChannelKey(context), payload);
  for (const ProcessGroup& pair : **pairs) {
    const ProcessId &source = pair[0], &target = pair[1];
    if (source == process.id) process.grid->Post(MessageKey(context, "channel", source, target), payload);
  }
  return Values{Token{}};
}

// Gives zeros if the pairs name no source for this process.
Expected<Values> Recv(OpContext& context) {
  const auto pairs = PairsOf(context, true);
  if (!pairs) return Unexpected(pairs.error());
  const GridProcess& process = context.evaluator.process();
  const unsigned count = context.op->getNumResults() - 1;
  Values out;
  std::string key = (*pairs)->empty() ? ChannelKey(context) : "";
  std::string whom = "a sender";
  for (const ProcessGroup& pair : **pairs) {
    const ProcessId &source = pair[0], &target = pair[1];
    if (target != process.id) continue;
    key = MessageKey(context, "channel", source, target);
    whom = NameOf(source);
  }
  if (key.empty()) {
    for (unsigned i = 0; i < count; ++i) {
      const Expected<ElementType> type = context.ResultType(i);
      const Expected<Shape> shape = context.ResultShape(i);
      if (!type) return Unexpected(type.error());
      if (!shape) return Unexpected(shape.error());
      out.emplace_back(ZeroOf(context.op->getResult(i).getType(), Tensor::Zeros(*type, *shape)));
    }
  } else {
    Expected<TupleValue> received =
        process.grid->Receive(process.id, key, fmt::format("{} in {}", whom, ExchangeName(context)));
    if (!received) return context.Fail(received.error().code, received.error().message);
    if (received->size() != count) {
      return context.Fail(ExitCode::kBadInput, fmt::format("takes {} values, {} were sent", count, received->size()));
    }
    out = std::move(*received);
  }
  out.emplace_back(Token{});
  return out;
}

// Gives the next item of the infeed, computed by its function.
Expected<Values> Infeed(OpContext& context) {
  const GridProcess& process = context.evaluator.process();
  if (process.grid->alone()) return context.Unsupported("stablehlo.infeed without an infeed");
  const std::optional<std::string> function = process.grid->NextInfeed();
  if (!function) return context.Fail(ExitCode::kBadInput, "the infeed is empty");
  Expected<Values> item = context.evaluator.Call(*function, {});
  if (!item) return item;
  if (item->size() + 1 != context.op->getNumResults()) {
    return context.Fail(ExitCode::kBadInput, fmt::format("takes {} values, @{} supplies {}",
                                                         context.op->getNumResults() - 1, *function, item->size()));
  }
  item->emplace_back(Token{});
  return item;
}

Expected<Values> Outfeed(OpContext& context) {
  context.evaluator.process().grid->outfeed().emplace_back(context.operands.begin(), context.operands.end() - 1);
  return Values{Token{}};
}

Values Identity(int64_t id) { return Values{Tensor::Splat<int64_t>(ElementType::kUi32, {}, id)}; }
Expected<Values> PartitionId(OpContext& context) { return Identity(context.evaluator.process().id.partition); }
Expected<Values> ReplicaId(OpContext& context) { return Identity(context.evaluator.process().id.replica); }

}  // namespace

Expected<ProcessGroup> GroupOfCollective(const OpContext& context) {
  const bool by_partition =
      context.name == "stablehlo.all_to_all" || context.name == "stablehlo.collective_broadcast" ||
      (context.name == "stablehlo.collective_reduce" && !context.op->hasAttr("use_global_device_ids"));
  if (context.name == "stablehlo.cross-replica-sum") return OwnGroup(context, Split::kReplicas);
  return OwnGroup(context, by_partition ? Split::kPartitions : Split::kReplicasAndGlobal);
}

void AddDistribution(EvalTableType& table) {
  table["stablehlo.all_gather"] = &AllGather;
  table["stablehlo.all_reduce"] = &AllReduce;
  table["stablehlo.all_to_all"] = &AllToAll;
  table["stablehlo.collective_broadcast"] = &CollectiveBroadcast;
  table["stablehlo.collective_permute"] = &CollectivePermute;
  table["stablehlo.collective_reduce"] = &CollectiveReduce;
  table["stablehlo.cross-replica-sum"] = &CrossReplicaSum;
  table["stablehlo.infeed"] = &Infeed;
  table["stablehlo.outfeed"] = &Outfeed;
  table["stablehlo.partition_id"] = &PartitionId;
  table["stablehlo.recv"] = &Recv;
  table["stablehlo.reduce_scatter"] = &ReduceScatter;
  table["stablehlo.replica_id"] = &ReplicaId;
  table["stablehlo.send"] = &Send;
}

}  // namespace opbyop::reference
