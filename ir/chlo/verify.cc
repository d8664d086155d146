// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of the CHLO ops that do not broadcast.
#include "ir/chlo/chlo.h"
#include "ir/stablehlo/infer.h"

namespace opbyop::chlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using stablehlo::CompatibleDim;
using stablehlo::CompatibleTypes;
using stablehlo::Site;
using stablehlo::Types;
using Dims = llvm::SmallVector<int64_t>;

LogicalResult ConstantLikeOp::Infer(const Site&, Adaptor op, Types& types) {
  types.push_back(stablehlo::WithElement(op.getOperand().getType(), op.getValue().getType()));
  return success();
}

LogicalResult TopKOp::Infer(const Site& site, Adaptor op, Types& types) {
  Type index = mlir::IntegerType::get(op.getOperand().getContext(), 32);
  auto operand = llvm::dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!operand) {
    types.append({op.getOperand().getType(), mlir::UnrankedTensorType::get(index)});
    return success();
  }
  auto k = static_cast<int64_t>(op.getK());
  if (operand.getRank() < 1) return site.emitOpError() << "expects an operand of at least one dimension";
  stablehlo::Extents extents = stablehlo::ExtentsOf(operand);
  if (int64_t last = extents.back().Most(); k < 0 || (!stablehlo::IsDynamic(last) && k > last))
    return site.emitOpError() << "expects k to be at most the operand's last dimension, " << last << ", but got " << k;
  extents.back() = {k};
  types.append({stablehlo::MakeTensor(extents, operand.getElementType()), stablehlo::MakeTensor(extents, index)});
  return success();
}

namespace {

// Infers the shape of a ragged dot. Sets no shape if an operand is unranked.
LogicalResult InferShape(const Site& site, RaggedDotOp::Adaptor op, std::optional<stablehlo::Extents>& result) {
  auto lhs = llvm::dyn_cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = llvm::dyn_cast<RankedTensorType>(op.getRhs().getType());
  if (!lhs || !rhs) return success();
  RaggedDotDimensionNumbersAttr n = op.getRaggedDotDimensionNumbers();
  auto lhs_batch = n.getLhsBatchingDimensions(), rhs_batch = n.getRhsBatchingDimensions(),
       lhs_contract = n.getLhsContractingDimensions(), rhs_contract = n.getRhsContractingDimensions(),
       ragged = n.getLhsRaggedDimensions(), group = n.getRhsGroupDimensions();
  Dims lhs_used(lhs_batch), rhs_used(rhs_batch);
  llvm::append_range(lhs_used, lhs_contract);
  llvm::append_range(rhs_used, rhs_contract);
  llvm::append_range(rhs_used, group);
  if (failed(stablehlo::VerifySize(site, "lhs_ragged_dimensions", ragged.size(), 1)) ||
      failed(stablehlo::VerifyInRange(site, "lhs_ragged_dimensions", ragged, lhs.getRank())) ||
      failed(stablehlo::VerifySize(site, "rhs_batching_dimensions", rhs_batch.size(), lhs_batch.size())) ||
      failed(stablehlo::VerifySize(site, "rhs_contracting_dimensions", rhs_contract.size(), lhs_contract.size())) ||
      failed(stablehlo::VerifyUnique(site, "lhs batching and contracting dimensions", lhs_used)) ||
      failed(stablehlo::VerifyInRange(site, "lhs batching and contracting dimensions", lhs_used, lhs.getRank())) ||
      failed(stablehlo::VerifyUnique(site, "rhs batching, contracting and group dimensions", rhs_used)) ||
      failed(stablehlo::VerifyInRange(site, "rhs batching, contracting and group dimensions", rhs_used, rhs.getRank())))
    return failure();
  for (auto [i, j] : llvm::zip(llvm::concat<const int64_t>(lhs_batch, lhs_contract),
                               llvm::concat<const int64_t>(rhs_batch, rhs_contract)))
    if (!CompatibleDim(lhs.getDimSize(i), rhs.getDimSize(j)))
      return site.emitOpError() << "expects batching and contracting dimensions of equal size, but dimension " << i
                                << " of lhs has " << lhs.getDimSize(i) << " and dimension " << j << " of rhs has "
                                << rhs.getDimSize(j);

  // If the ragged dimension of lhs is free, it is divided into the groups of rhs. If it is contracting, there is one
  // result per group. If it is batching, the batches are divided into groups.
  bool batching = llvm::is_contained(lhs_batch, ragged[0]), contracting = llvm::is_contained(lhs_contract, ragged[0]);
  bool free = !batching && !contracting;
  if (failed(stablehlo::VerifySize(site, "rhs_group_dimensions", group.size(), free ? 1 : 0))) return failure();
  RankedTensorType sizes = stablehlo::TensorOf(op.getGroupSizes());
  Dims prefix;
  if (!batching)
    for (int64_t dimension : lhs_batch) prefix.push_back(lhs.getDimSize(dimension));
  if (batching)
    for (int64_t dimension : lhs_batch) {
      if (dimension == ragged[0]) break;
      prefix.push_back(lhs.getDimSize(dimension));
    }
  if (contracting)
    for (int64_t dimension : lhs_contract) {
      if (dimension == ragged[0]) break;
      prefix.push_back(lhs.getDimSize(dimension));
    }
  if (free)
    for (int64_t dimension = 0; dimension < ragged[0]; ++dimension)
      if (!llvm::is_contained(lhs_used, dimension)) prefix.push_back(lhs.getDimSize(dimension));
  if (sizes.getRank() < 1) return site.emitOpError() << "expects group_sizes of at least one dimension";
  int64_t groups = sizes.getShape().back();
  prefix.push_back(groups);
  // A single list of sizes may apply to all batches.
  if (sizes.getRank() != 1 && !stablehlo::CompatibleDims(sizes.getShape(), prefix))
    return site.emitOpError() << "expects group_sizes of shape " << stablehlo::Show(prefix)
                              << " or of its last dimension, "
                              << "but got " << sizes;
  if (free && !CompatibleDim(rhs.getDimSize(group[0]), groups))
    return site.emitOpError() << "expects one group of rhs per group size, " << groups << ", but got "
                              << rhs.getDimSize(group[0]);

  stablehlo::Extents extents;
  if (contracting) extents.push_back(stablehlo::ExtentOf(sizes, sizes.getRank() - 1));
  for (int64_t dimension : lhs_batch) extents.push_back(stablehlo::ExtentOf(lhs, dimension));
  for (int64_t i = 0; i < lhs.getRank(); ++i)
    if (!llvm::is_contained(lhs_used, i)) extents.push_back(stablehlo::ExtentOf(lhs, i));
  for (int64_t i = 0; i < rhs.getRank(); ++i)
    if (!llvm::is_contained(rhs_used, i)) extents.push_back(stablehlo::ExtentOf(rhs, i));
  result = extents;
  return success();
}

}  // namespace

LogicalResult RaggedDotOp::inferReturnTypeComponents(mlir::MLIRContext* context, std::optional<mlir::Location> location,
                                                     mlir::ValueShapeRange operands, mlir::DictionaryAttr attributes,
                                                     mlir::OpaqueProperties properties, mlir::RegionRange regions,
                                                     llvm::SmallVectorImpl<mlir::ShapedTypeComponents>& components) {
  std::optional<stablehlo::Extents> extents;
  Adaptor op(operands, attributes, properties, regions);
  if (failed(InferShape(Site(location, getOperationName()), op, extents))) return failure();
  Dims shape;
  if (!extents) {
    components.emplace_back();
    return success();
  }
  for (const stablehlo::Extent& extent : *extents) shape.push_back(extent.size);
  components.emplace_back(shape, /*elementType=*/nullptr, stablehlo::BoundsOf(context, *extents));
  return success();
}

LogicalResult RaggedDotOp::verify() {
  std::optional<stablehlo::Extents> extents;
  if (failed(InferShape(*this, Adaptor(*this), extents))) return failure();
  if (!extents) return success();
  return stablehlo::VerifyResultType(*this, stablehlo::MakeTensor(*extents, mlir::getElementTypeOrSelf(getType())),
                                     getType());
}

LogicalResult ScanOp::verify() {
  auto dimension = static_cast<int64_t>(getDimension());
  mlir::Block& block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError() << "expects a body of " << getNumOperands() << " arguments, but it takes "
                         << block.getNumArguments();
  std::optional<int64_t> steps;
  if (getScanDimSize()) steps = static_cast<int64_t>(*getScanDimSize());
  // Returns the type of the slice of a scanned tensor that one step takes; null if there is none.
  auto slice = [&](Type type, llvm::StringRef what, size_t i) -> mlir::FailureOr<Type> {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor) return Type();
    if (dimension < 0 || dimension >= tensor.getRank())
      return emitOpError() << "expects dimension to be in range [0, " << tensor.getRank() << ") of " << what << " " << i
                           << ", but got " << dimension;
    Dims shape(tensor.getShape());
    int64_t size = shape[dimension];
    if (steps && !CompatibleDim(*steps, size))
      return emitOpError() << "expects " << what << " " << i << " of size " << *steps << " along dimension "
                           << dimension << ", but got " << size;
    if (!stablehlo::IsDynamic(size)) steps = size;
    shape.erase(shape.begin() + dimension);
    return Type(RankedTensorType::get(shape, tensor.getElementType()));
  };
  llvm::SmallVector<Type> expected;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    mlir::FailureOr<Type> type = slice(input.getType(), "input", i);
    if (failed(type)) return failure();
    expected.push_back(*type);
  }
  llvm::append_range(expected, getInits().getTypes());
  for (auto [i, type, argument] : llvm::enumerate(expected, block.getArgumentTypes()))
    if (type && !CompatibleTypes(type, argument))
      return emitOpError() << "expects argument " << i << " of the body to be " << type << ", but got " << argument;
  llvm::SmallVector<Type> returned = stablehlo::ReturnedTypes(getBody());
  if (returned.size() != getNumResults())
    return emitOpError() << "expects a body that returns " << getNumResults() << " values, but it returns "
                         << returned.size();
  llvm::SmallVector<Type> results;
  for (auto [i, output] : llvm::enumerate(getOutputs())) {
    mlir::FailureOr<Type> type = slice(output.getType(), "output", i);
    if (failed(type)) return failure();
    results.push_back(*type);
  }
  llvm::append_range(results, getCarries().getTypes());
  for (auto [i, type, value] : llvm::enumerate(results, returned))
    if (type && !CompatibleTypes(type, value))
      return emitOpError() << "expects result " << i << " of the body to be " << type << ", but got " << value;
  return success();
}

}  // namespace opbyop::chlo
