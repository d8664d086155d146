// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in ops.td, and parsing and printing of scan.
#include "ir/chlo/chlo.h"
#include "ir/stablehlo/infer.h"
#include "mlir/IR/TypeUtilities.h"

#define GET_OP_CLASSES
#include "ir/chlo/ops.cc.inc"

namespace opbyop::chlo {

using mlir::failure;
using mlir::OpAsmParser;
using mlir::ParseResult;
using mlir::success;

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// `(%inputs) inits (%inits) dimension = 0 attributes {..}? {body} : function`.
ParseResult ScanOp::parse(OpAsmParser& parser, mlir::OperationState& result) {
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t dimension = 0;
  mlir::FunctionType type;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumResults() < inits.size())
    return parser.emitError(loc) << "expected a result per initial value, " << inits.size() << ", but got "
                                 << type.getNumResults() << " results";
  result.addAttribute(getDimensionAttrName(result.name), parser.getBuilder().getI64IntegerAttr(dimension));
  auto input_count = static_cast<int32_t>(inputs.size()), init_count = static_cast<int32_t>(inits.size());
  Properties& properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {input_count, init_count};
  properties.resultSegmentSizes = {static_cast<int32_t>(type.getNumResults()) - init_count, init_count};
  result.addTypes(type.getResults());
  inputs.append(inits);
  return parser.resolveOperands(inputs, type.getInputs(), loc, result.operands);
}

void ScanOp::print(mlir::OpAsmPrinter& printer) {
  printer << '(' << getInputs() << ") inits (" << getInits() << ") dimension = " << getDimension();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

void ChloDialect::RegisterOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/chlo/ops.cc.inc"
      >();
}

}  // namespace opbyop::chlo
