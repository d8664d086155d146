// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers batch normalization. Statistics are sums over all dimensions except the feature dimension. Narrow floats are
// computed in f32 throughout and rounded once.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

// The loops of one normalization: over the operand, with per-feature vectors as further inputs.
class Features {
 public:
  Features(mlir::ImplicitLocOpBuilder& builder, Value operand, int64_t feature)
      : b(builder),
        wide(AccumulatorOf(ElementOf(operand.getType()))),
        count(static_cast<double>(mlir::cast<RankedTensorType>(operand.getType()).getNumElements()) /
              static_cast<double>(ShapeOf(operand)[feature])),
        shape_(ShapeOf(operand)),
        rank_(static_cast<int64_t>(shape_.size())),
        feature_(feature),
        whole_(b.getMultiDimIdentityMap(rank_)),
        vector_(AffineMap::get(rank_, 0, b.getAffineDimExpr(feature), b.getContext())) {}

  // Inputs of the operand's rank are read element by element, vectors by feature; scalars are passed to `body` in the
  // wide type.
  Value Map(mlir::Type element, ValueRange inputs, Body body) {
    return Run(inputs, Empty(b, RankedTensorType::get(shape_, element)), whole_, kParallel, body, element);
  }

  // The sum of the results of `body` over all dimensions except the feature dimension, as a wide vector.
  Value Sum(ValueRange inputs, Body body) {
    Value zeros = Filled(b, RankedTensorType::get({shape_[feature_]}, wide), ScalarConstant(b, wide, 0));
    return Run(
        inputs, zeros, vector_, kReduction,
        [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
          return ValueList{arith::AddFOp::create(inner, scalars.back(), body(inner, scalars)[0])};
        },
        wide);
  }

  // Applies `body` to vectors; the result is a vector.
  Value MapVector(mlir::Type element, ValueRange inputs, Body body) {
    return Pointwise(b, RankedTensorType::get({shape_[feature_]}, element), inputs,
                     [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
                       return ValueList{ConvertFloat(inner, body(inner, Widened(inner, scalars))[0], element)};
                     });
  }

  mlir::ImplicitLocOpBuilder& b;
  mlir::Type wide;
  double count;  // elements per feature

 private:
  ValueList Widened(mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) const {
    return llvm::map_to_vector(scalars, [&](Value scalar) { return ConvertFloat(inner, scalar, wide); });
  }

  Value Run(ValueRange inputs, Value output, AffineMap output_map, mlir::utils::IteratorType others, Body body,
            mlir::Type element) {
    llvm::SmallVector<AffineMap> maps;
    for (Value input : inputs) maps.push_back(ShapeOf(input).size() == shape_.size() && rank_ != 1 ? whole_ : vector_);
    maps.push_back(output_map);
    llvm::SmallVector<mlir::utils::IteratorType> iterators(rank_, others);
    iterators[feature_] = kParallel;
    return Generic(b, inputs, output, maps, iterators, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange scalars) {
      return ValueList{ConvertFloat(inner, body(inner, Widened(inner, scalars))[0], element)};
    })[0];
  }

  llvm::ArrayRef<int64_t> shape_;
  int64_t rank_;
  int64_t feature_;
  AffineMap whole_;
  AffineMap vector_;
};

// sqrt(variance + epsilon)
Value Deviation(mlir::ImplicitLocOpBuilder& b, Value variance, double epsilon) {
  Value shifted = arith::AddFOp::create(b, variance, ScalarConstant(b, variance.getType(), epsilon));
  return mlir::math::SqrtOp::create(b, shifted);
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset
Value Normalize(Features& features, mlir::Type element, Value operand, Value scale, Value offset, Value mean,
                Value variance, double epsilon) {
  return features.Map(element, {operand, scale, offset, mean, variance},
                      [&](mlir::ImplicitLocOpBuilder& b, ValueRange v) {
                        Value centered = arith::SubFOp::create(b, v[0], v[3]);
                        Value normal = arith::DivFOp::create(b, centered, Deviation(b, v[4], epsilon));
                        return ValueList{arith::AddFOp::create(b, arith::MulFOp::create(b, normal, v[1]), v[2])};
                      });
}

// Divides a vector of sums by the number of elements per feature.
Value Average(Features& features, mlir::Type element, Value sums) {
  return features.MapVector(element, sums, [&](mlir::ImplicitLocOpBuilder& b, ValueRange v) {
    return ValueList{arith::DivFOp::create(b, v[0], ScalarConstant(b, v[0].getType(), features.count))};
  });
}

class BatchNormInferencePattern : public ValuePattern<stablehlo::BatchNormInferenceOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::BatchNormInferenceOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    Features features(b, adaptor.getOperand(), static_cast<int64_t>(op.getFeatureIndex()));
    return Normalize(features, type.getElementType(), adaptor.getOperand(), adaptor.getScale(), adaptor.getOffset(),
                     adaptor.getMean(), adaptor.getVariance(), op.getEpsilon().convertToFloat());
  }
};

// Computes mean and variance in two passes over the operand: the variance of centered values does not suffer from
// cancellation.
class BatchNormTrainingPattern : public HostPattern<stablehlo::BatchNormTrainingOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::BatchNormTrainingOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    RankedTensorType type = ResultType(op);
    if (!type) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value operand = adaptor.getOperand();
    Features features(b, operand, static_cast<int64_t>(op.getFeatureIndex()));
    Value mean =
        Average(features, features.wide,
                features.Sum(operand, [](mlir::ImplicitLocOpBuilder&, ValueRange v) { return ValueList{v[0]}; }));
    Value squares = features.Sum({operand, mean}, [](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
      Value centered = arith::SubFOp::create(inner, v[0], v[1]);
      return ValueList{arith::MulFOp::create(inner, centered, centered)};
    });
    Value variance = Average(features, features.wide, squares);
    mlir::Type element = type.getElementType();
    const auto narrow = [](mlir::ImplicitLocOpBuilder&, ValueRange v) { return ValueList{v[0]}; };
    Value output = Normalize(features, element, operand, adaptor.getScale(), adaptor.getOffset(), mean, variance,
                             op.getEpsilon().convertToFloat());
    rewriter.replaceOp(
        op, {output, features.MapVector(element, mean, narrow), features.MapVector(element, variance, narrow)});
    return mlir::success();
  }
};

// With d = sqrt(variance + epsilon), x the centered operand and g the gradient of the output:
//   grad_offset = sum(g), grad_scale = sum(g * x / d)
//   grad_operand = scale / d * (g - sum(g) / n - x * sum(g * x) / (n * d^2))
class BatchNormGradPattern : public HostPattern<stablehlo::BatchNormGradOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::BatchNormGradOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    RankedTensorType type = ResultType(op);
    if (!type) return mlir::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value operand = adaptor.getOperand();
    Value gradient = adaptor.getGradOutput();
    Features features(b, operand, static_cast<int64_t>(op.getFeatureIndex()));
    mlir::Type element = type.getElementType();
    const double epsilon = op.getEpsilon().convertToFloat();
    Value sums = features.Sum(gradient, [](mlir::ImplicitLocOpBuilder&, ValueRange v) { return ValueList{v[0]}; });
    Value products =
        features.Sum({operand, gradient, adaptor.getMean()}, [](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
          Value centered = arith::SubFOp::create(inner, v[0], v[2]);
          return ValueList{arith::MulFOp::create(inner, v[1], centered)};
        });
    Value grad_scale = features.MapVector(
        element, {products, adaptor.getVariance()}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
          return ValueList{arith::DivFOp::create(inner, v[0], Deviation(inner, v[1], epsilon))};
        });
    Value grad_offset =
        features.MapVector(element, sums, [](mlir::ImplicitLocOpBuilder&, ValueRange v) { return ValueList{v[0]}; });
    const ValueList inputs = {operand, gradient, adaptor.getScale(), adaptor.getMean(), adaptor.getVariance(),
                              sums,    products};
    Value grad_operand = features.Map(element, inputs, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
      Value n = ScalarConstant(inner, features.wide, features.count);
      Value deviation = Deviation(inner, v[4], epsilon);
      Value centered = arith::SubFOp::create(inner, v[0], v[3]);
      Value average = arith::DivFOp::create(inner, v[5], n);
      Value spread = arith::MulFOp::create(inner, n, arith::MulFOp::create(inner, deviation, deviation));
      Value projected = arith::MulFOp::create(inner, centered, arith::DivFOp::create(inner, v[6], spread));
      Value rest = arith::SubFOp::create(inner, arith::SubFOp::create(inner, v[1], average), projected);
      return ValueList{arith::MulFOp::create(inner, arith::DivFOp::create(inner, v[2], deviation), rest)};
    });
    rewriter.replaceOp(op, {grad_operand, grad_scale, grad_offset});
    return mlir::success();
  }
};

}  // namespace

void PopulateNormalization(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<BatchNormInferencePattern, BatchNormTrainingPattern, BatchNormGradPattern>(types, patterns.getContext(),
                                                                                          refusals);
}

}  // namespace opbyop::host
