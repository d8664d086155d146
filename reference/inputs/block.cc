// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/block.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::reference {
namespace {

// The extent of a block in a dimension along which a window slides: the reach of one window.
int64_t Reach(int64_t extent, int64_t window, int64_t window_dilation, int64_t base_dilation) {
  const int64_t reach = (window - 1) * window_dilation + 1;
  return std::clamp<int64_t>(llvm::divideCeilSigned(reach, base_dilation), 1, std::max<int64_t>(extent, 1));
}

Shape ConvolutionBlock(mlir::Operation* op, unsigned operand) {
  const auto numbers = op->getAttrOfType<stablehlo::ConvDimensionNumbersAttr>("dimension_numbers");
  const Shape kernel = ShapeOf(op->getOperand(1));
  if (operand == 1) {
    Shape block = kernel;
    block[static_cast<size_t>(numbers.getKernelOutputFeatureDimension())] = 1;
    return block;
  }
  const Shape input = ShapeOf(op->getOperand(0));
  const size_t spatial = numbers.getInputSpatialDimensions().size();
  const std::vector<int64_t> lhs_dilation = IntsOr(op, "lhs_dilation", spatial, 1);
  const std::vector<int64_t> rhs_dilation = IntsOr(op, "rhs_dilation", spatial, 1);
  Shape block(input.size(), 1);
  // With feature groups the block has the features of one group.
  block[static_cast<size_t>(numbers.getInputFeatureDimension())] =
      kernel[static_cast<size_t>(numbers.getKernelInputFeatureDimension())];
  for (size_t s = 0; s < spatial; ++s) {
    const auto d = static_cast<size_t>(numbers.getInputSpatialDimensions()[s]);
    const int64_t window = kernel[static_cast<size_t>(numbers.getKernelSpatialDimensions()[s])];
    block[d] = Reach(input[d], window, rhs_dilation[s], lhs_dilation[s]);
  }
  return block;
}

}  // namespace

llvm::ArrayRef<int64_t> DimensionsOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getShape() : llvm::ArrayRef<int64_t>();
}

Shape ShapeOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? Shape(type.getShape().begin(), type.getShape().end()) : Shape{};
}

std::vector<int64_t> IntsOr(mlir::Operation* op, llvm::StringRef name, size_t count, int64_t value) {
  auto array = op->getAttrOfType<mlir::DenseI64ArrayAttr>(name);
  return array ? array.asArrayRef().vec() : std::vector<int64_t>(count, value);
}

Shape Along(const Shape& shape, llvm::ArrayRef<int64_t> dimensions) {
  Shape block(shape.size(), 1);
  for (const int64_t d : dimensions) block[static_cast<size_t>(d)] = shape[static_cast<size_t>(d)];
  return block;
}

int64_t BlockCount(const Shape& shape, const Shape& block) {
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d) count *= llvm::divideCeilSigned(shape[d], std::max<int64_t>(block[d], 1));
  return count;
}

Shape ProductBlock(mlir::Operation* op, unsigned operand) {
  if (operand > 1) return {};
  const Shape shape = ShapeOf(op->getOperand(operand));
  if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    const auto numbers = dot.getDotDimensionNumbers();
    return Along(shape, operand == 0 ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions());
  }
  if (llvm::isa<stablehlo::DotOp>(op)) {
    return shape.empty() ? Shape{} : Along(shape, {operand == 0 ? static_cast<int64_t>(shape.size()) - 1 : 0});
  }
  if (llvm::isa<stablehlo::ConvolutionOp, stablehlo::DynamicConvOp>(op)) return ConvolutionBlock(op, operand);
  return {};
}

Shape ReductionBlock(mlir::Operation* op, unsigned operand) {
  if (operand >= op->getNumOperands() / 2) return {};
  const Shape shape = ShapeOf(op->getOperand(operand));
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) return Along(shape, reduce.getDimensions());
  if (!llvm::isa<stablehlo::ReduceWindowOp>(op)) return {};
  const std::vector<int64_t> window = IntsOr(op, "window_dimensions", shape.size(), 1);
  const std::vector<int64_t> window_dilations = IntsOr(op, "window_dilations", shape.size(), 1);
  const std::vector<int64_t> base_dilations = IntsOr(op, "base_dilations", shape.size(), 1);
  Shape block;
  for (size_t d = 0; d < shape.size(); ++d) {
    block.push_back(Reach(shape[d], window[d], window_dilations[d], base_dilations[d]));
  }
  return block;
}

}  // namespace opbyop::reference
