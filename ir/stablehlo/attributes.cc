// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints attributes and types whose form ODS cannot express.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/enums.cc.inc"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#define GET_ATTRDEF_CLASSES
#include "ir/stablehlo/attributes.cc.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/stablehlo/types.cc.inc"

namespace opbyop::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failure;
using mlir::ParseResult;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using DimVector = llvm::SmallVector<int64_t>;

namespace {

// One `name = value` of a struct attribute.
struct Field {
  llvm::StringRef name;
  DimVector* list = nullptr;
  int64_t* number = nullptr;
};

ParseResult ParseFieldValue(AsmParser& parser, const Field& field) {
  return field.list ? ParseDims(parser, *field.list) : parser.parseInteger(*field.number);
}

// Parses `<a = [1], b = 2>` in any order, each field at most once. Without `braces`, the caller parses the brackets.
ParseResult ParseFields(AsmParser& parser, llvm::ArrayRef<Field> fields, bool braces = true) {
  llvm::SmallVector<llvm::StringRef> seen;
  auto parse_one = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name)) return failure();
    const Field* field = llvm::find_if(fields, [&](const Field& f) { return f.name == name; });
    if (field == fields.end()) {
      mlir::InFlightDiagnostic error = parser.emitError(loc);
      error << "expected one of ";
      llvm::interleaveComma(fields, error, [&](const Field& f) { error << f.name; });
      return error << ", found '" << name << "'";
    }
    if (llvm::is_contained(seen, name)) return parser.emitError(loc) << "'" << name << "' is given twice";
    seen.push_back(name);
    return failure(parser.parseEqual() || ParseFieldValue(parser, *field));
  };
  if (braces && parser.parseLess()) return failure();
  if (succeeded(parser.parseOptionalGreater())) return success();
  do {
    // A trailing comma is accepted because older producers wrote it.
    if (succeeded(parser.parseOptionalGreater())) return success();
    if (parse_one()) return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

// Prints fields. Omits empty lists and zeros unless `all` is set.
void PrintFields(AsmPrinter& printer, llvm::ArrayRef<Field> fields, bool all = false, llvm::StringRef open = "<") {
  llvm::SmallVector<Field> shown(fields);
  if (!all) llvm::erase_if(shown, [](const Field& f) { return f.list ? f.list->empty() : *f.number == 0; });
  printer << open;
  llvm::interleaveComma(shown, printer, [&](const Field& f) {
    printer << f.name << " = ";
    if (f.list)
      PrintDims(printer, *f.list);
    else
      printer << *f.number;
  });
  printer << '>';
}

ParseResult ParseBounds(AsmParser& parser, DimVector& bounds, AsmParser::Delimiter delimiter) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(bounds.emplace_back());
  });
}

}  // namespace

ParseResult parseMeshAxes(AsmParser& parser, mlir::ArrayAttr& axes) {
  llvm::SmallVector<Attribute> list;
  const ParseResult parsed = parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseCustomAttributeWithFallback(list.emplace_back(), {}, [&](Attribute& axis, Type type) {
      axis = MeshAxisAttr::parse(parser, type);
      return success(axis != nullptr);
    });
  });
  if (succeeded(parsed)) axes = mlir::ArrayAttr::get(parser.getContext(), list);
  return parsed;
}

void printMeshAxes(AsmPrinter& printer, mlir::ArrayAttr axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer, [&](Attribute attribute) {
    if (auto axis = llvm::dyn_cast<MeshAxisAttr>(attribute)) return printer.printStrippedAttrOrType(axis);
    printer << attribute;
  });
  printer << ']';
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  DimVector offset, collapsed, batch, start_batch, map;
  int64_t vector = 0;
  if (ParseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &batch},
                           {"start_indices_batching_dims", &start_batch},
                           {"start_index_map", &map},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), offset, collapsed, batch, start_batch, map, vector);
}

void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  DimVector offset(getOffsetDims()), collapsed(getCollapsedSliceDims()), batch(getOperandBatchingDims()),
      start_batch(getStartIndicesBatchingDims()), map(getStartIndexMap());
  int64_t vector = getIndexVectorDim();
  PrintFields(printer, {{"offset_dims", &offset},
                        {"collapsed_slice_dims", &collapsed},
                        {"operand_batching_dims", &batch},
                        {"start_indices_batching_dims", &start_batch},
                        {"start_index_map", &map},
                        {"index_vector_dim", nullptr, &vector}});
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  DimVector window, inserted, batch, index_batch, map;
  int64_t vector = 0;
  if (ParseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &batch},
                           {"scatter_indices_batching_dims", &index_batch},
                           {"scatter_dims_to_operand_dims", &map},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), window, inserted, batch, index_batch, map, vector);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  DimVector window(getUpdateWindowDims()), inserted(getInsertedWindowDims()), batch(getInputBatchingDims()),
      index_batch(getScatterIndicesBatchingDims()), map(getScatterDimsToOperandDims());
  int64_t vector = getIndexVectorDim();
  PrintFields(printer, {{"update_window_dims", &window},
                        {"inserted_window_dims", &inserted},
                        {"input_batching_dims", &batch},
                        {"scatter_indices_batching_dims", &index_batch},
                        {"scatter_dims_to_operand_dims", &map},
                        {"index_vector_dim", nullptr, &vector}});
}

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  DimVector lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  if (ParseFields(parser, {{"lhs_batching_dimensions", &lhs_batch},
                           {"rhs_batching_dimensions", &rhs_batch},
                           {"lhs_contracting_dimensions", &lhs_contract},
                           {"rhs_contracting_dimensions", &rhs_contract}}))
    return {};
  return get(parser.getContext(), lhs_batch, rhs_batch, lhs_contract, rhs_contract);
}

void DotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  DimVector lhs_batch(getLhsBatchingDimensions()), rhs_batch(getRhsBatchingDimensions()),
      lhs_contract(getLhsContractingDimensions()), rhs_contract(getRhsContractingDimensions());
  PrintFields(printer, {{"lhs_batching_dimensions", &lhs_batch},
                        {"rhs_batching_dimensions", &rhs_batch},
                        {"lhs_contracting_dimensions", &lhs_contract},
                        {"rhs_contracting_dimensions", &rhs_contract}});
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  if (parser.parseLess()) return {};
  if (failed(parser.parseOptionalKeyword("raw"))) {
    ConvDimensionNumbersAttr numbers;
    if (parseConvolutionDimensions(parser, numbers) || parser.parseGreater()) return {};
    return numbers;
  }
  int64_t batch = 0, feature = 0, in = 0, out = 0, out_batch = 0, out_feature = 0;
  DimVector spatial, kernel_spatial, output_spatial;
  if (ParseFields(parser,
                  {{"input_batch_dimension", nullptr, &batch},
                   {"input_feature_dimension", nullptr, &feature},
                   {"input_spatial_dimensions", &spatial},
                   {"kernel_input_feature_dimension", nullptr, &in},
                   {"kernel_output_feature_dimension", nullptr, &out},
                   {"kernel_spatial_dimensions", &kernel_spatial},
                   {"output_batch_dimension", nullptr, &out_batch},
                   {"output_feature_dimension", nullptr, &out_feature},
                   {"output_spatial_dimensions", &output_spatial}},
                  /*braces=*/false))
    return {};
  return get(parser.getContext(), batch, feature, spatial, in, out, kernel_spatial, out_batch, out_feature,
             output_spatial);
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  // The bracket form can only express a permutation. All other dimension numbers are printed in the raw form, so that
  // nothing is lost in the text.
  auto permutation = [](int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial) {
    DimVector dims(spatial);
    dims.append({first, second});
    llvm::sort(dims);
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim != static_cast<int64_t>(i)) return false;
    return true;
  };
  if (permutation(getInputBatchDimension(), getInputFeatureDimension(), getInputSpatialDimensions()) &&
      permutation(getKernelInputFeatureDimension(), getKernelOutputFeatureDimension(), getKernelSpatialDimensions()) &&
      permutation(getOutputBatchDimension(), getOutputFeatureDimension(), getOutputSpatialDimensions())) {
    printer << '<';
    printConvolutionDimensions(printer, *this);
    printer << '>';
    return;
  }
  int64_t batch = getInputBatchDimension(), feature = getInputFeatureDimension(), in = getKernelInputFeatureDimension(),
          out = getKernelOutputFeatureDimension(), out_batch = getOutputBatchDimension(),
          out_feature = getOutputFeatureDimension();
  DimVector spatial(getInputSpatialDimensions()), kernel_spatial(getKernelSpatialDimensions()),
      output_spatial(getOutputSpatialDimensions());
  PrintFields(printer,
              {{"input_batch_dimension", nullptr, &batch},
               {"input_feature_dimension", nullptr, &feature},
               {"input_spatial_dimensions", &spatial},
               {"kernel_input_feature_dimension", nullptr, &in},
               {"kernel_output_feature_dimension", nullptr, &out},
               {"kernel_spatial_dimensions", &kernel_spatial},
               {"output_batch_dimension", nullptr, &out_batch},
               {"output_feature_dimension", nullptr, &out_feature},
               {"output_spatial_dimensions", &output_spatial}},
              /*all=*/true, "<raw ");
}

Attribute ChannelHandleAttr::parse(AsmParser& parser, Type) {
  int64_t handle = 0, type = 0;
  if (ParseFields(parser, {{"handle", nullptr, &handle}, {"type", nullptr, &type}})) return {};
  return get(parser.getContext(), handle, type);
}

void ChannelHandleAttr::print(AsmPrinter& printer) const {
  int64_t handle = getHandle(), type = getType();
  PrintFields(printer, {{"handle", nullptr, &handle}, {"type", nullptr, &type}},
              /*all=*/true);
}

Attribute OutputOperandAliasAttr::parse(AsmParser& parser, Type) {
  DimVector outputs, operands;
  int64_t operand = 0;
  if (ParseFields(parser, {{"output_tuple_indices", &outputs},
                           {"operand_index", nullptr, &operand},
                           {"operand_tuple_indices", &operands}}))
    return {};
  return get(parser.getContext(), outputs, operand, operands);
}

void OutputOperandAliasAttr::print(AsmPrinter& printer) const {
  DimVector outputs(getOutputTupleIndices()), operands(getOperandTupleIndices());
  int64_t operand = getOperandIndex();
  PrintFields(
      printer,
      {{"output_tuple_indices", &outputs}, {"operand_index", nullptr, &operand}, {"operand_tuple_indices", &operands}},
      /*all=*/true);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser& parser, Type) {
  DimVector bounds;
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual() ||
      ParseBounds(parser, bounds, AsmParser::Delimiter::Square) || parser.parseGreater())
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter& printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

llvm::LogicalResult TypeExtensionsAttr::verifyEncoding(
    llvm::ArrayRef<int64_t> shape, Type, llvm::function_ref<mlir::InFlightDiagnostic()> emit_error) const {
  if (getBounds().size() != shape.size())
    return emit_error() << "expected as many bounds as dimensions, found " << getBounds().size() << " for rank "
                        << shape.size();
  for (auto [i, bound, size] : llvm::enumerate(getBounds(), shape))
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emit_error() << "dimension " << i << " is static and cannot have a bound";
  return success();
}

//===----------------------------------------------------------------------===//
// Result accuracy
//===----------------------------------------------------------------------===//

ResultAccuracyAttr ResultAccuracyAttr::getDefault(mlir::MLIRContext* context) {
  return get(context, llvm::APFloat(0.0), llvm::APFloat(0.0), 0,
             ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT));
}

Attribute ResultAccuracyAttr::parse(AsmParser& parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  if (parser.parseLess()) return {};
  if (succeeded(parser.parseOptionalKeyword("atol")))
    if (parser.parseEqual() || parser.parseFloat(atol) || parser.parseComma()) return {};
  if (succeeded(parser.parseOptionalKeyword("rtol")))
    if (parser.parseEqual() || parser.parseFloat(rtol) || parser.parseComma()) return {};
  if (succeeded(parser.parseOptionalKeyword("ulps")))
    if (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma()) return {};
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) || parser.parseGreater())
    return {};
  return parser.getChecked<ResultAccuracyAttr>(parser.getContext(), llvm::APFloat(atol), llvm::APFloat(rtol), ulps,
                                               mode);
}

void ResultAccuracyAttr::print(AsmPrinter& printer) const {
  printer << '<';
  if (!getAtol().isZero()) {
    printer << "atol = ";
    printer.printFloat(getAtol());
    printer << ", ";
  }
  if (!getRtol().isZero()) {
    printer << "rtol = ";
    printer.printFloat(getRtol());
    printer << ", ";
  }
  if (getUlps() != 0) printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << '>';
}

//===----------------------------------------------------------------------===//
// Dialect hooks
//===----------------------------------------------------------------------===//

Attribute StablehloDialect::parseAttribute(mlir::DialectAsmParser& parser, Type type) const {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  Attribute attribute;
  mlir::OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value()) return attribute;
  if (mnemonic == "bounds") {
    DimVector bounds;
    if (ParseBounds(parser, bounds, AsmParser::Delimiter::LessGreater)) return {};
    return TypeExtensionsAttr::get(parser.getContext(), bounds);
  }
  parser.emitError(loc) << "unknown attribute '" << mnemonic << "' of dialect 'stablehlo'";
  return {};
}

void StablehloDialect::printAttribute(Attribute attribute, mlir::DialectAsmPrinter& printer) const {
  if (auto extensions = llvm::dyn_cast<TypeExtensionsAttr>(attribute)) {
    printer << "bounds";
    extensions.print(printer);
    return;
  }
  (void)generatedAttributePrinter(attribute, printer);
}

Type StablehloDialect::parseType(mlir::DialectAsmParser& parser) const {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  Type type;
  mlir::OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, type);
  if (parsed.has_value()) return type;
  parser.emitError(loc) << "unknown type '" << mnemonic << "' of dialect 'stablehlo'";
  return {};
}

void StablehloDialect::printType(Type type, mlir::DialectAsmPrinter& printer) const {
  (void)generatedTypePrinter(type, printer);
}

void StablehloDialect::RegisterAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/stablehlo/attributes.cc.inc"
      >();
}

void StablehloDialect::RegisterTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/stablehlo/types.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
