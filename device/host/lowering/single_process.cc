// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives and process identity for a program that runs in a single process. A collective whose groups name only
// this process (replica 0 of partition 0) returns its operands; one that names others is refused.
#include <mlir/Dialect/Arith/IR/Arith.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "device/host/passes.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;

// The ids in an attribute that is a matrix of ids, without padding (-1).
std::optional<llvm::SmallVector<int64_t>> IdsOf(mlir::Attribute attribute) {
  auto rows = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attribute);
  if (!rows) return std::nullopt;
  llvm::SmallVector<int64_t> ids;
  for (const int64_t id : rows.getValues<int64_t>()) {
    if (id >= 0) ids.push_back(id);
  }
  return ids;
}

template <typename OpT>
class CollectivePattern : public HostPattern<OpT> {
 public:
  using HostPattern<OpT>::HostPattern;

  mlir::LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    if (op->template getParentOfType<mlir::ModuleOp>()->hasAttr(kGridAttribute)) {
      return this->Refuse(
          op,
          "between several processes the host needs static shapes, no dynamic root, and groups in which "
          "every process is once, of one size unless they are reduced");
    }
    const auto ids = IdsOf(op->getAttr(GroupsName()));
    if (!ids) return this->Refuse(op, "its process groups are axes of a mesh of devices; the host is one process");
    for (const int64_t id : *ids) {
      if (id != 0) return this->Refuse(op, "it names process " + llvm::Twine(id) + "; the host is one process, 0");
    }
    const bool present = !ids->empty() || kNoGroupsIsAll;
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const llvm::SmallVector<RankedTensorType> types = this->ResultTypes(op);
    if (types.empty()) return mlir::failure();
    ValueList results;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      RankedTensorType type = types[i];
      Value operand = adaptor.getOperands()[i];
      if (ShapeOf(operand) != type.getShape()) {
        return this->Refuse(op, "its result has another shape than its operand, which takes more than one process");
      }
      if (!present) {
        results.push_back(Filled(b, type, ScalarConstant(b, type.getElementType(), 0)));
      } else if (operand.getType() != type) {
        mlir::Type from = ElementOf(op->getOperand(i).getType());
        mlir::Type to = ElementOf(op->getResult(i).getType());
        results.push_back(Pointwise(b, type, operand, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
          return ValueList{EmitConvert(inner, scalars[0], from, to)};
        }));
      } else {
        results.push_back(operand);
      }
    }
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

 private:
  static constexpr bool kIsPermute = std::is_same_v<OpT, stablehlo::CollectivePermuteOp>;
  // For the other ops, a process that is in no group gets zeros.
  static constexpr bool kNoGroupsIsAll = !kIsPermute && !std::is_same_v<OpT, stablehlo::CollectiveBroadcastOp> &&
                                         !std::is_same_v<OpT, stablehlo::CollectiveReduceOp>;
  static llvm::StringRef GroupsName() { return kIsPermute ? "source_target_pairs" : "replica_groups"; }
};

// Lowers partition_id and replica_id.
template <typename OpT>
class IdentityPattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor, mlir::ImplicitLocOpBuilder& b, RankedTensorType type) const override {
    return Filled(b, type, ScalarConstant(b, type.getElementType(), 0));
  }
};

// Refuses transfers from or to outside of the program. It uses no type converter, because the converter does not
// support tokens.
class TransferPattern : public mlir::ConversionPattern {
 public:
  TransferPattern(llvm::StringRef name, mlir::MLIRContext* context, Refusals* refusals)
      : ConversionPattern(name, /*benefit=*/1, context), refusals_(refusals) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation* op, llvm::ArrayRef<Value>,
                                      mlir::ConversionPatternRewriter&) const override {
    (*refusals_)[op] = "the host target runs one process, which has no outside to exchange data with";
    return mlir::failure();
  }

 private:
  Refusals* refusals_;
};

}  // namespace

void PopulateSingleProcess(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  mlir::MLIRContext* context = patterns.getContext();
  patterns.add<CollectivePattern<stablehlo::AllGatherOp>, CollectivePattern<stablehlo::AllReduceOp>,
               CollectivePattern<stablehlo::AllToAllOp>, CollectivePattern<stablehlo::ReduceScatterOp>,
               CollectivePattern<stablehlo::CollectiveBroadcastOp>, CollectivePattern<stablehlo::CollectiveReduceOp>,
               CollectivePattern<stablehlo::CollectivePermuteOp>, CollectivePattern<stablehlo::CrossReplicaSumOp>,
               IdentityPattern<stablehlo::PartitionIdOp>, IdentityPattern<stablehlo::ReplicaIdOp>>(types, context,
                                                                                                   refusals);
  for (llvm::StringRef name : {stablehlo::InfeedOp::getOperationName(), stablehlo::OutfeedOp::getOperationName(),
                               stablehlo::SendOp::getOperationName(), stablehlo::RecvOp::getOperationName()}) {
    patterns.add<TransferPattern>(name, context, refusals);
  }
}

}  // namespace opbyop::host
