// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/strict.h"

#include <string>

#include "ir/first_error.h"
#include "ir/replica_groups.h"
#include "ir/stablehlo/infer.h"
#include "llvm/ADT/TypeSwitch.h"

namespace opbyop {
namespace {

using llvm::LogicalResult;
using mlir::failure;
using mlir::success;
using mlir::Type;
using namespace stablehlo;  // NOLINT(google-build-using-namespace): the dialect whose ops these are

// dot_general.C11, convolution.C24, dynamic_conv.C24: one precision for each operand, or none for the default.
template <typename Op>
LogicalResult VerifyPrecisions(Op op) {
  const auto precisions = op.getPrecisionConfig();
  if (!precisions || precisions->empty() || precisions->size() == 2) return success();
  return op.emitOpError() << "expects 2 elements in precision_config, but got " << precisions->size();
}

// compare.C3
LogicalResult Verify(CompareOp op) {
  const auto type = op.getCompareType();
  const Type element = ElementOf(op.getLhs());
  if (!type || *type == ComparisonType::NOTYPE || IsQuantized(element)) return success();
  const bool is_float = *type == ComparisonType::FLOAT || *type == ComparisonType::TOTALORDER;
  const bool suits = mlir::isa<mlir::FloatType>(element)                ? is_float
                     : IsComplex(element)                               ? *type == ComparisonType::FLOAT
                     : IsUnsignedInteger(element) || IsBoolean(element) ? *type == ComparisonType::UNSIGNED
                                                                        : *type == ComparisonType::SIGNED;
  if (suits) return success();
  return op.emitOpError() << "has compare_type " << stringifyComparisonType(*type) << ", which is not that of elements "
                          << "of " << element;
}

// dot_general.C13
LogicalResult Verify(DotGeneralOp op) {
  if (failed(VerifyPrecisions(op))) return failure();
  const Type lhs = ElementOf(op.getLhs()), rhs = ElementOf(op.getRhs());
  if (lhs == rhs || IsQuantized(lhs) || IsQuantized(rhs)) return success();
  return op.emitOpError() << "expects operands of the same element type, but got " << lhs << " and " << rhs;
}

// dynamic_conv.C2
LogicalResult Verify(DynamicConvOp op) {
  if (failed(VerifyPrecisions(op))) return failure();
  const size_t spatial = op.getDimensionNumbers().getInputSpatialDimensions().size();
  const auto strides = op.getWindowStrides();
  if (!strides || strides->size() == spatial) return success();
  return op.emitOpError() << "expects " << spatial << " elements in window_strides, but got " << strides->size();
}

// all_gather.C5, C6
LogicalResult Verify(AllGatherOp op) {
  const auto channel = op.getChannelHandle();
  const bool has_channel = channel && channel->getHandle() > 0;
  if (op.getUseGlobalDeviceIds() && !has_channel) {
    return op.emitOpError() << "expects a channel id of at least 1 when use_global_device_ids is set";
  }
  const auto groups = mlir::dyn_cast<mlir::DenseIntElementsAttr>(op.getReplicaGroups());
  // In groups over partitions the number of processes depends on the grid, which is not known here.
  if (!groups || groups.empty() || (has_channel && !op.getUseGlobalDeviceIds())) return success();
  const int64_t size = groups.getType().getShape().back();
  const auto dimension = static_cast<int64_t>(op.getAllGatherDim());
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults())) {
    const int64_t from = ShapeOf(operand)[dimension], to = ShapeOf(result)[dimension];
    if (IsDynamic(from) || IsDynamic(to) || to == from * size) continue;
    return op.emitOpError() << "expects a result of size " << from << " * " << size << " along all_gather_dim, but got "
                            << to;
  }
  return success();
}

// all_gather.C3, all_reduce.C2, all_to_all.C6, reduce_scatter.C4: groups have every process of the grid, which is known
// if the module states it.
LogicalResult VerifyAllProcesses(mlir::Operation* op) {
  const auto module = op->getParentOfType<mlir::ModuleOp>();
  const auto replicas = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_replicas");
  const auto partitions = module->getAttrOfType<mlir::IntegerAttr>("mhlo.num_partitions");
  const auto groups = op->getAttrOfType<mlir::DenseIntElementsAttr>("replica_groups");
  if (!replicas || !partitions || !groups || groups.empty()) return success();
  const GroupIds kind = GroupIdsOf(op);
  const int64_t all = (kind == GroupIds::kPartitions ? 1 : replicas.getInt()) *
                      (kind == GroupIds::kPartitions || kind == GroupIds::kProcesses ? partitions.getInt() : 1);
  const auto named = llvm::count_if(groups.getValues<int64_t>(), [](int64_t id) { return id >= 0; });
  if (named == all) return success();
  return op->emitOpError() << "expects replica_groups with all " << all << " ids of its kind in the grid, but got "
                           << named;
}

// Refuses ops, types and attributes of dialects that are not known.
LogicalResult VerifyKnown(mlir::Operation* op) {
  if (!op->isRegistered()) return op->emitOpError() << "is of a dialect that is not known";
  const auto is_opaque = [](Type type) { return mlir::isa<mlir::OpaqueType>(type); };
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (is_opaque(type)) return op->emitOpError() << "has a value of " << type << ", whose dialect is not known";
  }
  const auto opaque =
      llvm::find_if(op->getAttrs(), [](mlir::NamedAttribute a) { return mlir::isa<mlir::OpaqueAttr>(a.getValue()); });
  if (opaque == op->getAttrs().end()) return success();
  return op->emitOpError() << "has " << opaque->getName() << " = " << opaque->getValue()
                           << ", whose dialect is not known";
}

}  // namespace

Expected<void> VerifyStrictly(mlir::ModuleOp module) {
  const FirstError error(*module.getContext());
  const mlir::WalkResult walked = module.walk([](mlir::Operation* op) {
    if (failed(VerifyKnown(op))) return mlir::WalkResult::interrupt();
    if (mlir::isa<AllGatherOp, AllReduceOp, AllToAllOp, ReduceScatterOp>(op) && failed(VerifyAllProcesses(op))) {
      return mlir::WalkResult::interrupt();
    }
    const LogicalResult result =
        llvm::TypeSwitch<mlir::Operation*, LogicalResult>(op)
            .Case<AllGatherOp, CompareOp, DotGeneralOp, DynamicConvOp>([](auto typed) { return Verify(typed); })
            .Case([](ConvolutionOp typed) { return VerifyPrecisions(typed); })
            .Default([](mlir::Operation*) { return success(); });
    return failed(result) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (!walked.wasInterrupted()) return {};
  const std::string place = error.place().empty() ? "" : error.place() + ": ";
  return MakeError(ExitCode::kBadInput, place + error.text());
}

}  // namespace opbyop
