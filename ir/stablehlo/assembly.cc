// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assembly directives for operands and attributes.
#include "ir/stablehlo/assembly.h"

namespace opbyop::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::DenseI64ArrayAttr;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::success;

ParseResult ParseDims(AsmParser& parser, llvm::SmallVectorImpl<int64_t>& dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&]() { return parser.parseInteger(dims.emplace_back()); });
}

void PrintDims(AsmPrinter& printer, llvm::ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

ParseResult parseVariadicOperandWithAttribute(OpAsmParser& parser, Operands& operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) return success();
    if (failed(*parsed) || parser.parseComma()) return failure();
    operands.push_back(operand);
  }
}

void printVariadicOperandWithAttribute(OpAsmPrinter& printer, Operation*, mlir::OperandRange operands) {
  llvm::interleave(operands, printer, [&](mlir::Value operand) { printer << operand << ','; }, " ");
}

ParseResult parseSliceRanges(OpAsmParser& parser, DenseI64ArrayAttr& starts, DenseI64ArrayAttr& limits,
                             DenseI64ArrayAttr& strides) {
  llvm::SmallVector<int64_t> start, limit, stride;
  auto parse_range = [&]() -> ParseResult {
    stride.push_back(1);
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() || parser.parseInteger(limit.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalColon())) return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_range)) return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter& printer, Operation*, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
                        [&](auto range) {
                          auto [start, limit, stride] = range;
                          printer << start << ':' << limit;
                          if (stride != 1) printer << ':' << stride;
                        });
  printer << ']';
}

ParseResult parseDotDimensionNumbers(OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  llvm::SmallVector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  auto parse_pair = [&](auto& lhs, auto& rhs) -> ParseResult {
    return failure(parser.parseEqual() || ParseDims(parser, lhs) || parser.parseKeyword("x") || ParseDims(parser, rhs));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parse_pair(lhs_batch, rhs_batch) || parser.parseComma()) return failure();
  if (parser.parseKeyword("contracting_dims") || parse_pair(lhs_contract, rhs_contract)) return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhs_batch, rhs_batch, lhs_contract, rhs_contract);
  return success();
}

void printDotDimensionNumbers(OpAsmPrinter& printer, Operation*, DotDimensionNumbersAttr numbers) {
  auto print_pair = [&](llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs) {
    PrintDims(printer, lhs);
    printer << " x ";
    PrintDims(printer, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    print_pair(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  print_pair(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
}

namespace {

ParseResult ParsePrecisions(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  llvm::SmallVector<mlir::Attribute> values;
  auto parse_one = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    llvm::StringRef keyword;
    if (parser.parseKeyword(&keyword)) return failure();
    std::optional<Precision> value = symbolizePrecision(keyword);
    if (!value) return parser.emitError(loc) << "expected DEFAULT, HIGH or HIGHEST, found '" << keyword << "'";
    values.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse_one)) return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

}  // namespace

ParseResult parsePrecisionConfig(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  if (failed(parser.parseOptionalComma())) return success();
  return failure(parser.parseKeyword("precision") || ParsePrecisions(parser, precision));
}

void printPrecisionConfig(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precision) {
  if (!precision) return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](mlir::Attribute value) {
    if (auto known = llvm::dyn_cast<PrecisionAttr>(value))
      printer << stringifyPrecision(known.getValue());
    else
      printer << value;
  });
  printer << ']';
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser& parser, mlir::ArrayAttr& precision,
                                             DotAlgorithmAttr& algorithm) {
  if (failed(parser.parseOptionalComma())) return success();
  if (succeeded(parser.parseOptionalKeyword("precision"))) {
    if (ParsePrecisions(parser, precision)) return failure();
    if (failed(parser.parseOptionalComma())) return success();
  }
  if (parser.parseKeyword("algorithm") || parser.parseEqual()) return failure();
  algorithm = llvm::dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, mlir::Type()));
  return failure(!algorithm);
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter& printer, Operation* op, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm) return;
  printer << ", algorithm = ";
  algorithm.print(printer);
}

ParseResult parseExponentMantissa(OpAsmParser& parser, mlir::IntegerAttr& exponent_bits,
                                  mlir::IntegerAttr& mantissa_bits) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword)) return failure();
  int32_t exponent = 0, mantissa = 0;
  auto [left, right] = keyword.split('m');
  if (!left.consume_front("e") || left.getAsInteger(10, exponent) || right.getAsInteger(10, mantissa))
    return parser.emitError(loc) << "expected exponent mantissa in format e#m#, found '" << keyword << "'";
  exponent_bits = parser.getBuilder().getI32IntegerAttr(exponent);
  mantissa_bits = parser.getBuilder().getI32IntegerAttr(mantissa);
  return success();
}

void printExponentMantissa(OpAsmPrinter& printer, Operation*, mlir::IntegerAttr exponent_bits,
                           mlir::IntegerAttr mantissa_bits) {
  printer << 'e' << exponent_bits.getInt() << 'm' << mantissa_bits.getInt();
}

ParseResult parseCustomCallTarget(OpAsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(OpAsmPrinter& printer, Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

}  // namespace opbyop::stablehlo
