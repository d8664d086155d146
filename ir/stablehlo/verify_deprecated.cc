// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of ops that only old programs use: einsum, unary_einsum and torch_index_select.
#include "ir/stablehlo/verify.h"
#include "llvm/ADT/StringExtras.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::ValueRange;

namespace {

// Gives each label of `labels` the size of its dimension. Dimensions of an ellipsis are not checked.
LogicalResult Label(const Site& site, llvm::StringRef labels, RankedTensorType type, bool is_result,
                    llvm::SmallDenseMap<char, int64_t>& sizes) {
  auto [head, tail] = labels.split("...");
  bool ellipsis = head.size() != labels.size();
  for (char label : llvm::concat<const char>(head, tail))
    if (!llvm::isAlpha(label))
      return site.emitOpError() << "expects labels of letters in einsum_config, but got '" << labels << "'";
  auto rank = static_cast<size_t>(type.getRank()), count = head.size() + tail.size();
  if (ellipsis ? count > rank : count != rank)
    return site.emitOpError() << "expects one label per dimension in einsum_config, but got '" << labels << "' for "
                              << type;
  for (size_t i = 0; i < count; ++i) {
    char label = i < head.size() ? head[i] : tail[i - head.size()];
    int64_t size = type.getDimSize(i < head.size() ? i : rank - count + i);
    auto [place, is_new] = sizes.try_emplace(label, size);
    if (is_result && is_new)
      return site.emitOpError() << "has label '" << llvm::Twine(label) << "' in the result of einsum_config only";
    if (!CompatibleDim(place->second, size))
      return site.emitOpError() << "expects equal sizes for label '" << llvm::Twine(label) << "', but got "
                                << place->second << " and " << size;
    if (IsDynamic(place->second)) place->second = size;
  }
  return success();
}

LogicalResult VerifyEinsum(const Site& site, llvm::StringRef config, ValueRange operands, RankedTensorType result) {
  auto [left, right] = config.split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  if (left.size() == config.size() || parts.size() != operands.size())
    return site.emitOpError() << "expects an einsum_config of the form '" << (operands.size() == 1 ? "a->a" : "a,b->ab")
                              << "', but got '" << config << "'";
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip(parts, operands))
    if (failed(Label(site, labels.trim(), TensorOf(operand), /*is_result=*/false, sizes))) return failure();
  return Label(site, right.trim(), result, /*is_result=*/true, sizes);
}

}  // namespace

LogicalResult EinsumOp::verify() { return VerifyEinsum(*this, getEinsumConfig(), getOperands(), getType()); }

LogicalResult UnaryEinsumOp::verify() {
  return VerifyEinsum(*this, getEinsumConfig(), getOperation()->getOperands(), getType());
}

LogicalResult TorchIndexSelectOp::verify() {
  RankedTensorType operand = TensorOf(getOperand()), index = TensorOf(getIndex());
  auto dim = static_cast<int64_t>(getDim()), batch = static_cast<int64_t>(getBatchDims());
  int64_t rank = operand.getRank();
  if (!IsInteger(index.getElementType())) return emitOpError() << "expects an index of integers, but got " << index;
  if (dim < 0 || dim >= rank) return emitOpError() << "expects dim to be in range [0, " << rank << "), but got " << dim;
  if (batch < 0 || batch > dim || batch > index.getRank())
    return emitOpError() << "expects batch_dims to be in range [0, " << std::min(dim, index.getRank()) << "], but got "
                         << batch;
  if (!CompatibleDims(operand.getShape().take_front(batch), index.getShape().take_front(batch)))
    return emitOpError() << "expects equal batch dimensions, but got " << operand << " and " << index;
  llvm::SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  return VerifyResultType(*this, RankedTensorType::get(shape, operand.getElementType()), getType());
}

}  // namespace opbyop::stablehlo
