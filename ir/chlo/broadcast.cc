// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/chlo/broadcast.h"

#include "ir/stablehlo/old_spellings.h"
#include "mlir/Dialect/Shape/IR/Shape.h"

namespace opbyop::chlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using stablehlo::Extent;
using stablehlo::Extents;
using stablehlo::IsDynamic;
using stablehlo::Site;

namespace {

// Combines two sizes, which must be equal or 1.
LogicalResult Broadcast(const Site& site, int64_t dimension, Extent& a, Extent b) {
  if (a.size == 1) {
    a = b;
  } else if (b.size == 1) {
    return success();
  } else if (!IsDynamic(a.size) && !IsDynamic(b.size)) {
    if (a.size != b.size)
      return site.emitOpError() << "cannot broadcast sizes " << a.size << " and " << b.size << " of result dimension "
                                << dimension;
  } else if (!IsDynamic(b.size)) {
    a = b;
  } else if (IsDynamic(a.size)) {
    a = stablehlo::Either(a, b);
  }
  return success();
}

// Whether `dimensions`, of a tensor of rank `small`, are the last dimensions of one of rank `large`.
bool IsTrailing(llvm::ArrayRef<int64_t> dimensions, int64_t small, int64_t large) {
  return llvm::equal(dimensions, llvm::seq<int64_t>(large - small, large));
}

LogicalResult VerifyDimensions(const Site& site, llvm::ArrayRef<int64_t> dimensions, int64_t small, int64_t large) {
  if (failed(stablehlo::VerifySize(site, "broadcast_dimensions", dimensions.size(), small)) ||
      failed(stablehlo::VerifyInRange(site, "broadcast_dimensions", dimensions, large)) ||
      failed(stablehlo::VerifyUnique(site, "broadcast_dimensions", dimensions)) ||
      failed(stablehlo::VerifySorted(site, "broadcast_dimensions", dimensions)))
    return failure();
  return success();
}

}  // namespace

Type SameElement(Type element) { return element; }
Type ComplexElement(Type element) { return mlir::ComplexType::get(element); }
Type PredicateElement(Type element) { return mlir::IntegerType::get(element.getContext(), 1); }

LogicalResult InferBroadcast(const Site& site, mlir::TypeRange operands,
                             std::optional<llvm::ArrayRef<int64_t>> dimensions, ElementFunction element_of,
                             stablehlo::Types& types) {
  Type first = mlir::getElementTypeOrSelf(operands.front());
  for (Type type : operands)
    if (!stablehlo::CompatibleElements(first, mlir::getElementTypeOrSelf(type)))
      return site.emitOpError() << "expects operands of the same element type, but got " << stablehlo::Show(operands);
  Type element = element_of(first);
  llvm::SmallVector<RankedTensorType> tensors;
  for (Type type : operands) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      types.push_back(mlir::UnrankedTensorType::get(element));
      return success();
    }
    tensors.push_back(tensor);
  }
  auto [small, large] = std::minmax_element(
      tensors.begin(), tensors.end(), [](RankedTensorType a, RankedTensorType b) { return a.getRank() < b.getRank(); });
  int64_t rank = large->getRank();
  // For operands of equal rank, `dimensions` has no meaning.
  if (small->getRank() == rank) dimensions.reset();
  if (dimensions && failed(VerifyDimensions(site, *dimensions, small->getRank(), rank))) return failure();
  Extents extents = stablehlo::ExtentsOf(*large);
  for (RankedTensorType tensor : tensors)
    for (int64_t i = 0; i < tensor.getRank(); ++i) {
      int64_t dimension = dimensions && tensor.getRank() < rank ? (*dimensions)[i] : rank - tensor.getRank() + i;
      if (failed(Broadcast(site, dimension, extents[dimension], stablehlo::ExtentOf(tensor, i)))) return failure();
    }
  types.push_back(stablehlo::MakeTensor(extents, element));
  return success();
}

LogicalResult ReifyBroadcast(mlir::OpBuilder& builder, mlir::Operation* op, mlir::ValueRange operands,
                             mlir::DenseI64ArrayAttr dimensions, llvm::SmallVectorImpl<mlir::Value>& shapes) {
  int64_t rank = 0;
  bool ranked = true;
  llvm::SmallVector<int64_t> ranks;
  for (Type type : operands.getTypes()) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    ranked &= static_cast<bool>(tensor);
    ranks.push_back(tensor ? tensor.getRank() : 0);
    rank = std::max(rank, ranks.back());
  }
  if (dimensions && (!ranked || !IsTrailing(dimensions, llvm::min_element(ranks)[0], rank)))
    return op->emitWarning() << "unsupported non prefix-padded dynamic rank broadcast_dimensions = " << dimensions;
  llvm::SmallVector<mlir::Value> parts;
  for (mlir::Value operand : operands) parts.push_back(mlir::shape::ShapeOfOp::create(builder, op->getLoc(), operand));
  auto type =
      RankedTensorType::get({ranked ? rank : mlir::ShapedType::kDynamic}, mlir::IndexType::get(op->getContext()));
  shapes.push_back(mlir::shape::BroadcastOp::create(builder, op->getLoc(), type, parts, /*error=*/mlir::StringAttr()));
  return success();
}

LogicalResult BroadcastSelectOp::Infer(const Site& site, Adaptor op, stablehlo::Types& types) {
  mlir::TypeRange branches = mlir::ValueRange(op.getOperands()).drop_front().getTypes();
  llvm::SmallVector<Type> alternatives;
  if (failed(InferBroadcast(site, branches, std::nullopt, SameElement, alternatives))) return failure();
  // Only the shape of the predicate matters.
  Type element = mlir::getElementTypeOrSelf(alternatives.front());
  llvm::SmallVector<Type> all = {stablehlo::WithElement(op.getPred().getType(), element), alternatives.front()};
  return InferBroadcast(site, all, std::nullopt, SameElement, types);
}

LogicalResult BroadcastSelectOp::reifyReturnTypeShapes(mlir::OpBuilder& builder, mlir::ValueRange operands,
                                                       llvm::SmallVectorImpl<mlir::Value>& shapes) {
  return ReifyBroadcast(builder, *this, operands, {}, shapes);
}

LogicalResult BroadcastCompareOp::verify() {
  if (!getCompareType()) return success();
  return stablehlo::VerifyComparisonType(*this, mlir::getElementTypeOrSelf(getLhs().getType()),
                                         static_cast<stablehlo::ComparisonType>(*getCompareType()));
}

}  // namespace opbyop::chlo

#define GET_OP_CLASSES
#include "ir/chlo/broadcast.cc.inc"

namespace opbyop::chlo {

void ChloDialect::RegisterBroadcastOps() {
  stablehlo::RegisterReadingOldSpellings<
#define GET_OP_LIST
#include "ir/chlo/broadcast.cc.inc"
      >(*this);
}

}  // namespace opbyop::chlo
