// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/flat_attributes.h"

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using llvm::ArrayRef;
using llvm::StringRef;
using mlir::Attribute;
using mlir::LogicalResult;
using mlir::NamedAttrList;
using mlir::Operation;

Attribute Tensor(mlir::Builder& b, ArrayRef<int64_t> values) {
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
  return mlir::DenseElementsAttr::get(type, values);
}

Attribute Tensor(mlir::Builder& b, ArrayRef<bool> values) {
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI1Type());
  return mlir::DenseElementsAttr::get(type, values);
}

void Flatten(mlir::Builder& b, NamedAttrList& attributes, stablehlo::GatherDimensionNumbersAttr numbers) {
  attributes.set("offset_dims", Tensor(b, numbers.getOffsetDims()));
  attributes.set("collapsed_slice_dims", Tensor(b, numbers.getCollapsedSliceDims()));
  attributes.set("operand_batching_dims", Tensor(b, numbers.getOperandBatchingDims()));
  attributes.set("start_indices_batching_dims", Tensor(b, numbers.getStartIndicesBatchingDims()));
  attributes.set("start_index_map", Tensor(b, numbers.getStartIndexMap()));
  attributes.set("index_vector_dim", b.getI64IntegerAttr(numbers.getIndexVectorDim()));
}

void Flatten(mlir::Builder& b, NamedAttrList& attributes, stablehlo::ScatterDimensionNumbersAttr numbers) {
  attributes.set("update_window_dims", Tensor(b, numbers.getUpdateWindowDims()));
  attributes.set("inserted_window_dims", Tensor(b, numbers.getInsertedWindowDims()));
  attributes.set("input_batching_dims", Tensor(b, numbers.getInputBatchingDims()));
  attributes.set("scatter_indices_batching_dims", Tensor(b, numbers.getScatterIndicesBatchingDims()));
  attributes.set("scatter_dims_to_operand_dims", Tensor(b, numbers.getScatterDimsToOperandDims()));
  attributes.set("index_vector_dim", b.getI64IntegerAttr(numbers.getIndexVectorDim()));
}

void Flatten(mlir::Builder& b, NamedAttrList& attributes, stablehlo::DotDimensionNumbersAttr numbers) {
  attributes.set("lhs_batching_dimensions", Tensor(b, numbers.getLhsBatchingDimensions()));
  attributes.set("rhs_batching_dimensions", Tensor(b, numbers.getRhsBatchingDimensions()));
  attributes.set("lhs_contracting_dimensions", Tensor(b, numbers.getLhsContractingDimensions()));
  attributes.set("rhs_contracting_dimensions", Tensor(b, numbers.getRhsContractingDimensions()));
}

void Flatten(mlir::Builder& b, NamedAttrList& attributes, stablehlo::ConvDimensionNumbersAttr numbers) {
  attributes.set("input_batch_dimension", b.getI64IntegerAttr(numbers.getInputBatchDimension()));
  attributes.set("input_feature_dimension", b.getI64IntegerAttr(numbers.getInputFeatureDimension()));
  attributes.set("input_spatial_dimensions", Tensor(b, numbers.getInputSpatialDimensions()));
  attributes.set("kernel_input_feature_dimension", b.getI64IntegerAttr(numbers.getKernelInputFeatureDimension()));
  attributes.set("kernel_output_feature_dimension", b.getI64IntegerAttr(numbers.getKernelOutputFeatureDimension()));
  attributes.set("kernel_spatial_dimensions", Tensor(b, numbers.getKernelSpatialDimensions()));
  attributes.set("output_batch_dimension", b.getI64IntegerAttr(numbers.getOutputBatchDimension()));
  attributes.set("output_feature_dimension", b.getI64IntegerAttr(numbers.getOutputFeatureDimension()));
  attributes.set("output_spatial_dimensions", Tensor(b, numbers.getOutputSpatialDimensions()));
}

void Flatten(mlir::Builder& b, NamedAttrList& attributes, stablehlo::DotAlgorithmAttr algorithm) {
  attributes.set("lhs_precision_type", mlir::TypeAttr::get(algorithm.getLhsPrecisionType()));
  attributes.set("rhs_precision_type", mlir::TypeAttr::get(algorithm.getRhsPrecisionType()));
  attributes.set("accumulation_type", mlir::TypeAttr::get(algorithm.getAccumulationType()));
  attributes.set("lhs_component_count", b.getI64IntegerAttr(algorithm.getLhsComponentCount()));
  attributes.set("rhs_component_count", b.getI64IntegerAttr(algorithm.getRhsComponentCount()));
  attributes.set("num_primitive_operations", b.getI64IntegerAttr(algorithm.getNumPrimitiveOperations()));
  attributes.set("allow_imprecise_accumulation", b.getBoolAttr(algorithm.getAllowImpreciseAccumulation()));
}

template <typename T>
bool FlattenIf(mlir::Builder& b, NamedAttrList& attributes, StringRef name) {
  auto value = llvm::dyn_cast_or_null<T>(attributes.get(name));
  if (!value) return false;
  attributes.erase(name);
  Flatten(b, attributes, value);
  return true;
}

void FlattenStructs(mlir::Builder& b, NamedAttrList& attributes) {
  FlattenIf<stablehlo::GatherDimensionNumbersAttr>(b, attributes, "dimension_numbers");
  FlattenIf<stablehlo::ConvDimensionNumbersAttr>(b, attributes, "dimension_numbers");
  FlattenIf<stablehlo::ScatterDimensionNumbersAttr>(b, attributes, "scatter_dimension_numbers");
  FlattenIf<stablehlo::DotDimensionNumbersAttr>(b, attributes, "dot_dimension_numbers");
  FlattenIf<stablehlo::DotAlgorithmAttr>(b, attributes, "algorithm");
  if (auto channel = llvm::dyn_cast_or_null<stablehlo::ChannelHandleAttr>(attributes.erase("channel_handle"))) {
    attributes.set("channel_id", b.getI64IntegerAttr(channel.getHandle()));
    attributes.set("channel_type", b.getI64IntegerAttr(channel.getType()));
  }
}

// Returns the number of dimensions of the window of a convolution or reduction.
int64_t WindowRank(Operation* op, const NamedAttrList& attributes) {
  if (auto spatial = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(attributes.get("input_spatial_dimensions"))) {
    return spatial.getNumElements();
  }
  auto type = op->getNumOperands() > 0 ? llvm::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType())
                                       : mlir::RankedTensorType();
  return type ? type.getRank() : 0;
}

Attribute EmptyValue(mlir::Builder& b, StringRef name) {
  if (name == "composite_attributes") return b.getDictionaryAttr({});
  if (name == "source_target_pairs") return Tensor(b, ArrayRef<int64_t>());
  bool is_text = name.ends_with("config") || name == "sym_visibility";
  return is_text ? Attribute(b.getStringAttr("")) : Attribute(b.getArrayAttr({}));
}

Attribute ZeroValue(mlir::Builder& b, StringRef name, int64_t window_rank) {
  if (name == "version") return b.getI32IntegerAttr(0);
  if (name != "padding") return b.getBoolAttr(false);
  return mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({window_rank, 2}, b.getI64Type()), int64_t{0});
}

// Returns the explicit default of an absent attribute; null if the attribute is required.
Attribute Default(const Property& property, Operation* op, const NamedAttrList& attributes) {
  mlir::MLIRContext* context = op->getContext();
  mlir::Builder b(context);
  int64_t window_rank = WindowRank(op, attributes);
  switch (property.rule) {
    case Rule::kNonEmpty:
      return EmptyValue(b, property.name);
    case Rule::kDrop:
    case Rule::kNonZero:
      return ZeroValue(b, property.name, window_rank);
    case Rule::kNonNegative:
      return b.getI64IntegerAttr(-1);
    case Rule::kUnit:
      return b.getBoolAttr(false);
    case Rule::kArrayNonEmpty:
      return Tensor(b, ArrayRef<int64_t>());
    case Rule::kArrayNonOne:
      return Tensor(b, llvm::SmallVector<int64_t>(window_rank, 1));
    case Rule::kBoolArray:
      return Tensor(b, llvm::SmallVector<bool>(window_rank, false));
    case Rule::kSymbols:
      return b.getArrayAttr({});
    case Rule::kPrecisions: {
      Attribute precision = stablehlo::PrecisionAttr::get(context, stablehlo::Precision::DEFAULT);
      return b.getArrayAttr({precision, precision});
    }
    case Rule::kNonDefault:
      if (property.name == "result_accuracy") return stablehlo::ResultAccuracyAttr::getDefault(context);
      return stablehlo::ComparisonTypeAttr::get(context, stablehlo::ComparisonType::NOTYPE);
    case Rule::kApiVersion:
      return b.getI32IntegerAttr(1);
    case Rule::kKeep:
      break;
    case Rule::kArray:
      return property.name.ends_with("batching_dims") ? Tensor(b, ArrayRef<int64_t>()) : Attribute();
    case Rule::kSymbol:
      return {};
  }
  if (property.name == "channel_id") return b.getI64IntegerAttr(0);
  if (property.name.ends_with("_layouts")) return b.getArrayAttr({});
  // The remaining properties of a dot are the parts of its algorithm, whose default is the none type.
  if (op->getName().stripDialect() == "dot_general") return mlir::TypeAttr::get(b.getNoneType());
  return {};
}

// Converts symbols to strings, arrays to tensors, and unit attributes to booleans.
Attribute FlatValue(Attribute value) {
  mlir::Builder b(value.getContext());
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(value)) return symbol.getAttr();
  if (auto integers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value)) return Tensor(b, integers.asArrayRef());
  if (auto booleans = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(value)) return Tensor(b, booleans.asArrayRef());
  if (llvm::isa<mlir::UnitAttr>(value)) return b.getBoolAttr(true);
  auto array = llvm::dyn_cast<mlir::ArrayAttr>(value);
  if (array && llvm::all_of(array, llvm::IsaPred<mlir::FlatSymbolRefAttr>)) {
    return b.getArrayAttr(llvm::map_to_vector(array, FlatValue));
  }
  return value;
}

}  // namespace

LogicalResult FlatAttributes(const VhloOp& entry, Operation* op, const VhloVersion& target, NamedAttrList& attributes) {
  mlir::Builder b(op->getContext());
  attributes = NamedAttrList(op->getAttrs());
  FlattenStructs(b, attributes);
  const VhloOp& newest = *FindVhloOp(entry.stem(), kNewestVhloVersion);
  for (const VhloOp* row : {&newest, &entry}) {
    for (const Property& property : row->properties) {
      Attribute value = attributes.get(property.name);
      value = value ? FlatValue(value) : Default(property, op, attributes);
      if (!value) return op->emitOpError() << "lacks attribute " << property.name;
      attributes.set(property.name, value);
    }
  }
  // Properties that the older form of the op lacks must have their default value.
  for (const Property& property : newest.properties) {
    if (llvm::is_contained(llvm::map_range(entry.properties, [](const Property& p) { return p.name; }),
                           property.name)) {
      continue;
    }
    Attribute value = attributes.erase(property.name);
    if (value != Default(property, op, attributes)) {
      return op->emitError() << op->getName() << " cannot be written for version " << ToString(target) << ": attribute "
                             << property.name << " needs version " << ToString(newest.since) << " or newer";
    }
  }
  attributes.erase("channel_type");
  for (const Property& property : entry.properties) {
    if (property.name == "channel_type") {
      auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
      attributes.set("channel_type", b.getI64IntegerAttr(channel ? channel.getType() : 0));
    }
  }
  return mlir::success();
}

}  // namespace opbyop::vhlo
