// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verifier of custom calls, and type inference of tuples.
#include "ir/stablehlo/infer.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace {

// Checks that there is one minor-to-major permutation per tensor, and an empty one for any other value.
LogicalResult VerifyLayouts(mlir::Operation* op, llvm::StringRef what, mlir::ArrayAttr layouts, TypeRange types) {
  if (layouts.size() != types.size())
    return op->emitOpError() << "expects one layout per " << what << ", " << types.size() << ", but got "
                             << layouts.size();
  for (auto [i, type, attribute] : llvm::enumerate(types, layouts)) {
    auto layout = dyn_cast<mlir::DenseIntElementsAttr>(attribute);
    if (!layout || layout.getType().getRank() != 1)
      return op->emitOpError() << "expects the layout of " << what << " " << i
                               << " to be a list of dimensions, but got " << attribute;
    if (llvm::isa<mlir::TupleType>(type))
      return op->emitOpError() << "cannot give a layout to " << what << " " << i << ", a tuple";
    auto tensor = dyn_cast<mlir::ShapedType>(type);
    if (!tensor) {
      if (layout.empty()) continue;
      return op->emitOpError() << "expects an empty layout for " << what << " " << i << " of type " << type
                               << ", but got " << attribute;
    }
    if (!tensor.hasRank()) continue;
    llvm::SmallVector<int64_t> dims;
    for (const llvm::APInt& dim : layout.getValues<llvm::APInt>()) dims.push_back(dim.getSExtValue());
    llvm::sort(dims);
    if (!llvm::equal(dims, llvm::seq<int64_t>(tensor.getRank())))
      return op->emitOpError() << "expects the layout of " << what << " " << i << " to be a permutation of [0, "
                               << tensor.getRank() << "), but got " << attribute;
  }
  return success();
}

// Returns the type of the part of a value to which a path through nested tuples leads.
Type Part(Type type, Dims path) {
  for (int64_t index : path) {
    auto tuple = dyn_cast<mlir::TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size())) return Type();
    type = tuple.getType(index);
  }
  return type;
}

LogicalResult VerifyAlias(CustomCallOp op, OutputOperandAliasAttr alias) {
  int64_t index = alias.getOperandIndex(), operands = op.getInputs().size();
  if (index < 0 || index >= operands)
    return op.emitOpError() << "expects operand_index of an output operand alias to be in range [0, " << operands
                            << "), but got " << index;
  // Several results are addressed as if they were the elements of one tuple.
  Type output = op.getNumResults() == 1 ? op.getResultTypes().front()
                                        : Type(mlir::TupleType::get(op.getContext(), op.getResultTypes()));
  Type from = Part(op.getInputs()[index].getType(), alias.getOperandTupleIndices());
  Type to = Part(output, alias.getOutputTupleIndices());
  if (!from || !to)
    return op.emitOpError() << "has an output operand alias whose "
                            << (from ? "output_tuple_indices" : "operand_tuple_indices") << " lead nowhere, " << alias;
  if (!CompatibleTypes(from, to))
    return op.emitOpError() << "has an output operand alias of different types, " << from << " and " << to;
  return success();
}

}  // namespace

LogicalResult CustomCallOp::verify() {
  if (mlir::Attribute config = getBackendConfig().value_or(mlir::Attribute())) {
    bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
    if (typed != llvm::isa<mlir::DictionaryAttr>(config))
      return emitOpError() << "expects a backend_config that is a " << (typed ? "dictionary" : "string")
                           << " for api_version " << static_cast<int>(getApiVersion()) << ", but got " << config;
  }
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError() << "expects layouts of both operands and results or of neither";
  if (getOperandLayouts()) {
    // The layouts of a single tuple are those of its elements.
    TypeRange results = getResultTypes();
    mlir::TupleType tuple = results.size() == 1 ? dyn_cast<mlir::TupleType>(results.front()) : mlir::TupleType();
    if (tuple) results = tuple.getTypes();
    if (failed(VerifyLayouts(*this, "operand", *getOperandLayouts(), getOperandTypes())) ||
        failed(VerifyLayouts(*this, "result", *getResultLayouts(), results)))
      return failure();
  }
  for (auto alias : getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>())
    if (failed(VerifyAlias(*this, alias))) return failure();
  return success();
}

LogicalResult GetTupleElementOp::Infer(const Site& site, Adaptor op, Types& types) {
  auto tuple = llvm::cast<mlir::TupleType>(op.getOperand().getType());
  auto index = static_cast<int64_t>(op.getIndex());
  if (index < 0 || index >= static_cast<int64_t>(tuple.size()))
    return site.emitOpError() << "expects index to be in range [0, " << tuple.size() << "), but got " << index;
  types.push_back(tuple.getType(index));
  return success();
}

}  // namespace opbyop::stablehlo
