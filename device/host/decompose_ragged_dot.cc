// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <mlir/IR/TypeUtilities.h>

#include "device/host/decompose_chlo.h"
#include "device/host/hlo_builder.h"
#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/chlo/chlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using Dims = llvm::SmallVector<int64_t>;

// The positions at which groups start and end, and masks of the elements in between.
class Groups {
 public:
  Groups(Hlo& hlo, Value group_sizes)
      : h(hlo), count(StaticShape(group_sizes).back()), sizes_(group_sizes), batch_shape_(StaticShape(group_sizes)) {
    batch_shape_.pop_back();
  }

  // A tensor of `shape` that is true where the index in `dimension` is in the groups [first, last]. `batch` are the
  // dimensions in which the group sizes differ.
  Value Mask(llvm::ArrayRef<int64_t> shape, int64_t dimension, llvm::ArrayRef<int64_t> batch, int64_t first,
             int64_t last) {
    if (ends_.empty()) FindEnds();
    const auto bound = [&](int64_t index) {
      return h.Broadcast(ends_[index], shape, batch_shape_.empty() ? llvm::ArrayRef<int64_t>() : batch);
    };
    Value place = h.Iota(shape, h.b.getI64Type(), dimension);
    Value from = h.Compare(stablehlo::ComparisonDirection::GE, place, bound(first));
    Value to = h.Compare(stablehlo::ComparisonDirection::LT, place, bound(last + 1));
    return h.Binary<stablehlo::AndOp>(from, to);
  }

  int64_t batch_rank() const { return static_cast<int64_t>(batch_shape_.size()); }

  Hlo& h;
  int64_t count;

 private:
  void FindEnds() {
    Value sizes = h.Convert(sizes_, h.b.getI64Type());
    ends_.push_back(h.Splat(batch_shape_, h.b.getI64Type(), 0));
    for (int64_t g = 0; g < count; ++g) {
      Value size = h.Slice(sizes, batch_rank(), g, 1);
      ends_.push_back(h.Binary<stablehlo::AddOp>(ends_.back(), h.Reshape(size, batch_shape_)));
    }
  }

  Value sizes_;
  Dims batch_shape_;
  llvm::SmallVector<Value> ends_;
};

Value Choose(Hlo& h, Value mask, Value yes, Value no) {
  return stablehlo::SelectOp::create(h.b, yes.getType(), mlir::ValueRange{mask, yes, no});
}

// The sums of `operand` along its dimension 1, or the greatest of its elements.
template <typename OpT>
Value ReduceRows(Hlo& h, Value operand, double initial) {
  mlir::Type element = mlir::getElementTypeOrSelf(operand);
  RankedTensorType type = RankedTensorType::get(StaticShape(operand).front(), element);
  auto reduce =
      stablehlo::ReduceOp::create(h.b, mlir::TypeRange{type}, mlir::ValueRange{operand},
                                  mlir::ValueRange{h.Splat({}, element, initial)}, llvm::ArrayRef<int64_t>{1});
  mlir::OpBuilder::InsertionGuard guard(h.b);
  mlir::Block& block = reduce->getRegion(0).emplaceBlock();
  RankedTensorType scalar = RankedTensorType::get({}, element);
  block.addArguments({scalar, scalar}, {h.b.getLoc(), h.b.getLoc()});
  h.b.setInsertionPointToEnd(&block);
  stablehlo::ReturnOp::create(h.b, h.Binary<OpT>(block.getArgument(0), block.getArgument(1)));
  return reduce->getResult(0);
}

// The group of each of `rows` rows, or -1: of several groups, of which some have negative sizes, the last.
Value GroupsOfRows(Hlo& h, Value sizes, int64_t rows) {
  using enum stablehlo::ComparisonDirection;
  const int64_t count = StaticShape(sizes).front();
  mlir::Type number = h.b.getI64Type();
  const int64_t square[] = {count, count}, all[] = {rows, count};
  Value before = h.Compare(GE, h.Iota(square, number, 0), h.Iota(square, number, 1));
  Value ends = ReduceRows<stablehlo::AddOp>(
      h, Choose(h, before, h.Broadcast(sizes, square, {1}), h.Splat(square, number, 0)), 0);
  Value starts = h.Binary<stablehlo::SubtractOp>(ends, sizes);
  Value row = h.Iota(all, number, 0);
  Value inside = h.Binary<stablehlo::AndOp>(h.Compare(GE, row, h.Broadcast(starts, all, {1})),
                                            h.Compare(LT, row, h.Broadcast(ends, all, {1})));
  return ReduceRows<stablehlo::MaxOp>(h, Choose(h, inside, h.Iota(all, number, 1), h.Splat(all, number, -1)), -1);
}

Value Zero(Hlo& h, mlir::Type type) {
  auto tensor = mlir::cast<RankedTensorType>(type);
  return h.Splat(tensor.getShape(), tensor.getElementType(), 0);
}

}  // namespace

Value DecomposeRaggedDot(mlir::Operation* operation) {
  auto op = mlir::cast<chlo::RaggedDotOp>(operation);
  const auto refuse = [&](const llvm::Twine& why) -> Value {
    device::EmitUnsupported(op) << why;
    return {};
  };
  const auto numbers = op.getRaggedDotDimensionNumbers();
  if (numbers.getLhsRaggedDimensions().size() != 1) return refuse("it has not one ragged dimension");
  if (StaticShape(op.getGroupSizes()).empty()) return refuse("its group sizes are a scalar");
  mlir::ImplicitLocOpBuilder b(op.getLoc(), op);
  Hlo h(b);
  Groups groups(h, op.getGroupSizes());
  const Dims lhs_batch(numbers.getLhsBatchingDimensions());
  const Dims lhs_contracted(numbers.getLhsContractingDimensions());
  Dims rhs_batch(numbers.getRhsBatchingDimensions());
  Dims rhs_contracted(numbers.getRhsContractingDimensions());
  const int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  auto type = mlir::cast<RankedTensorType>(op.getResult().getType());
  if (groups.batch_rank() != 0 && groups.batch_rank() != static_cast<int64_t>(lhs_batch.size())) {
    return refuse("its group sizes differ in dimensions that are no batch dimensions");
  }
  if (groups.count == 0) return Zero(h, type);
  const auto product = [&](Value lhs, Value rhs, RankedTensorType result) -> Value {
    auto dimensions =
        stablehlo::DotDimensionNumbersAttr::get(b.getContext(), lhs_batch, rhs_batch, lhs_contracted, rhs_contracted);
    return stablehlo::DotGeneralOp::create(b, result, lhs, rhs, dimensions, mlir::ArrayAttr(),
                                           stablehlo::DotAlgorithmAttr());
  };
  const Dims lhs_shape(StaticShape(op.getLhs()));
  const Dims rhs_shape(StaticShape(op.getRhs()));

  if (const auto* found = llvm::find(lhs_contracted, ragged); found != lhs_contracted.end()) {
    // The contracted dimension is grouped: one product per group, stacked in front.
    const int64_t rhs_ragged = rhs_contracted[found - lhs_contracted.begin()];
    RankedTensorType each = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    Dims stacked(type.getShape());
    stacked[0] = 1;
    llvm::SmallVector<Value> products;
    for (int64_t g = 0; g < groups.count; ++g) {
      Value lhs =
          Choose(h, groups.Mask(lhs_shape, ragged, lhs_batch, g, g), op.getLhs(), Zero(h, op.getLhs().getType()));
      Value rhs =
          Choose(h, groups.Mask(rhs_shape, rhs_ragged, rhs_batch, g, g), op.getRhs(), Zero(h, op.getRhs().getType()));
      products.push_back(h.Reshape(product(lhs, rhs, each), stacked));
    }
    return stablehlo::ConcatenateOp::create(b, type, products, uint64_t{0});
  }
  if (const auto* found = llvm::find(lhs_batch, ragged); found != lhs_batch.end()) {
    // A batch dimension is grouped: the batches that are in no group are zero.
    if (groups.batch_rank() != 0) return refuse("batches in groups whose sizes differ by batch");
    Value all = product(op.getLhs(), op.getRhs(), type);
    return Choose(h, groups.Mask(type.getShape(), found - lhs_batch.begin(), {}, 0, groups.count - 1), all,
                  Zero(h, type));
  }
  // The rows are grouped, and each group has its own right-hand side.
  if (numbers.getRhsGroupDimensions().size() != 1) return refuse("its right side has not one group dimension");
  const int64_t group_dimension = numbers.getRhsGroupDimensions()[0];
  for (Dims* list : {&rhs_batch, &rhs_contracted}) {
    for (int64_t& dimension : *list) dimension -= dimension > group_dimension ? 1 : 0;
  }
  Dims rest = rhs_shape;
  rest.erase(rest.begin() + group_dimension);
  Dims batch;
  int64_t place = static_cast<int64_t>(lhs_batch.size());
  for (int64_t i = 0; i < place; ++i) batch.push_back(i);
  for (int64_t i = 0; i < ragged; ++i) {
    place += !llvm::is_contained(lhs_batch, i) && !llvm::is_contained(lhs_contracted, i) ? 1 : 0;
  }
  if (groups.batch_rank() == 0) {
    // Row by row, with the right-hand side of its group, so that there are no more products than without groups.
    const int64_t rows = lhs_shape[ragged];
    Dims row_shape(type.getShape());
    row_shape[place] = 1;
    RankedTensorType row_type = RankedTensorType::get(row_shape, type.getElementType());
    if (rows == 0) return Zero(h, type);
    Value of_rows = GroupsOfRows(h, h.Convert(op.getGroupSizes(), b.getI64Type()), rows);
    return h.Repeat(rows, Zero(h, type), [&](Value row, mlir::ValueRange values) {
      Value group = h.Reshape(h.SliceAt(of_rows, 0, row), {});
      Value grouped = h.Compare(stablehlo::ComparisonDirection::GE, group, h.Splat({}, b.getI64Type(), 0));
      Value rhs = h.Reshape(h.SliceAt(op.getRhs(), group_dimension, group), rest);
      Value sums = product(h.SliceAt(op.getLhs(), ragged, row), rhs, row_type);
      sums = Choose(h, h.Broadcast(grouped, row_shape, {}), sums, Zero(h, row_type));
      return Hlo::Values{h.UpdateAt(values[0], sums, place, row)};
    })[0];
  }
  Value result = Zero(h, type);
  for (int64_t g = 0; g < groups.count; ++g) {
    Value rhs = h.Reshape(h.Slice(op.getRhs(), group_dimension, g, 1), rest);
    result = Choose(h, groups.Mask(type.getShape(), place, batch, g, g), product(op.getLhs(), rhs, type), result);
  }
  return result;
}

}  // namespace opbyop::host
