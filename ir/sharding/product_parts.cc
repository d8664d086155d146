// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/product_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinOps.h"

namespace opbyop {
namespace {

using Dimensions = llvm::SmallVector<int64_t, 4>;

// The dimensions of both operands over which a convolution adds up.
template <class Convolution>
std::array<Dimensions, 2> SummedOf(Convolution op) {
  const stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  Dimensions input(numbers.getInputSpatialDimensions());
  input.push_back(numbers.getInputFeatureDimension());
  Dimensions kernel(numbers.getKernelSpatialDimensions());
  kernel.push_back(numbers.getKernelInputFeatureDimension());
  return {std::move(input), std::move(kernel)};
}

// Empty for an op that is no product.
std::array<Dimensions, 2> SummedDimensions(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, std::array<Dimensions, 2>>(op)
      .Case([](stablehlo::DotGeneralOp dot) {
        const auto numbers = dot.getDotDimensionNumbers();
        return std::array{Dimensions(numbers.getLhsContractingDimensions()),
                          Dimensions(numbers.getRhsContractingDimensions())};
      })
      .Case([](stablehlo::DotOp dot) {
        const auto lhs = mlir::cast<mlir::ShapedType>(dot.getLhs().getType());
        return std::array{Dimensions{lhs.getRank() - 1}, Dimensions{0}};
      })
      .Case<stablehlo::ConvolutionOp, stablehlo::DynamicConvOp>([](auto op) { return SummedOf(op); })
      .Default([](mlir::Operation*) { return std::array<Dimensions, 2>(); });
}

// The devices that differ in some of the axes. Axes that overlap are digits of the same range.
int64_t DevicesAlong(Axes axes) {
  std::ranges::sort(axes, {}, &Axis::stride);
  int64_t devices = 1;
  int64_t end = 1;  // place value above the digits counted so far
  for (const Axis& axis : axes) {
    const int64_t begin = std::max(axis.stride, end);
    end = std::max(end, axis.stride * axis.size);
    devices *= std::max<int64_t>(end / begin, 1);
  }
  return devices;
}

// `axes_of` has the axes that may divide a dimension of an operand.
int64_t PartsOfSum(mlir::Operation* op, llvm::function_ref<Axes(unsigned operand, int64_t dimension)> axes_of) {
  Axes summed;
  for (const auto& [index, dimensions] : llvm::enumerate(SummedDimensions(op))) {
    for (const int64_t dimension : dimensions) {
      const Axes axes = axes_of(static_cast<unsigned>(index), dimension);
      summed.insert(summed.end(), axes.begin(), axes.end());
    }
  }
  return DevicesAlong(std::move(summed));
}

}  // namespace

int64_t ProductParts(mlir::Operation* op, llvm::ArrayRef<Division> operands) {
  return PartsOfSum(op, [&](unsigned operand, int64_t dimension) -> Axes {
    const Division& division = operands[operand];
    return division.empty() ? Axes() : division[static_cast<size_t>(dimension)];
  });
}

int64_t ProductParts(mlir::FunctionOpInterface entry, llvm::ArrayRef<Division> arguments) {
  Axes all;
  for (const Division& division : arguments) {
    for (const Axes& axes : division) all.insert(all.end(), axes.begin(), axes.end());
  }
  // The axes that may divide a dimension of a value.
  const auto axes_of = [&](mlir::Value value, int64_t dimension) -> Axes {
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    if (!argument && value.getDefiningOp()->getNumOperands() == 0) return {};  // a constant
    if (!argument || argument.getOwner() != &entry.getFunctionBody().front()) return all;
    const Division& division = arguments[argument.getArgNumber()];
    return division.empty() ? Axes() : division[static_cast<size_t>(dimension)];
  };
  int64_t most = 1;
  entry->getParentOfType<mlir::ModuleOp>().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (mlir::isa<sdy::ManualComputationOp>(op)) return mlir::WalkResult::skip();  // nothing divides its sums
    const auto of_operand = [&](unsigned operand, int64_t dimension) {
      return axes_of(op->getOperand(operand), dimension);
    };
    most = std::max(most, PartsOfSum(op, of_operand));
    return mlir::WalkResult::advance();
  });
  return most;
}

}  // namespace opbyop
