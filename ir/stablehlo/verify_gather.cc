// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference of gather, dynamic_gather and scatter. Their dimension numbers correspond to each other.
#include "ir/stablehlo/infer.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;

namespace {

// The common form of the dimension numbers of gather and scatter. A dimension of the tensor is a window, collapsed or
// batching dimension. A dimension of the indices is a batching dimension, the index vector dimension, or free.
struct Numbers {
  llvm::StringRef collapsed_name, batching_name, index_batching_name, map_name;
  Dims collapsed, batching, index_batching, map;
  int64_t index_vector;
};

LogicalResult VerifyNumbers(const Site& site, const Numbers& n, RankedTensorType operand, RankedTensorType indices) {
  int64_t rank = operand.getRank(), index_rank = indices.getRank();
  llvm::SmallVector<int64_t> hidden(n.collapsed);
  llvm::append_range(hidden, n.batching);
  llvm::SmallVector<int64_t> indexed(n.map);
  llvm::append_range(indexed, n.batching);
  if (failed(VerifyUnique(site, (n.collapsed_name + " and " + n.batching_name).str(), hidden)) ||
      failed(VerifySorted(site, n.collapsed_name, n.collapsed)) ||
      failed(VerifyInRange(site, n.collapsed_name, n.collapsed, rank)) ||
      failed(VerifySorted(site, n.batching_name, n.batching)) ||
      failed(VerifyInRange(site, n.batching_name, n.batching, rank)) ||
      failed(VerifyUnique(site, n.index_batching_name, n.index_batching)) ||
      failed(VerifyInRange(site, n.index_batching_name, n.index_batching, index_rank)))
    return failure();
  if (n.index_vector < 0 || n.index_vector > index_rank)
    return site.emitOpError() << "expects index_vector_dim to be in range [0, " << index_rank << "], but got "
                              << n.index_vector;
  if (llvm::is_contained(n.index_batching, n.index_vector))
    return site.emitOpError() << "expects " << n.index_batching_name << " not to include index_vector_dim "
                              << n.index_vector;
  if (n.batching.size() != n.index_batching.size())
    return site.emitOpError() << "expects as many " << n.batching_name << " as " << n.index_batching_name
                              << ", but got " << n.batching.size() << " and " << n.index_batching.size();
  for (auto [i, dims] : llvm::enumerate(llvm::zip(n.batching, n.index_batching))) {
    int64_t size = operand.getDimSize(std::get<0>(dims)), index_size = indices.getDimSize(std::get<1>(dims));
    if (!CompatibleDim(size, index_size))
      return site.emitOpError() << "expects batching dimensions of equal size, but pair " << i << " has " << size
                                << " and " << index_size;
  }
  int64_t vector_size = n.index_vector == index_rank ? 1 : indices.getDimSize(n.index_vector);
  if (!CompatibleDim(vector_size, n.map.size()))
    return site.emitOpError() << "expects " << vector_size << " elements in " << n.map_name
                              << ", the size of the index vector, but got " << n.map.size();
  if (failed(VerifyUnique(site, (n.map_name + " and " + n.batching_name).str(), indexed)) ||
      failed(VerifyInRange(site, n.map_name, n.map, rank)))
    return failure();
  return success();
}

// Returns the dimensions of the indices except the index vector dimension.
Extents BatchExtents(RankedTensorType indices, int64_t index_vector) {
  Extents extents = ExtentsOf(indices);
  if (index_vector < static_cast<int64_t>(extents.size())) extents.erase(extents.begin() + index_vector);
  return extents;
}

LogicalResult InferGather(const Site& site, GatherDimensionNumbersAttr numbers, mlir::Value operand,
                          mlir::Value indices, std::optional<Dims> slice_sizes, Types& types) {
  Dims offset = numbers.getOffsetDims(), collapsed = numbers.getCollapsedSliceDims(),
       batching = numbers.getOperandBatchingDims();
  RankedTensorType operand_type = TensorOf(operand), indices_type = TensorOf(indices);
  if (failed(VerifyNumbers(
          site,
          {"collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map", collapsed,
           batching, numbers.getStartIndicesBatchingDims(), numbers.getStartIndexMap(), numbers.getIndexVectorDim()},
          operand_type, indices_type)))
    return failure();
  if (static_cast<int64_t>(offset.size() + collapsed.size() + batching.size()) != operand_type.getRank())
    return site.emitOpError() << "expects offset_dims, collapsed_slice_dims and operand_batching_dims to cover the "
                              << operand_type.getRank() << " operand dimensions, but they have " << offset.size()
                              << ", " << collapsed.size() << " and " << batching.size();
  Extents batch = BatchExtents(indices_type, numbers.getIndexVectorDim());
  int64_t result_rank = batch.size() + offset.size();
  if (failed(VerifySorted(site, "offset_dims", offset)) || failed(VerifyUnique(site, "offset_dims", offset)) ||
      failed(VerifyInRange(site, "offset_dims", offset, result_rank)))
    return failure();
  llvm::SmallVector<int64_t> sizes(operand_type.getRank(), ShapedType::kDynamic);
  if (slice_sizes) {
    if (failed(VerifySize(site, "slice_sizes", slice_sizes->size(), operand_type.getRank()))) return failure();
    sizes.assign(slice_sizes->begin(), slice_sizes->end());
    for (auto [i, size] : llvm::enumerate(sizes)) {
      int64_t limit = operand_type.getDimSize(i);
      if (size < 0 || (!IsDynamic(limit) && size > limit))
        return site.emitOpError() << "expects slice size " << i << " to be in range [0, "
                                  << (IsDynamic(limit) ? "?" : std::to_string(limit)) << "], but got " << size;
    }
    for (int64_t dimension : llvm::concat<const int64_t>(collapsed, batching))
      if (sizes[dimension] > 1)
        return site.emitOpError() << "expects slice size " << dimension
                                  << " of a collapsed or batching dimension to be at most 1, but got "
                                  << sizes[dimension];
  }
  llvm::SmallVector<int64_t> window;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(collapsed, i) && !llvm::is_contained(batching, i)) window.push_back(size);
  Extents extents;
  size_t next_batch = 0, next_window = 0;
  for (int64_t i = 0; i < result_rank; ++i)
    extents.push_back(llvm::is_contained(offset, i) ? Extent{window[next_window++]} : batch[next_batch++]);
  types.push_back(MakeTensor(extents, operand_type.getElementType()));
  return success();
}

}  // namespace

LogicalResult GatherOp::Infer(const Site& site, Adaptor op, Types& types) {
  return InferGather(site, op.getDimensionNumbers(), op.getOperand(), op.getStartIndices(), op.getSliceSizes(), types);
}

LogicalResult DynamicGatherOp::Infer(const Site& site, Adaptor op, Types& types) {
  std::optional<llvm::SmallVector<int64_t>> constant = ConstantOf(op.getSliceSizes());
  std::optional<Dims> sizes;
  if (constant) sizes = *constant;
  int64_t count = ShapeOf(op.getSliceSizes())[0];
  if (!CompatibleDim(count, RankOf(op.getOperand())))
    return site.emitOpError() << "expects " << RankOf(op.getOperand()) << " elements in slice_sizes, but got " << count;
  return InferGather(site, op.getDimensionNumbers(), op.getOperand(), op.getStartIndices(), sizes, types);
}

LogicalResult ScatterOp::Infer(const Site& site, Adaptor op, Types& types) {
  mlir::ValueRange inputs = op.getInputs(), updates = op.getUpdates();
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  Dims window = numbers.getUpdateWindowDims(), inserted = numbers.getInsertedWindowDims(),
       batching = numbers.getInputBatchingDims();
  if (inputs.empty()) return site.emitOpError() << "expects at least one input";
  for (mlir::Value input : inputs)
    if (!CompatibleShapes(input.getType(), inputs.front().getType()))
      return site.emitOpError() << "expects inputs of compatible shapes, but got " << Show(inputs.getTypes());
  for (mlir::Value update : updates)
    if (!CompatibleShapes(update.getType(), updates.front().getType()))
      return site.emitOpError() << "expects updates of compatible shapes, but got " << Show(updates.getTypes());
  RankedTensorType operand = TensorOf(inputs.front()), indices = TensorOf(op.getScatterIndices()),
                   update = TensorOf(updates.front());
  if (failed(VerifyNumbers(site,
                           {"inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
                            "scatter_dims_to_operand_dims", inserted, batching, numbers.getScatterIndicesBatchingDims(),
                            numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()},
                           operand, indices)))
    return failure();
  if (static_cast<int64_t>(window.size() + inserted.size() + batching.size()) != operand.getRank())
    return site.emitOpError()
           << "expects update_window_dims, inserted_window_dims and input_batching_dims to cover the "
           << operand.getRank() << " input dimensions, but they have " << window.size() << ", " << inserted.size()
           << " and " << batching.size();
  Extents batch = BatchExtents(indices, numbers.getIndexVectorDim());
  if (static_cast<int64_t>(batch.size() + window.size()) != update.getRank())
    return site.emitOpError() << "expects updates of rank " << batch.size() + window.size()
                              << ", one per scatter dimension and one per window dimension, but got " << update;
  if (failed(VerifySorted(site, "update_window_dims", window)) ||
      failed(VerifyUnique(site, "update_window_dims", window)) ||
      failed(VerifyInRange(site, "update_window_dims", window, update.getRank())))
    return failure();
  llvm::SmallVector<int64_t> limits;
  for (auto [i, size] : llvm::enumerate(operand.getShape()))
    if (!llvm::is_contained(inserted, i) && !llvm::is_contained(batching, i)) limits.push_back(size);
  size_t next_batch = 0, next_window = 0;
  for (int64_t i = 0; i < update.getRank(); ++i) {
    int64_t size = update.getDimSize(i);
    if (llvm::is_contained(window, i)) {
      int64_t limit = limits[next_window++];
      if (!IsDynamic(size) && !IsDynamic(limit) && size > limit)
        return site.emitOpError() << "expects window dimension " << i << " of the updates to be at most " << limit
                                  << ", the input's size, but got " << size;
    } else if (int64_t expected = batch[next_batch++].size; !CompatibleDim(size, expected)) {
      return site.emitOpError() << "expects scatter dimension " << i << " of the updates to have size " << expected
                                << ", but got " << size;
    }
  }
  llvm::SmallVector<mlir::Type> inits;
  for (auto [input, update] : llvm::zip(inputs, updates)) {
    if (!CompatibleElements(ElementOf(input), ElementOf(update)))
      return site.emitOpError() << "expects inputs and updates of the same element types, but got " << input.getType()
                                << " and " << update.getType();
    inits.push_back(RankedTensorType::get({}, ElementOf(input)));
  }
  if (failed(VerifyReducer(site, op.getUpdateComputation(), updates.getTypes(), inits, {}))) return failure();
  for (auto [input, element] : llvm::zip(inputs, ReturnedElements(op.getUpdateComputation(), inputs.getTypes())))
    types.push_back(WithElement(input.getType(), element));
  return success();
}

}  // namespace opbyop::stablehlo
