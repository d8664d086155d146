// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/shape_operand.h"

#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/inputs/block.h"

namespace opbyop::reference {
namespace {

using Ranges = std::vector<ElementRange>;

// The range of a dimension whose size nothing else determines.
constexpr ElementRange kAnyExtent = {1, 4};

bool IsStatic(int64_t extent) { return !mlir::ShapedType::isDynamic(extent); }

ElementRange Exactly(int64_t value) { return {value, value}; }

// Returns the extents of the result. open(d) gives those that its type leaves open.
template <typename Fn>
Ranges ResultExtents(mlir::Operation* op, Fn&& open) {
  Ranges ranges;
  for (const auto& [d, extent] : llvm::enumerate(DimensionsOf(op->getResult(0)))) {
    ranges.push_back(IsStatic(extent) ? Exactly(extent) : open(d));
  }
  return ranges;
}

Ranges OfIota(mlir::Operation* op, unsigned) {
  return ResultExtents(op, [](size_t) { return kAnyExtent; });
}

Ranges OfBroadcast(mlir::Operation* op, unsigned) {
  const llvm::ArrayRef<int64_t> dimensions =
      llvm::cast<stablehlo::DynamicBroadcastInDimOp>(op).getBroadcastDimensions();
  const llvm::ArrayRef<int64_t> operand = DimensionsOf(op->getOperand(0));
  return ResultExtents(op, [&](size_t d) {
    for (size_t i = 0; i < dimensions.size() && i < operand.size(); ++i) {
      if (dimensions[i] == static_cast<int64_t>(d) && IsStatic(operand[i]) && operand[i] != 1) {
        return Exactly(operand[i]);
      }
    }
    return kAnyExtent;
  });
}

// The first open dimension takes the elements that the other dimensions leave.
Ranges OfReshape(mlir::Operation* op, unsigned) {
  int64_t left = 1;
  for (const int64_t extent : DimensionsOf(op->getOperand(0))) left *= IsStatic(extent) ? extent : 1;
  for (const int64_t extent : DimensionsOf(op->getResult(0))) left /= IsStatic(extent) && extent > 0 ? extent : 1;
  return ResultExtents(op, [&](size_t) {
    const ElementRange range = Exactly(left);
    left = 1;
    return range;
  });
}

// Low and interior padding is 0, and the high padding makes up the difference to the result. In dimensions that are not
// static, any padding from 0 to 2 is valid.
Ranges OfPad(mlir::Operation* op, unsigned operand) {
  constexpr unsigned kHigh = 3;
  Ranges ranges;
  for (const auto [extent, result] : llvm::zip(DimensionsOf(op->getOperand(0)), DimensionsOf(op->getResult(0)))) {
    if (!IsStatic(extent) || !IsStatic(result)) {
      ranges.push_back({0, 2});
    } else {
      ranges.push_back(Exactly(operand == kHigh ? result - extent : 0));
    }
  }
  return ranges;
}

Ranges OfSlice(mlir::Operation* op, unsigned operand) {
  Ranges ranges;
  for (const auto [extent, result] : llvm::zip(DimensionsOf(op->getOperand(0)), DimensionsOf(op->getResult(0)))) {
    const int64_t limit = IsStatic(result) ? result : IsStatic(extent) ? extent : 1;
    ranges.push_back(Exactly(operand == 1 ? 0 : operand == 2 ? limit : 1));
  }
  return ranges;
}

Ranges OfGather(mlir::Operation* op, unsigned) {
  const auto numbers = llvm::cast<stablehlo::DynamicGatherOp>(op).getDimensionNumbers();
  const llvm::ArrayRef<int64_t> result = DimensionsOf(op->getResult(0));
  Ranges ranges;
  size_t next = 0;
  for (const auto& [d, extent] : llvm::enumerate(DimensionsOf(op->getOperand(0)))) {
    const auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), dim) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), dim) || next >= numbers.getOffsetDims().size()) {
      ranges.push_back(Exactly(1));
      continue;
    }
    const int64_t offset = numbers.getOffsetDims()[next++];
    const int64_t size = offset < static_cast<int64_t>(result.size()) ? result[static_cast<size_t>(offset)] : 1;
    ranges.push_back(Exactly(IsStatic(size) ? size : IsStatic(extent) ? extent : 1));
  }
  return ranges;
}

// Low padding is 0, and the high padding is what the result needs.
Ranges OfConvolution(mlir::Operation* op, unsigned) {
  auto conv = llvm::cast<stablehlo::DynamicConvOp>(op);
  const auto numbers = conv.getDimensionNumbers();
  const auto attribute = [](const auto& list, size_t s) { return list && s < list->size() ? (*list)[s] : int64_t{1}; };
  Ranges ranges;
  for (size_t s = 0; s < numbers.getInputSpatialDimensions().size(); ++s) {
    const int64_t input = DimensionsOf(op->getOperand(0))[static_cast<size_t>(numbers.getInputSpatialDimensions()[s])];
    const int64_t window =
        DimensionsOf(op->getOperand(1))[static_cast<size_t>(numbers.getKernelSpatialDimensions()[s])];
    const int64_t result = DimensionsOf(op->getResult(0))[static_cast<size_t>(numbers.getOutputSpatialDimensions()[s])];
    int64_t high = 0;
    if (IsStatic(input) && IsStatic(window) && IsStatic(result) && result > 0) {
      const int64_t dilated = input == 0 ? 0 : (input - 1) * attribute(conv.getLhsDilation(), s) + 1;
      const int64_t reach = window == 0 ? 0 : (window - 1) * attribute(conv.getRhsDilation(), s) + 1;
      high = (result - 1) * attribute(conv.getWindowStrides(), s) + reach - dilated;
    }
    ranges.push_back(Exactly(0));
    ranges.push_back(Exactly(high));
  }
  return ranges;
}

Ranges OfSize(mlir::Operation* op, unsigned) {
  const auto dimension = op->getAttrOfType<mlir::IntegerAttr>("dimension").getInt();
  const llvm::ArrayRef<int64_t> shape = DimensionsOf(op->getOperand(0));
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size())) return {};
  const int64_t extent = shape[static_cast<size_t>(dimension)];
  return {{std::min<int64_t>(1, IsStatic(extent) ? extent : 1), IsStatic(extent) ? extent : 1}};
}

struct Rule {
  unsigned first_operand;
  Ranges (*ranges)(mlir::Operation*, unsigned operand);
};

const llvm::StringMap<Rule>& Rules() {
  static const llvm::StringMap<Rule> rules = {
      {"stablehlo.dynamic_broadcast_in_dim", {1, &OfBroadcast}},
      {"stablehlo.dynamic_conv", {2, &OfConvolution}},
      {"stablehlo.dynamic_gather", {2, &OfGather}},
      {"stablehlo.dynamic_iota", {0, &OfIota}},
      {"stablehlo.dynamic_pad", {2, &OfPad}},
      {"stablehlo.dynamic_reshape", {1, &OfReshape}},
      {"stablehlo.real_dynamic_slice", {1, &OfSlice}},
      {"stablehlo.set_dimension_size", {1, &OfSize}},
  };
  return rules;
}

}  // namespace

std::vector<ElementRange> ShapeOperandRanges(mlir::Operation* op, unsigned operand) {
  const auto found = Rules().find(op->getName().getStringRef());
  if (found == Rules().end() || operand < found->second.first_operand) return {};
  return found->second.ranges(op, operand);
}

}  // namespace opbyop::reference
