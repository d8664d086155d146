// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/sparse_pattern.h"

#include <algorithm>
#include <cmath>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/eval/region_form.h"
#include "reference/inputs/block.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kMostTerms = 8;  // average number of terms in a block

// The extents over which an operand's elements are added up, or empty if they are not.
Shape SumBlock(mlir::Operation* op, unsigned operand) {
  const Shape shape = ShapeOf(op->getOperand(operand));
  const auto adds = [&] { return CombineOf(op->getRegion(0)) == Combine::kAdd; };
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) {
    return op->getNumOperands() == 2 && adds() ? ReductionBlock(op, operand) : Shape{};
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
    if (operand != 2 || op->getNumOperands() != 3 || !adds()) return {};
    // A block has as many updates as go to one place on average.
    const auto window_dims = scatter.getScatterDimensionNumbers().getUpdateWindowDims();
    int64_t updates = llvm::divideCeilSigned(SizeOf(shape), std::max<int64_t>(SizeOf(ShapeOf(op->getOperand(0))), 1));
    Shape block(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 0;) {
      if (llvm::is_contained(window_dims, static_cast<int64_t>(d))) continue;
      block[d] = std::clamp<int64_t>(updates, 1, std::max<int64_t>(shape[d], 1));
      updates = llvm::divideCeilSigned(updates, block[d]);
    }
    return block;
  }
  const bool training = llvm::isa<stablehlo::BatchNormTrainingOp>(op);
  if ((training && operand == 0) || (llvm::isa<stablehlo::BatchNormGradOp>(op) && operand == 4)) {
    Shape block = shape;
    block[static_cast<size_t>(op->getAttrOfType<mlir::IntegerAttr>("feature_index").getInt())] = 1;
    return block;
  }
  return {};
}

// Returns the block argument that a value is, possibly moved or converted. Null if the value is constant or computed.
mlir::Value SourceOf(mlir::Value value) {
  for (int depth = 0; depth < 32; ++depth) {
    if (llvm::isa<mlir::BlockArgument>(value)) return value;
    mlir::Operation* op = value.getDefiningOp();
    if (!llvm::isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::BroadcastInDimOp, stablehlo::ConvertOp,
                   stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ReverseOp, stablehlo::NegOp>(op)) {
      return {};
    }
    value = op->getOperand(0);
  }
  return {};
}

SparsePattern PatternOf(const Shape& shape, Shape block) {
  bool slides = false;
  for (size_t d = 0; d < shape.size(); ++d) slides = slides || (block[d] != 1 && block[d] != shape[d]);
  // A window overlaps up to two blocks in each dimension.
  if (slides) return {shape, std::move(block), 2};
  // Enough terms to use every place twice.
  const int64_t blocks = std::max<int64_t>(BlockCount(shape, block), 1);
  return {shape, block, std::clamp<int64_t>(llvm::divideCeilSigned(2 * SizeOf(block), blocks), 2, kMostTerms)};
}

// Returns the share of the places of a sum that get a nonzero element in some block.
double Coverage(const Shape& shape, const Shape& block) {
  const auto dealt = static_cast<double>(BlockCount(shape, block) * kMostTerms);
  return std::min(1.0, dealt / static_cast<double>(std::max<int64_t>(SizeOf(block), 1)));
}

}  // namespace

std::optional<SparsePattern> SparsePatternOf(mlir::OpOperand& use, std::optional<int64_t> moved) {
  mlir::Operation* op = use.getOwner();
  const unsigned operand = use.getOperandNumber();
  const Shape shape = ShapeOf(use.get());
  if (shape.empty() || SizeOf(shape) == 0) return std::nullopt;
  Shape block = ProductBlock(op, operand);
  bool squares = false;
  if (!block.empty()) {
    const mlir::Value own = SourceOf(use.get());
    const mlir::Value other = SourceOf(op->getOperand(1 - operand));
    squares = own && own == other;
    if (other && !squares) {
      const double here = Coverage(shape, block);
      const double there = Coverage(ShapeOf(op->getOperand(1 - operand)), ProductBlock(op, 1 - operand));
      if (operand == 0 ? there >= here : there > here) return std::nullopt;
    }
  } else {
    block = SumBlock(op, operand);
  }
  if (block.empty()) return std::nullopt;
  if (!moved && !squares) return PatternOf(shape, std::move(block));
  const auto length = static_cast<double>(SizeOf(block));
  // If both factors are the same argument, k (2 / sqrt(k))^2 of k products are nonzero.
  const auto run = static_cast<int64_t>(std::ceil(squares ? std::sqrt(length) : length));
  return SparsePattern{{moved.value_or(SizeOf(shape))}, {run}, 2};
}

int64_t ElementsPerResult(mlir::OpOperand& use) {
  mlir::Operation* op = use.getOwner();
  const unsigned operand = use.getOperandNumber();
  const Shape shape = ShapeOf(use.get());
  const Shape block = shape.empty() ? Shape{} : ProductBlock(op, operand);
  if (!block.empty()) return SizeOf(block);
  // At least 2, because the initial value goes into every element too.
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
    const Shape reduced = ShapeOf(op->getOperand(0));
    return std::max<int64_t>(SizeOf(Along(reduced, reduce.getDimensions())), 2);
  }
  if (llvm::isa<stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp>(op)) {
    auto window = op->getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions");
    return window ? std::max<int64_t>(SizeOf(window.asArrayRef().vec()), 2) : 2;
  }
  if (llvm::isa<stablehlo::BatchNormTrainingOp, stablehlo::BatchNormGradOp, stablehlo::BatchNormInferenceOp>(op)) {
    // The moments and factors of a feature go into all of its elements.
    const bool gives = llvm::isa<stablehlo::BatchNormInferenceOp>(op) || shape.size() < 2;
    if (gives) return 2;
    const int64_t feature = op->getAttrOfType<mlir::IntegerAttr>("feature_index").getInt();
    return SizeOf(shape) / std::max<int64_t>(shape[static_cast<size_t>(feature)], 1);
  }
  if (op->getName().getStringRef() == "chlo.scan" && !shape.empty()) {
    return std::max<int64_t>(shape[static_cast<size_t>(op->getAttrOfType<mlir::IntegerAttr>("dimension").getInt())], 2);
  }
  if (auto length = op->getAttrOfType<mlir::DenseI64ArrayAttr>("fft_length")) return SizeOf(length.asArrayRef().vec());
  if (llvm::isa<stablehlo::TriangularSolveOp>(op) && shape.size() >= 2) return shape[shape.size() - 2];
  return 1;
}

std::vector<int64_t> NonzeroPlaces(const SparsePattern& pattern, const CounterStream& stream) {
  const size_t rank = pattern.shape.size();
  const int64_t length = SizeOf(pattern.block);
  std::vector<int64_t> places;
  if (length == 0 || SizeOf(pattern.shape) == 0) return places;
  // The ends come first: a device is most likely to leave them out.
  std::vector<int64_t> order = stream.Permutation(length);
  const auto to_front = [&](int64_t place, size_t at) { std::swap(*std::ranges::find(order, place), order[at]); };
  to_front(length - 1, 0);
  if (length > 1) to_front(0, 1);

  const Shape strides = StridesOf(pattern.shape);
  const Shape block_strides = StridesOf(pattern.block);
  Shape corner(rank, 0);
  const int64_t blocks = BlockCount(pattern.shape, pattern.block);
  uint64_t dealt = 0;
  for (int64_t b = 0; b < blocks; ++b) {
    const uint64_t drawn = 1 + stream.Below(~static_cast<uint64_t>(b), static_cast<uint64_t>(2 * pattern.terms - 1));
    const uint64_t count = std::min(drawn, static_cast<uint64_t>(length));
    for (uint64_t t = 0; t < count; ++t, ++dealt) {
      int64_t rest = order[static_cast<size_t>(dealt % static_cast<uint64_t>(length))];
      int64_t place = 0;
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t at = corner[d] + rest / block_strides[d];
        rest %= block_strides[d];
        inside = inside && at < pattern.shape[d];
        place += at * strides[d];
      }
      if (inside) places.push_back(place);
    }
    for (size_t d = rank; d-- > 0;) {
      corner[d] += pattern.block[d];
      if (corner[d] < pattern.shape[d]) break;
      corner[d] = 0;
    }
  }
  return places;
}

}  // namespace opbyop::reference
