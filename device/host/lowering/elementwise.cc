// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops: one pattern for all rows of the scalar table, and patterns for similar ops whose operands have other
// shapes.
#include <mlir/Dialect/Arith/IR/Arith.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/movement.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/missing_elements.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

// A linalg.generic over the result's shape. An operand of rank 0 among larger ones is broadcast (select's predicate,
// clamp's limits).
class ScalarRowPattern : public mlir::ConversionPattern {
 public:
  ScalarRowPattern(const HostTypes& types, llvm::StringRef name, mlir::MLIRContext* context, Refusals* refusals)
      : ConversionPattern(types, name, /*benefit=*/1, context), refusals_(refusals) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation* op, llvm::ArrayRef<Value> operands,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    if (!IsScalarOp(op) || op->getNumResults() != 1) return mlir::failure();
    mlir::Type result = op->getResult(0).getType();
    auto type = mlir::dyn_cast_or_null<RankedTensorType>(getTypeConverter()->convertType(result));
    if (!type) return Refuse(op, WhyNotLowerable(result));
    const int64_t rank = type.getRank();
    llvm::SmallVector<AffineMap> maps;
    for (Value operand : operands) {
      auto operand_type = mlir::dyn_cast<RankedTensorType>(operand.getType());
      if (!operand_type) return Refuse(op, WhyNotLowerable(operand.getType()));
      if (operand_type.getRank() != 0 && operand_type.getShape() != type.getShape()) return mlir::failure();
      maps.push_back(operand_type.getRank() == rank ? rewriter.getMultiDimIdentityMap(rank)
                                                    : AffineMap::get(rank, 0, rewriter.getContext()));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    mlir::ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    const llvm::SmallVector<mlir::utils::IteratorType> iterators(rank, kParallel);
    const ValueList results = Generic(b, operands, Empty(b, type), maps, iterators,
                                      [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                                        return ValueList{EmitScalar(inner, op, scalars.drop_back())};
                                      });
    if (results.empty()) {
      return Refuse(op, "it is not defined for its element types or its attributes");
    }
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

 private:
  mlir::LogicalResult Refuse(mlir::Operation* op, const llvm::Twine& why) const {
    (*refusals_)[op] = why.str();
    return mlir::failure();
  }

  Refusals* refusals_;
};

class MapPattern : public ValuePattern<stablehlo::MapOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::MapOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Operation* culprit = nullptr;
    Value result = Pointwise(b, type, adaptor.getInputs(), [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
      auto values = EmitScalarRegion(inner, op->getRegion(0), scalars.drop_back(), &culprit);
      return mlir::failed(values) ? ValueList() : ValueList(*values);
    });
    if (!result) return RefuseRegion(op, culprit);
    return result;
  }
};

// Lowers the op or its dynamic form, whose shape operand says nothing that the result's type does not say.
template <typename OpT>
class IotaPattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor, mlir::ImplicitLocOpBuilder& b, RankedTensorType type) const override {
    return Iota(b, type, op.getIotaDimension(), ElementOf(op.getType()));
  }
};

class ConstantPattern : public HostPattern<stablehlo::ConstantOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::ConstantOp op, OpAdaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    RankedTensorType type = ResultType(op);
    if (!type) return mlir::failure();
    mlir::ElementsAttr value = op.getValue();
    if (std::optional<std::string> why = MissingElements(value)) return Refuse(op, *why);
    if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
      value = dense.getType() == type ? dense : dense.bitcast(type.getElementType());
    } else if (value.getShapedType() != type) {
      return Refuse(op, "its value is neither a dense constant nor one of a signless type");
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type, mlir::cast<mlir::TypedAttr>(value));
    return mlir::success();
  }
};

}  // namespace

void PopulateElementwise(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  mlir::MLIRContext* context = patterns.getContext();
  for (llvm::StringRef name : ScalarOpNames()) patterns.add<ScalarRowPattern>(types, name, context, refusals);
  patterns.add<ScalarRowPattern>(types, stablehlo::CustomCallOp::getOperationName(), context, refusals);
  patterns.add<MapPattern, IotaPattern<stablehlo::IotaOp>, IotaPattern<stablehlo::DynamicIotaOp>, ConstantPattern>(
      types, context, refusals);
}

}  // namespace opbyop::host
