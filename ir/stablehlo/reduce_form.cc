// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/reduce_form.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using mlir::failure;
using mlir::FunctionType;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;

namespace {

// Returns the only op of the body if the compact form can express the whole body: a commutative op on two scalars of
// the element type, applied to the block arguments in order, whose result is returned. The parser builds exactly this
// body, at the location of the reduce.
Operation* CompactBody(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getBody().empty()) return nullptr;
  mlir::Block& block = op.getBody().front();
  if (block.getNumArguments() != 2 || block.empty() || !llvm::hasNItems(block.begin(), block.end(), 2)) return nullptr;
  Operation& inner = block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || inner.getNumOperands() != 2 || inner.getNumResults() != 1 || inner.getNumRegions() != 0 ||
      !inner.hasTrait<mlir::OpTrait::IsCommutative>())
    return nullptr;
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  if (!input || inner.getDialect() != op->getDialect()) return nullptr;
  Type scalar = RankedTensorType::get({}, input.getElementType());
  if (inner.getResult(0).getType() != scalar || block.getArgument(0).getType() != scalar ||
      block.getArgument(1).getType() != scalar)
    return nullptr;
  if (inner.getOperand(0) != block.getArgument(0) || inner.getOperand(1) != block.getArgument(1) ||
      terminator.getNumOperands() != 1 || terminator.getOperand(0) != inner.getResult(0))
    return nullptr;
  if (!inner.getDiscardableAttrDictionary().empty() || !terminator->getAttrs().empty()) return nullptr;
  return &inner;
}

ParseResult BuildBody(OpAsmParser& parser, llvm::SMLoc loc, mlir::OperationName name, mlir::Location at,
                      FunctionType type, mlir::Region& region) {
  auto input = dyn_cast<RankedTensorType>(type.getInput(0));
  if (!input) return parser.emitError(loc, "expected a ranked tensor to reduce");
  Type scalar = RankedTensorType::get({}, input.getElementType());
  mlir::Block& block = region.emplaceBlock();
  mlir::Value lhs = block.addArgument(scalar, at);
  mlir::Value rhs = block.addArgument(scalar, at);
  mlir::OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  mlir::OperationState inner(at, name);
  inner.addOperands({lhs, rhs});
  inner.addTypes(scalar);
  ReturnOp::create(builder, at, builder.create(inner)->getResults());
  return success();
}

// ` reducer(%a: T, %b: T) (%c: T, %d: T) {..}`: one pair per input. The block
// takes the first of all pairs, then the second of all pairs.
ParseResult ParseReducer(OpAsmParser& parser, size_t inputs, mlir::Region& region) {
  llvm::SmallVector<OpAsmParser::Argument> firsts, seconds;
  if (parser.parseKeyword("reducer")) return failure();
  for (size_t i = 0; i < inputs; ++i) {
    if (parser.parseLParen() ||
        parser.parseArgument(firsts.emplace_back(), /*allowType=*/true,
                             /*allowAttrs=*/false) ||
        parser.parseComma() ||
        parser.parseArgument(seconds.emplace_back(), /*allowType=*/true,
                             /*allowAttrs=*/false) ||
        parser.parseRParen())
      return failure();
  }
  firsts.append(seconds);
  return parser.parseRegion(region, firsts);
}

}  // namespace

ParseResult ParseReduce(OpAsmParser& parser, mlir::OperationState& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("init") ||
        parser.parseColon() || parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  size_t inputs = operands.size();
  operands.append(inits);

  std::optional<mlir::OperationName> inner;
  llvm::SMLoc inner_loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    inner_loc = parser.getCurrentLocation();
    mlir::FailureOr<mlir::OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) return failure();
    if (name->getDialectNamespace() != "stablehlo" || !name->hasTrait<mlir::OpTrait::NOperands<2>::Impl>() ||
        !name->hasTrait<mlir::OpTrait::OneResult>())
      return parser.emitError(inner_loc) << "expected a commutative stablehlo op of two operands, found '"
                                         << name->getStringRef() << "'";
    if (!name->hasTrait<mlir::OpTrait::IsCommutative>())
      return parser.emitError(inner_loc) << "'" << name->getStringRef() << "' is not commutative";
    if (inputs != 1) return parser.emitError(inner_loc) << "the compact form reduces one input, found " << inputs;
    inner = *name;
  }

  llvm::SmallVector<int64_t> dimensions;
  auto parse_dimension = [&]() { return parser.parseInteger(dimensions.emplace_back()); };
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_dimension) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parser.parseType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.getOrAddProperties<ReduceOp::Properties>().dimensions = parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  result.addTypes(type.getResults());

  mlir::Region& region = *result.addRegion();
  if (!inner) return ParseReducer(parser, inputs, region);
  // The ops of the body have the location of the reduce, which follows in the text.
  std::optional<mlir::Location> explicit_loc;
  if (parser.parseOptionalLocationSpecifier(explicit_loc)) return failure();
  if (explicit_loc) result.location = *explicit_loc;
  return BuildBody(parser, inner_loc, *inner, result.location, type, region);
}

void PrintReduce(OpAsmPrinter& printer, ReduceOp op) {
  printer << '(';
  llvm::interleave(
      llvm::zip(op.getInputs(), op.getInitValues()), printer,
      [&](auto pair) { printer << std::get<0>(pair) << " init: " << std::get<1>(pair); }, "), (");
  printer << ')';
  Operation* inner = CompactBody(op);
  if (inner) printer << " applies " << inner->getName().getStringRef();
  printer << " across dimensions = [";
  llvm::interleaveComma(op.getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict(op->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(op->getOperandTypes(), op->getResultTypes());
  if (inner) return;
  printer.printNewline();
  printer << " reducer";
  mlir::Block& block = op.getBody().front();
  unsigned half = block.getNumArguments() / 2;
  for (unsigned i = 0; i < half; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + half));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

}  // namespace opbyop::stablehlo
