// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of collectives and transfers.
#include "ir/stablehlo/infer.h"
#include "llvm/ADT/SmallSet.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;

namespace {

struct Groups {
  bool equal_sizes = true;  // all groups have the same size: no -1 pads a shorter one
  bool all_ids = true;      // every id from 0 on must occur
  bool by_device = false;   // use_global_device_ids
  int64_t size = 0;         // required size of each group; 0: any
};

LogicalResult VerifyGroups(const Site& site, mlir::Attribute attribute, const Groups& groups) {
  if (auto axes = llvm::dyn_cast<ReplicaGroupMeshAxesAttr>(attribute)) return VerifyMeshAxes(site, axes);
  auto ids = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!ids) return success();
  Dims shape = ids.getType().getShape();
  if (shape.size() != 2) return site.emitOpError() << "expects replica_groups of rank 2, but got " << shape.size();
  if (groups.by_device && ids.getNumElements() == 0)
    return site.emitOpError() << "expects replica_groups that are not empty when use_global_device_ids is set";
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t id : ids.getValues<int64_t>()) {
    if (id == -1 && !groups.equal_sizes && !groups.by_device) continue;
    if (id < 0) return site.emitOpError() << "has the negative replica id " << id << " in replica_groups";
    if (!seen.insert(id).second) return site.emitOpError() << "has replica id " << id << " twice in replica_groups";
  }
  if (groups.all_ids)
    for (int64_t id = 0; id < static_cast<int64_t>(seen.size()); ++id)
      if (!seen.contains(id)) return site.emitOpError() << "misses replica id " << id << " in replica_groups";
  if (groups.size != 0 && shape[1] != groups.size)
    return site.emitOpError() << "expects replica_groups of size " << groups.size << ", but got " << shape[1];
  return success();
}

LogicalResult VerifyChannel(const Site& site, bool by_device, std::optional<ChannelHandleAttr> channel, int64_t least) {
  int64_t handle = channel ? channel->getHandle() : 0;
  if (by_device && handle < least)
    return site.emitOpError() << "expects a channel id of at least " << least
                              << " when use_global_device_ids is set, but got " << handle;
  return success();
}

// Checks the computation, which takes scalars of the operands' element type. Sets `element` to the type that it
// returns.
LogicalResult InferComputation(const Site& site, mlir::Region& region, mlir::ValueRange operands, Type& element) {
  element = ElementOf(operands.front());
  if (region.empty()) return success();  // an op under construction
  llvm::SmallVector<Type> scalar = {RankedTensorType::get({}, element)};
  if (failed(VerifyReducer(site, region, scalar, scalar, {}))) return failure();
  element = mlir::getElementTypeOrSelf(ReturnedTypes(region).front());
  for (mlir::Value operand : operands)
    if (!IsPromotable(operand.getType(), element))
      return site.emitOpError() << "has a computation of " << element << " that cannot take elements of "
                                << operand.getType();
  return success();
}

LogicalResult InferReduced(const Site& site, mlir::Region& region, mlir::ValueRange operands, Types& types) {
  Type element;
  if (failed(InferComputation(site, region, operands, element))) return failure();
  for (mlir::Value operand : operands) types.push_back(WithElement(operand.getType(), element));
  return success();
}

LogicalResult VerifyCounts(Operation* op) {
  if (op->getNumOperands() == 0) return op->emitOpError() << "expects at least one operand";
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "expects as many results as operands, but got " << op->getNumResults() << " and "
                             << op->getNumOperands();
  return success();
}

// Returns the number of processes in a group if the attributes determine it. Without a channel, groups consist of
// replicas; with global device ids, of devices. Otherwise each replica stands for all its partitions, whose number is
// not known.
std::optional<int64_t> GroupSize(mlir::Attribute groups, bool by_device, std::optional<ChannelHandleAttr> channel) {
  auto ids = llvm::dyn_cast<mlir::DenseIntElementsAttr>(groups);
  if (!ids || ids.empty() || (!by_device && channel && channel->getHandle() > 0)) return std::nullopt;
  return ids.getType().getShape().back();
}

// Removes the last operand if it names the root of each group.
LogicalResult DataOperands(const Site& site, bool dynamic_root, mlir::ValueRange& operands) {
  if (operands.empty()) return site.emitOpError() << "expects at least one operand of data";
  if (!dynamic_root) return success();
  if (operands.size() < 2)
    return site.emitOpError() << "expects at least two operands, data and root, when has_dynamic_root is set";
  auto root = TensorOf(operands.back());
  operands = operands.drop_back();
  if (root.getRank() != 1 || !root.getElementType().isSignlessInteger(32))
    return site.emitOpError() << "expects a root that is a rank-1 tensor of i32, but got " << root;
  if (!CompatibleDim(root.getDimSize(0), operands.size()))
    return site.emitOpError() << "expects one root per operand of data, " << operands.size() << ", but got "
                              << root.getDimSize(0);
  return success();
}

}  // namespace

LogicalResult AllGatherOp::verify() {
  if (failed(VerifyCounts(*this)) ||
      failed(VerifyGroups(*this, getReplicaGroups(), {.by_device = getUseGlobalDeviceIds()})) ||
      failed(VerifyChannel(*this, getUseGlobalDeviceIds(), getChannelHandle(), 0)))
    return failure();
  auto dimension = static_cast<int64_t>(getAllGatherDim());
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    Dims from = ShapeOf(operand), to = ShapeOf(result);
    if (dimension < 0 || dimension >= static_cast<int64_t>(from.size()))
      return emitOpError() << "expects all_gather_dim to be in range [0, " << from.size() << "), but got " << dimension;
    if (from.size() != to.size())
      return emitOpError() << "expects operand and result of one rank, but got " << operand.getType() << " and "
                           << result.getType();
    for (size_t i = 0; i < from.size(); ++i) {
      if (static_cast<int64_t>(i) != dimension && !CompatibleDim(from[i], to[i]))
        return emitOpError() << "expects operand and result to agree outside all_gather_dim, but got "
                             << operand.getType() << " and " << result.getType();
    }
    if (from[dimension] == 0)
      return emitOpError() << "expects a positive size at all_gather_dim, but got " << operand.getType();
    if (!IsDynamic(from[dimension]) && !IsDynamic(to[dimension]) && to[dimension] % from[dimension] != 0)
      return emitOpError() << "expects result size " << to[dimension] << " to be a multiple of operand size "
                           << from[dimension];
    // Unlike the specification, this does not compare the factor with the size of the groups, because other
    // implementations accept programs in which they differ.
    if (!CompatibleElements(ElementOf(operand), ElementOf(result)))
      return emitOpError() << "expects operand and result of one element type, but got " << operand.getType() << " and "
                           << result.getType();
  }
  return success();
}

LogicalResult AllReduceOp::Infer(const Site& site, Adaptor op, Types& types) {
  bool by_device = op.getUseGlobalDeviceIds();
  if (op.getOperands().empty()) return site.emitOpError() << "expects at least one operand";
  if (failed(VerifyGroups(site, op.getReplicaGroups(), {.equal_sizes = false, .by_device = by_device})) ||
      failed(VerifyChannel(site, by_device, op.getChannelHandle(), 1)))
    return failure();
  return InferReduced(site, op.getComputation(), op.getOperands(), types);
}

LogicalResult AllToAllOp::Infer(const Site& site, Adaptor op, Types& types) {
  auto split = static_cast<int64_t>(op.getSplitDimension()), concat = static_cast<int64_t>(op.getConcatDimension()),
       count = static_cast<int64_t>(op.getSplitCount());
  if (op.getOperands().empty()) return site.emitOpError() << "expects at least one operand";
  if (count < 1) return site.emitOpError() << "expects a positive split_count, but got " << count;
  if (failed(VerifyGroups(site, op.getReplicaGroups(), {.size = count}))) return failure();
  for (mlir::Value operand : op.getOperands()) {
    Extents extents = ExtentsOf(TensorOf(operand));
    for (int64_t dimension : {split, concat})
      if (dimension < 0 || dimension >= static_cast<int64_t>(extents.size()))
        return site.emitOpError() << "expects split and concat dimensions to be in range [0, " << extents.size()
                                  << "), but got " << dimension;
    if (int64_t size = extents[split].Most(); !IsDynamic(size) && size % count != 0)
      return site.emitOpError() << "expects split size " << size << " to be a multiple of split_count " << count;
    extents[split] = Map(extents[split], [&](int64_t size) { return size / count; });
    extents[concat] = Map(extents[concat], [&](int64_t size) { return size * count; });
    types.push_back(MakeTensor(extents, ElementOf(operand)));
  }
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(VerifyGroups(*this, getReplicaGroups(), {.by_device = getUseGlobalDeviceIds()})) ||
      failed(VerifyChannel(*this, getUseGlobalDeviceIds(), getChannelHandle(), 1)))
    return failure();
  Type element;
  if (failed(InferComputation(*this, getComputation(), getOperand(), element))) return failure();
  Dims from = ShapeOf(getOperand()), to = ShapeOf(getResult());
  auto dimension = static_cast<int64_t>(getScatterDimension());
  if (from.size() != to.size())
    return emitOpError() << "expects operand and result of one rank, but got " << getOperand().getType() << " and "
                         << getType();
  if (dimension < 0 || dimension >= static_cast<int64_t>(from.size()))
    return emitOpError() << "expects scatter_dimension to be in range [0, " << from.size() << "), but got "
                         << dimension;
  if (from[dimension] == 0 || to[dimension] == 0)
    return emitOpError() << "expects positive sizes at scatter_dimension, but got " << from[dimension] << " and "
                         << to[dimension];
  if (!IsDynamic(from[dimension]) && !IsDynamic(to[dimension]) && from[dimension] % to[dimension] != 0)
    return emitOpError() << "expects operand size " << from[dimension] << " to be a multiple of result size "
                         << to[dimension];
  std::optional<int64_t> group = GroupSize(getReplicaGroups(), getUseGlobalDeviceIds(), getChannelHandle());
  if (group && !IsDynamic(from[dimension]) && !IsDynamic(to[dimension]) && from[dimension] != to[dimension] * *group)
    return emitOpError() << "expects a result of size " << from[dimension] << " / " << *group
                         << " along scatter_dimension, but got " << to[dimension];
  for (size_t i = 0; i < from.size(); ++i)
    if (static_cast<int64_t>(i) != dimension && !CompatibleDim(from[i], to[i]))
      return emitOpError() << "expects operand and result to agree outside scatter_dimension, but got "
                           << getOperand().getType() << " and " << getType();
  if (!CompatibleElements(element, ElementOf(getResult())))
    return emitOpError() << "expects the result element type " << element << ", but got " << ElementOf(getResult());
  return success();
}

LogicalResult CollectiveBroadcastOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange data = op.getOperands();
  if (failed(DataOperands(site, op.getHasDynamicRoot(), data)) ||
      failed(VerifyGroups(site, op.getReplicaGroups(), {.equal_sizes = false, .all_ids = false})))
    return failure();
  llvm::append_range(types, data.getTypes());
  return success();
}

LogicalResult CollectiveReduceOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange data = op.getOperands();
  bool by_device = op.getUseGlobalDeviceIds();
  if (failed(DataOperands(site, op.getHasDynamicRoot(), data)) ||
      failed(VerifyGroups(site, op.getReplicaGroups(),
                          {.equal_sizes = false, .all_ids = false, .by_device = by_device})) ||
      failed(VerifyChannel(site, by_device, op.getChannelHandle(), 1)))
    return failure();
  return InferReduced(site, op.getComputation(), data, types);
}

namespace {

LogicalResult VerifyPairs(Operation* op, mlir::DenseIntElementsAttr pairs) {
  if (!pairs) return success();
  Dims shape = pairs.getType().getShape();
  if (shape.size() != 2 || shape[1] != 2)
    return op->emitOpError() << "expects source_target_pairs of shape [N, 2], but got " << Show(shape);
  llvm::SmallSet<int64_t, 16> seen[2];
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0) return op->emitOpError() << "expects ids in source_target_pairs not to be negative, but got " << id;
    if (!seen[i % 2].insert(id).second)
      return op->emitOpError() << "has " << (i % 2 == 0 ? "source " : "target ") << id << " twice in "
                               << "source_target_pairs";
  }
  return success();
}

constexpr int64_t kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3;

LogicalResult VerifyChannelType(Operation* op, int64_t type, bool host, int64_t host_type, llvm::StringRef host_name) {
  int64_t expected = host ? host_type : kDeviceToDevice;
  if (type == expected) return success();
  return op->emitOpError() << "expects channel type " << expected << ", "
                           << (host ? host_name : llvm::StringRef("device to device")) << ", when is_host_transfer is "
                           << (host ? "true" : "false") << ", but got " << type;
}

// Checks that the results are tensors, followed by one token.
LogicalResult VerifyTokenLast(Operation* op) {
  if (op->getNumResults() == 0) return op->emitOpError() << "expects at least one result, a token";
  for (Type type : llvm::drop_end(op->getResultTypes()))
    if (!llvm::isa<mlir::TensorType>(type))
      return op->emitOpError() << "expects all results but the last to be tensors, but got " << type;
  if (!llvm::isa<TokenType>(op->getResults().back().getType()))
    return op->emitOpError() << "expects the last result to be a token, but got " << op->getResults().back().getType();
  return success();
}

}  // namespace

LogicalResult CollectivePermuteOp::verify() { return VerifyPairs(*this, getSourceTargetPairs()); }

LogicalResult SendOp::verify() {
  if (failed(VerifyPairs(*this, getSourceTargetPairsAttr()))) return failure();
  return VerifyChannelType(*this, getChannelHandle().getType(), getIsHostTransfer(), kDeviceToHost, "device to host");
}

LogicalResult RecvOp::verify() {
  if (failed(VerifyTokenLast(*this)) || failed(VerifyPairs(*this, getSourceTargetPairsAttr()))) return failure();
  return VerifyChannelType(*this, getChannelHandle().getType(), getIsHostTransfer(), kHostToDevice, "host to device");
}

LogicalResult InfeedOp::verify() {
  if (failed(VerifyTokenLast(*this))) return failure();
  mlir::ArrayAttr layouts = getLayoutAttr();
  if (!layouts) return success();
  if (layouts.size() != getNumResults() - 1)
    return emitOpError() << "expects one layout per result but the token, " << getNumResults() - 1 << ", but got "
                         << layouts.size();
  for (mlir::Attribute layout : layouts) {
    auto dims = llvm::dyn_cast<mlir::ArrayAttr>(layout);
    if (!dims || !llvm::all_of(dims, llvm::IsaPred<mlir::IntegerAttr>))
      return emitOpError() << "expects layouts that are arrays of integers, but got " << layout;
  }
  return success();
}

LogicalResult AsyncStartOp::Infer(const Site& site, Adaptor op, Types& types) {
  if (op.getBody().empty()) return site.emitOpError() << "cannot be inferred without its region";
  mlir::Block& block = op.getBody().front();
  if (!llvm::hasNItems(block.begin(), block.end(), 2))
    return site.emitOpError() << "expects a region of one op and a return";
  if (!llvm::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp, CollectiveReduceOp,
                 ReduceScatterOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(block.front()))
    return site.emitOpError() << "expects a region of a collective or a slice, but got '" << block.front().getName()
                              << "'";
  mlir::ValueRange operands = op.getOperands();
  if (block.getArgumentTypes() != operands.getTypes())
    return site.emitOpError() << "expects region arguments of the operands' types, but got "
                              << Show(block.getArgumentTypes()) << " and " << Show(operands.getTypes());
  types.push_back(FutureType::get(block.front().getContext(), ReturnedTypes(op.getBody())));
  return success();
}

LogicalResult AsyncDoneOp::Infer(const Site&, Adaptor op, Types& types) {
  llvm::append_range(types, llvm::cast<FutureType>(op.getOperand().getType()).getTypes());
  return success();
}

LogicalResult CrossReplicaSumOp::verify() {
  return VerifyGroups(*this, getReplicaGroups(), {.equal_sizes = false, .all_ids = false});
}

}  // namespace opbyop::stablehlo
