// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/rows_judge.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/constant.h"
#include "reference/eval/movement.h"
#include "reference/eval/quantization.h"
#include "reference/worker/entry_op.h"
#include "reference/worker/plain_tensor.h"
#include "reference/worker/rows_comparison.h"

namespace opbyop::reference {
namespace {

// Indices first to first + count - 1 of a dimension.
Tensor Rows(const Tensor& t, int64_t dimension, int64_t first, int64_t count) {
  Shape shape = t.shape();
  const Shape strides = StridesOf(shape);
  const int64_t step = strides[static_cast<size_t>(dimension)];
  shape[static_cast<size_t>(dimension)] = count;
  if (dimension != 0 || t.stored() == nullptr) return StridedView(t, std::move(shape), strides, first * step);
  const int64_t each = StoredBytes(t.type());
  const auto owner = std::make_shared<const Tensor>(t);
  return Tensor::OfStored(t.type(), std::move(shape),
                          Buffer(owner, {t.stored() + first * step * each, static_cast<size_t>(count * step * each)}));
}

// Computes some rows of the result from those operands, or parts of them, that they depend on.
class RowsOfResult {
 public:
  // Whether each element of the result is one of an operand, or a count.
  static bool Moves(mlir::Operation* op) {
    return llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp, stablehlo::DynamicUpdateSliceOp,
                     stablehlo::GatherOp>(op);
  }
  static bool CanCompute(mlir::Operation* op) {
    if (UsesQuantization(op)) return false;
    if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op)) {
      const auto numbers = gather.getDimensionNumbers();
      return numbers.getOperandBatchingDims().empty() && !llvm::is_contained(numbers.getOffsetDims(), 0);
    }
    if (Moves(op)) return true;
    if (llvm::isa<stablehlo::ReduceOp>(op)) return op->getNumOperands() == 2;
    auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op);
    if (!scatter || op->getNumOperands() != 3) return false;
    const auto numbers = scatter.getScatterDimensionNumbers();
    return numbers.getInputBatchingDims().empty() && llvm::is_contained(numbers.getScatterDimsToOperandDims(), 0);
  }

  RowsOfResult(OpContext whole, ElementType type, Shape shape) : whole_(std::move(whole)), shape_(std::move(shape)) {
    if (llvm::isa<stablehlo::IotaOp>(whole_.op)) {
      dims_ = {whole_.Int("iota_dimension")};
      broadcast_ = CountingLine(type, shape_[static_cast<size_t>(dims_[0])]);
    } else if (llvm::isa<stablehlo::BroadcastInDimOp>(whole_.op)) {
      dims_ = whole_.Ints("broadcast_dimensions");
      broadcast_ = whole_.in(0);
    }
  }

  Expected<Tensor> Compute(int64_t first, int64_t count) const {
    if (broadcast_) return Broadcast(first, count);
    if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(whole_.op)) return Update(first, count);
    OpContext part = whole_;
    if (llvm::isa<stablehlo::ReduceOp>(whole_.op)) {
      const std::vector<int64_t> reduced = whole_.Ints("dimensions");
      int64_t along = 0;
      while (std::ranges::find(reduced, along) != reduced.end()) ++along;
      part.operands[0] = Rows(whole_.in(0), along, first, count);
    } else if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(whole_.op)) {
      const int64_t along = gather.getDimensionNumbers().getIndexVectorDim() == 0 ? 1 : 0;
      part.operands[1] = Rows(whole_.in(1), along, first, count);
    } else {
      part.operands[0] = Rows(whole_.in(0), 0, first, count);
      part.operands[1] = Indices(first);
    }
    return Result(part);
  }

 private:
  static Expected<Tensor> Result(OpContext& part) {
    Expected<Values> results = part.evaluator.Evaluate(part);
    if (!results) return Unexpected(results.error());
    return (*results)[0].tensor();
  }

  Tensor Broadcast(int64_t first, int64_t count) const {
    const auto along = std::ranges::find(dims_, 0) - dims_.begin();
    Shape shape = shape_;
    shape.front() = count;
    const bool same = along == std::ssize(dims_) || broadcast_->dim(along) == 1;
    return BroadcastInDim(same ? *broadcast_ : Rows(*broadcast_, along, first, count), std::move(shape), dims_);
  }

  Expected<Tensor> Update(int64_t first, int64_t count) const {
    const int64_t updates = whole_.in(1).dim(0), start = ClampedIndex(whole_.in(2), shape_.front() - updates);
    const int64_t begin = std::max(first, start), end = std::min(first + count, start + updates);
    OpContext part = whole_;
    part.operands[0] = Rows(whole_.in(0), 0, first, count);
    if (begin >= end) return part.in(0);
    part.operands[1] = Rows(whole_.in(1), 0, begin - start, end - begin);
    part.operands[2] = Tensor::Of(ElementType::kI64, {}, std::vector<int64_t>{begin - first});
    return Result(part);
  }

  // Indices from row `first` on. Those of other rows are outside of the operand, and so without an effect.
  Tensor Indices(int64_t first) const {
    const auto numbers = whole_.op->getAttrOfType<stablehlo::ScatterDimensionNumbersAttr>("scatter_dimension_numbers");
    const Tensor& indices = whole_.in(1);
    Tensor moved = Tensor::Make(ElementType::kI64, indices.shape());
    const std::span<int64_t> out = moved.Mutable<int64_t>();
    const auto along = static_cast<size_t>(numbers.getIndexVectorDim());
    const llvm::ArrayRef<int64_t> dims = numbers.getScatterDimsToOperandDims();
    const auto component = llvm::find(dims, 0) - dims.begin();
    const bool has_vectors = along < indices.shape().size();
    const int64_t step = has_vectors ? StridesOf(indices.shape())[along] : 1;
    const int64_t extent = has_vectors ? indices.shape()[along] : 1;
    constexpr int64_t kBeyond = int64_t{1} << 62;  // every tensor
    for (int64_t i = 0; i < indices.size(); ++i) {
      int64_t index = std::max(indices.IntegerAt(i), -kBeyond);
      if (!Info(indices.type()).is_signed && indices.IntegerAt(i) < 0) index = kBeyond;
      out[static_cast<size_t>(i)] = i / step % extent == component ? index - first : index;
    }
    return moved;
  }

  OpContext whole_;
  Shape shape_;
  std::optional<Tensor> broadcast_ = {};  // the tensor whose dimensions are dims_ of the result
  std::vector<int64_t> dims_ = {};
};

}  // namespace

std::optional<Comparison> JudgeByRows(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                      std::span<const std::byte> bytes, const CompareOptions& options,
                                      const RowsLimits& limits) {
  const EvalOptions& by = evaluator.options();
  mlir::Operation* op = ReturnedOp(entry);
  if (op == nullptr || !RowsOfResult::CanCompute(op) || !by.bounds || by.provenance || by.observe) return std::nullopt;
  const Expected<PlainTensor> type = PlainTensorOf(op->getResult(0).getType(), "a result");
  if (!type || type->shape.empty() || SizeOf(type->shape) < limits.fewest) return std::nullopt;
  const Shape& shape = type->shape;
  const Expected<EntryOp> only = EntryOp::Of(entry, arguments, evaluator);
  if (!only) return std::nullopt;
  const int64_t row = SizeOf(shape) / shape.front();
  const bool moves = RowsOfResult::Moves(op);
  const bool computes = !moves || llvm::isa<stablehlo::GatherOp>(op);  // places, if not values
  const int64_t rows = std::max<int64_t>((computes ? limits.part : limits.moved) / row, 1);
  const RowsOfResult result(only->In(evaluator), type->element, shape);
  RowsComparison comparison(type->element, shape, bytes, options);
  comparison.KeepMoments();
  for (int64_t first = 0; first < shape.front(); first += rows) {
    const int64_t count = std::min(rows, shape.front() - first);
    const Expected<Tensor> expected = result.Compute(first, count);
    if (!expected || expected->size() != count * row) return std::nullopt;
    // Elements that are only moved must be the same bits, or another way of the device decides.
    if (!(moves ? comparison.AddIfSame(expected->InStoredForm()) : comparison.Add(*expected))) return std::nullopt;
  }
  return comparison.Finish();
}

}  // namespace opbyop::reference
