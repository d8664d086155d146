// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints the three ops whose form ODS cannot express: constant, reduce and while. Also suggests names for
// the results of ops.
#include "ir/stablehlo/reduce_form.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::stablehlo {

using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OperationState;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

// The text is `{attrs}? value` if the result has the type of the value. If the element type differs from the stored one
// (quantized results), it is similar to the generic form: `() <{value = v}> {attrs}? : () -> T`. In older text the
// value is one of the attributes.
ParseResult ConstantOp::parse(OpAsmParser& parser, OperationState& result) {
  if (failed(parser.parseOptionalLParen())) {
    mlir::ElementsAttr value;
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value)) return failure();
    result.getOrAddProperties<Properties>().value = value;
    result.addTypes(value.getShapedType());
    return success();
  }
  if (parser.parseRParen()) return failure();
  if (succeeded(parser.parseOptionalLess())) {
    mlir::DictionaryAttr properties;
    if (parser.parseAttribute(properties) || parser.parseGreater()) return failure();
    result.propertiesAttr = properties;
  }
  llvm::SMLoc loc = parser.getCurrentLocation();
  mlir::FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parser.parseType(type))
    return failure();
  if (!type.getInputs().empty() || type.getNumResults() != 1)
    return parser.emitError(loc, "expected no operand and one result");
  if (auto properties = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(result.propertiesAttr)) {
    auto value = llvm::dyn_cast_or_null<mlir::ElementsAttr>(properties.get("value"));
    if (!value) return parser.emitError(loc, "expected a 'value' of elements");
    result.propertiesAttr = {};
    result.getOrAddProperties<Properties>().value = value;
  } else {
    auto value = llvm::dyn_cast_or_null<mlir::ElementsAttr>(result.attributes.get("value"));
    if (!value) return parser.emitError(loc, "expected a 'value' of elements");
    result.attributes.erase("value");
    result.getOrAddProperties<Properties>().value = value;
  }
  result.addTypes(type.getResults());
  return success();
}

void ConstantOp::print(OpAsmPrinter& printer) {
  bool plain = getValue().getShapedType() == getType();
  if (!plain) printer << "() <{value = " << getValue() << "}>";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  if (plain)
    printer << ' ' << getValue();
  else
    printer << " : () -> " << getType();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // A quantized constant is not folded, because its value has another type than its result.
  return getValue().getShapedType() == getType() ? mlir::OpFoldResult(getValue()) : mlir::OpFoldResult();
}

void ConstantOp::getAsmResultNames(llvm::function_ref<void(mlir::Value, llvm::StringRef)> set_name) {
  Type element = mlir::getElementTypeOrSelf(getType());
  set_name(getOutput(), llvm::isa<mlir::IntegerType>(element) ? "c" : "cst");
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

// `(%arg = %init, ..) : types attributes {..}? cond {..} do {..}`.
ParseResult WhileOp::parse(OpAsmParser& parser, OperationState& result) {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        return failure(parser.parseOperand(arguments.emplace_back().ssaName,
                                           /*allowResultNumber=*/false) ||
                       parser.parseEqual() || parser.parseOperand(operands.emplace_back()));
      }))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(result.types)) return failure();
  if (parser.resolveOperands(operands, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, result.types)) argument.type = type;
  return failure(parser.parseKeyword("cond") || parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") || parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::print(OpAsmPrinter& printer) {
  // The text has only one list of arguments, so both regions use the same names.
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperands()), printer, [&](auto pair) {
    printer.printOperand(std::get<0>(pair));
    printer << " = " << std::get<1>(pair);
  });
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void WhileOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (mlir::BlockArgument argument : region.getArguments()) set_name(argument, "iterArg");
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

ParseResult ReduceOp::parse(OpAsmParser& parser, OperationState& result) { return ParseReduce(parser, result); }

void ReduceOp::print(OpAsmPrinter& printer) { PrintReduce(printer, *this); }

}  // namespace opbyop::stablehlo
