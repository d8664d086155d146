// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that move elements to positions known at compile time: loop nests over the result, with the movement in the
// affine maps, and insertions of slices.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include "device/host/exchange.h"
#include "device/host/lowering/loops.h"
#include "device/host/lowering/movement.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

// Lowers the op or its dynamic form, whose shape operand says nothing that the result's type does not say.
template <typename OpT>
class BroadcastInDimPattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    return BroadcastInDim(b, type, adaptor.getOperand(), op.getBroadcastDimensions());
  }
};

class BroadcastPattern : public ValuePattern<stablehlo::BroadcastOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::BroadcastOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    llvm::SmallVector<AffineExpr> source;
    for (int64_t i = static_cast<int64_t>(op.getBroadcastSizes().size()); i < type.getRank(); ++i) {
      source.push_back(b.getAffineDimExpr(i));
    }
    return CopyThrough(b, type, adaptor.getOperand(), AffineMap::get(type.getRank(), 0, source, b.getContext()));
  }
};

// Lowers the op or its dynamic form, as above.
template <typename OpT>
class ReshapePattern : public ValuePattern<OpT> {
 public:
  using ValuePattern<OpT>::ValuePattern;

  Value Lower(OpT op, typename OpT::Adaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    return Reshaped(b, adaptor.getOperand(), type.getShape());
  }
};

class TransposePattern : public ValuePattern<stablehlo::TransposeOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::TransposeOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType) const override {
    return Transposed(b, adaptor.getOperand(), op.getPermutation());
  }
};

class SlicePattern : public ValuePattern<stablehlo::SliceOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::SliceOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    // An empty slice may start at the end of the operand, which is outside of it.
    if (type.hasStaticShape() && type.getNumElements() == 0) return Empty(b, type);
    const auto attributes = [&](llvm::ArrayRef<int64_t> values) {
      return llvm::map_to_vector(values, [&](int64_t v) -> mlir::OpFoldResult { return b.getIndexAttr(v); });
    };
    Value slice = mlir::tensor::ExtractSliceOp::create(b, type, adaptor.getOperand(), attributes(op.getStartIndices()),
                                                       attributes(type.getShape()), attributes(op.getStrides()));
    return CopyThrough(b, type, slice, b.getMultiDimIdentityMap(type.getRank()));
  }
};

class ReversePattern : public ValuePattern<stablehlo::ReverseOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::ReverseOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType) const override {
    return Reversed(b, adaptor.getOperand(), op.getDimensions());
  }
};

class PadPattern : public ValuePattern<stablehlo::PadOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::PadOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b, RankedTensorType) const override {
    return Padded(b, adaptor.getOperand(), ScalarOf(b, adaptor.getPaddingValue()), op.getEdgePaddingLow(),
                  op.getEdgePaddingHigh(), op.getInteriorPadding());
  }
};

class ConcatenatePattern : public ValuePattern<stablehlo::ConcatenateOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::ConcatenateOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    const auto dimension = static_cast<int64_t>(op.getDimension());
    Value result = Empty(b, type);
    int64_t offset = 0;
    for (Value input : adaptor.getInputs()) {
      llvm::SmallVector<int64_t> offsets(type.getRank(), 0);
      offsets[dimension] = offset;
      const auto shape = ShapeOf(input);
      if (!llvm::is_contained(shape, 0)) {
        result = CopyInto(b, input, result, offsets, llvm::SmallVector<int64_t>(type.getRank(), 1));
      }
      offset += shape[dimension];
    }
    return result;
  }
};

// If the widths differ, the wider side has one element for each row of elements of the narrower side, least significant
// first.
class BitcastConvertPattern : public ValuePattern<stablehlo::BitcastConvertOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::BitcastConvertOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Type from = ElementOf(adaptor.getOperand().getType());
    mlir::Type to = type.getElementType();
    if (!from.isIntOrFloat() || !to.isIntOrFloat()) return Refuse(op, "it casts complex numbers");
    const unsigned source = from.getIntOrFloatBitWidth();
    const unsigned target = to.getIntOrFloatBitWidth();
    if (source == target) return {};  // handled by a row of the scalar table
    return source > target ? Split(b, type, adaptor.getOperand(), source, target)
                           : Join(b, type, adaptor.getOperand(), source, target);
  }

 private:
  static Value Bits(mlir::ImplicitLocOpBuilder& b, Value value) {
    return arith::BitcastOp::create(b, b.getIntegerType(value.getType().getIntOrFloatBitWidth()), value);
  }

  static Value Split(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value operand, unsigned source,
                     unsigned target) {
    const int64_t rank = type.getRank();
    mlir::Type wide = b.getIntegerType(source);
    const llvm::SmallVector<mlir::utils::IteratorType> iterators(rank, kParallel);
    return Generic(b, operand, Empty(b, type),
                   {b.getMultiDimIdentityMap(rank).dropResult(rank - 1), b.getMultiDimIdentityMap(rank)}, iterators,
                   [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                     Value part =
                         arith::IndexCastOp::create(inner, wide, mlir::linalg::IndexOp::create(inner, rank - 1));
                     Value shift = arith::MulIOp::create(inner, part, ScalarConstant(inner, wide, target));
                     Value bits = arith::ShRUIOp::create(inner, Bits(inner, scalars[0]), shift);
                     Value narrow = arith::TruncIOp::create(inner, inner.getIntegerType(target), bits);
                     return ValueList{arith::BitcastOp::create(inner, type.getElementType(), narrow)};
                   })[0];
  }

  static Value Join(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, Value operand, unsigned source,
                    unsigned target) {
    const int64_t rank = type.getRank();
    mlir::Type wide = b.getIntegerType(target);
    RankedTensorType bits_type = RankedTensorType::get(type.getShape(), wide);
    llvm::SmallVector<mlir::utils::IteratorType> iterators(rank, kParallel);
    iterators.push_back(kReduction);
    AffineMap identity = b.getMultiDimIdentityMap(rank + 1);
    Value joined =
        Generic(b, operand, Filled(b, bits_type, ScalarConstant(b, wide, 0)), {identity, identity.dropResult(rank)},
                iterators, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                  Value part = arith::IndexCastOp::create(inner, wide, mlir::linalg::IndexOp::create(inner, rank));
                  Value shift = arith::MulIOp::create(inner, part, ScalarConstant(inner, wide, source));
                  Value bits = arith::ExtUIOp::create(inner, wide, Bits(inner, scalars[0]));
                  bits = arith::ShLIOp::create(inner, bits, shift);
                  return ValueList{arith::OrIOp::create(inner, scalars[1], bits)};
                })[0];
    return Pointwise(b, type, joined, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
      return ValueList{arith::BitcastOp::create(inner, type.getElementType(), scalars[0])};
    });
  }
};

class OptimizationBarrierPattern : public HostPattern<stablehlo::OptimizationBarrierOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::OptimizationBarrierOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands());
    return mlir::success();
  }
};

// Annotations for partitioners are the identity on one device. Any other target is code that the host does not have.
class CustomCallPattern : public HostPattern<stablehlo::CustomCallOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::CustomCallOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    static constexpr llvm::StringLiteral kIdentities[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                                          "annotate_device_placement", "xla.sdy.FuncResultSharding"};
    llvm::StringRef target = op.getCallTargetName();
    if (target == kExchangeCall || target == kProcessCall) return mlir::failure();  // they have a pattern of their own
    if (!llvm::is_contained(kIdentities, target)) {
      return Refuse(op, "the host has no code for the custom call target '" + target + "'");
    }
    if (adaptor.getOperands().size() != op->getNumResults()) return Refuse(op, "it is no identity");
    for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults())) {
      if (operand.getType() != result.getType()) return Refuse(op, "it is no identity");
    }
    rewriter.replaceOp(op, adaptor.getOperands());
    return mlir::success();
  }
};

}  // namespace

void PopulateDataMovement(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<BroadcastInDimPattern<stablehlo::BroadcastInDimOp>,
               BroadcastInDimPattern<stablehlo::DynamicBroadcastInDimOp>, BroadcastPattern,
               ReshapePattern<stablehlo::ReshapeOp>, ReshapePattern<stablehlo::DynamicReshapeOp>, TransposePattern,
               SlicePattern, ReversePattern, PadPattern, ConcatenatePattern, BitcastConvertPattern,
               OptimizationBarrierPattern, CustomCallPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
