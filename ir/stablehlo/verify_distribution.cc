// Verifiers of collectives and transfers.
#include "ir/stablehlo/verify.h"
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
  bool equal_sizes = true;  // no -1 fills up a shorter group
  bool all_ids = true;      // every id from 0 on occurs
  bool by_device = false;   // use_global_device_ids
  int64_t size = 0;         // of each group, 0 if free
};

// Replica groups given by mesh axes are checked where the mesh is known.
LogicalResult VerifyGroups(Operation* op, mlir::Attribute attribute, const Groups& groups) {
  auto ids = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!ids) return success();
  Dims shape = ids.getType().getShape();
  if (shape.size() != 2) return op->emitOpError() << "expects replica_groups of rank 2, but got " << shape.size();
  if (groups.by_device && ids.getNumElements() == 0)
    return op->emitOpError() << "expects replica_groups that are not empty when use_global_device_ids is set";
  llvm::SmallSet<int64_t, 16> seen;
  for (int64_t id : ids.getValues<int64_t>()) {
    if (id == -1 && !groups.equal_sizes && !groups.by_device) continue;
    if (id < 0) return op->emitOpError() << "has the negative replica id " << id << " in replica_groups";
    if (!seen.insert(id).second) return op->emitOpError() << "has replica id " << id << " twice in replica_groups";
  }
  if (groups.all_ids)
    for (int64_t id = 0; id < static_cast<int64_t>(seen.size()); ++id)
      if (!seen.contains(id)) return op->emitOpError() << "misses replica id " << id << " in replica_groups";
  if (groups.size != 0 && shape[1] != groups.size)
    return op->emitOpError() << "expects replica_groups of size " << groups.size << ", but got " << shape[1];
  return success();
}

LogicalResult VerifyChannel(Operation* op, bool by_device, std::optional<ChannelHandleAttr> channel, int64_t least) {
  int64_t handle = channel ? channel->getHandle() : 0;
  if (by_device && handle < least)
    return op->emitOpError() << "expects a channel id of at least " << least
                             << " when use_global_device_ids is set, but got " << handle;
  return success();
}

// The computation over scalars of the operands' elements.
LogicalResult VerifyComputation(Operation* op, mlir::Region& region, mlir::ValueRange operands, Type& element) {
  llvm::SmallVector<Type> scalar = {RankedTensorType::get({}, ElementOf(operands.front()))};
  if (failed(VerifyReducer(op, region, scalar, scalar, {}))) return failure();
  element = mlir::getElementTypeOrSelf(ReturnedTypes(region).front());
  for (mlir::Value operand : operands)
    if (!IsPromotable(operand.getType(), element))
      return op->emitOpError() << "has a computation of " << element << " that cannot take elements of "
                               << operand.getType();
  return success();
}

LogicalResult VerifyReduced(Operation* op, mlir::Region& region, mlir::ValueRange operands) {
  Type element;
  if (failed(VerifyComputation(op, region, operands, element))) return failure();
  llvm::SmallVector<Type> inferred;
  for (mlir::Value operand : operands) inferred.push_back(RankedTensorType::get(ShapeOf(operand), element));
  return VerifyResultTypes(op, inferred, op->getResultTypes());
}

LogicalResult VerifyCounts(Operation* op) {
  if (op->getNumOperands() == 0) return op->emitOpError() << "expects at least one operand";
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "expects as many results as operands, but got " << op->getNumResults() << " and "
                             << op->getNumOperands();
  return success();
}

// Operands without the trailing one that names the root of each group.
LogicalResult DataOperands(Operation* op, bool dynamic_root, mlir::ValueRange& operands) {
  if (operands.empty()) return op->emitOpError() << "expects at least one operand of data";
  if (!dynamic_root) return success();
  if (operands.size() < 2)
    return op->emitOpError() << "expects at least two operands, data and root, when has_dynamic_root is set";
  auto root = TensorOf(operands.back());
  operands = operands.drop_back();
  if (root.getRank() != 1 || !root.getElementType().isSignlessInteger(32))
    return op->emitOpError() << "expects a root that is a rank-1 tensor of i32, but got " << root;
  if (!CompatibleDim(root.getDimSize(0), operands.size()))
    return op->emitOpError() << "expects one root per operand of data, " << operands.size() << ", but got "
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
    if (!CompatibleElements(ElementOf(operand), ElementOf(result)))
      return emitOpError() << "expects operand and result of one element type, but got " << operand.getType() << " and "
                           << result.getType();
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(VerifyCounts(*this)) ||
      failed(VerifyGroups(*this, getReplicaGroups(), {.equal_sizes = false, .by_device = getUseGlobalDeviceIds()})) ||
      failed(VerifyChannel(*this, getUseGlobalDeviceIds(), getChannelHandle(), 1)))
    return failure();
  return VerifyReduced(*this, getComputation(), getOperands());
}

LogicalResult AllToAllOp::verify() {
  auto split = static_cast<int64_t>(getSplitDimension()), concat = static_cast<int64_t>(getConcatDimension()),
       count = static_cast<int64_t>(getSplitCount());
  if (failed(VerifyCounts(*this))) return failure();
  if (count < 1) return emitOpError() << "expects a positive split_count, but got " << count;
  if (failed(VerifyGroups(*this, getReplicaGroups(), {.size = count}))) return failure();
  llvm::SmallVector<Type> inferred;
  for (mlir::Value operand : getOperands()) {
    llvm::SmallVector<int64_t> shape(ShapeOf(operand));
    for (int64_t dimension : {split, concat})
      if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
        return emitOpError() << "expects split and concat dimensions to be in range [0, " << shape.size()
                             << "), but got " << dimension;
    if (!IsDynamic(shape[split])) {
      if (shape[split] % count != 0)
        return emitOpError() << "expects split size " << shape[split] << " to be a multiple of split_count " << count;
      shape[split] /= count;
    }
    if (!IsDynamic(shape[concat])) shape[concat] *= count;
    inferred.push_back(RankedTensorType::get(shape, ElementOf(operand)));
  }
  return VerifyResultTypes(*this, inferred, getResultTypes());
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(VerifyGroups(*this, getReplicaGroups(), {.by_device = getUseGlobalDeviceIds()})) ||
      failed(VerifyChannel(*this, getUseGlobalDeviceIds(), getChannelHandle(), 1)))
    return failure();
  Type element;
  if (failed(VerifyComputation(*this, getComputation(), getOperand(), element))) return failure();
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
  for (size_t i = 0; i < from.size(); ++i)
    if (static_cast<int64_t>(i) != dimension && !CompatibleDim(from[i], to[i]))
      return emitOpError() << "expects operand and result to agree outside scatter_dimension, but got "
                           << getOperand().getType() << " and " << getType();
  if (!CompatibleElements(element, ElementOf(getResult())))
    return emitOpError() << "expects the result element type " << element << ", but got " << ElementOf(getResult());
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  mlir::ValueRange data = getOperands();
  if (failed(DataOperands(*this, getHasDynamicRoot(), data)) ||
      failed(VerifyGroups(*this, getReplicaGroups(), {.equal_sizes = false, .all_ids = false})))
    return failure();
  return VerifyResultTypes(*this, data.getTypes(), getResultTypes());
}

LogicalResult CollectiveReduceOp::verify() {
  mlir::ValueRange data = getOperands();
  if (failed(DataOperands(*this, getHasDynamicRoot(), data)) ||
      failed(VerifyGroups(*this, getReplicaGroups(),
                          {.equal_sizes = false, .all_ids = false, .by_device = getUseGlobalDeviceIds()})) ||
      failed(VerifyChannel(*this, getUseGlobalDeviceIds(), getChannelHandle(), 1)))
    return failure();
  return VerifyReduced(*this, getComputation(), data);
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

// Tensors, then one token.
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

LogicalResult AsyncStartOp::verify() {
  mlir::Block& block = getBody().front();
  if (!llvm::hasNItems(block.begin(), block.end(), 2))
    return emitOpError() << "expects a region of one op and a return";
  if (!llvm::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp, CollectiveReduceOp,
                 ReduceScatterOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(block.front()))
    return emitOpError() << "expects a region of a collective or a slice, but got '" << block.front().getName() << "'";
  if (block.getArgumentTypes() != getOperandTypes())
    return emitOpError() << "expects region arguments of the operands' types, but got "
                         << Show(block.getArgumentTypes()) << " and " << Show(getOperandTypes());
  return VerifyResultTypes(*this, ReturnedTypes(getBody()), getType().getTypes());
}

LogicalResult AsyncDoneOp::verify() {
  return VerifyResultTypes(*this, getOperand().getType().getTypes(), getResultTypes());
}

}  // namespace opbyop::stablehlo
