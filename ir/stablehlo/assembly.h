// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The custom directives of the ops' assembly formats, called by the generated parsers and printers in ops_*.cc. Each
// parse function reads the text that the print function of the same name writes.
#ifndef OPBYOP_IR_STABLEHLO_ASSEMBLY_H_
#define OPBYOP_IR_STABLEHLO_ASSEMBLY_H_

#include "ir/stablehlo/stablehlo.h"

namespace opbyop::stablehlo {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

// `T` if all types are equal, else `(T1, T2) -> T3`.
mlir::ParseResult ParseSameTypes(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> types);
void PrintSameTypes(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> types);

template <typename... T>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser, T&... types) {
  return ParseSameTypes(parser, {&types...});
}
template <typename... T>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, T... types) {
  PrintSameTypes(printer, {types...});
}

mlir::ParseResult parseVariadicSameOperandsAndResultType(mlir::OpAsmParser& parser,
                                                         llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands,
                                                         Types& types, mlir::Type& result);
void printVariadicSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::OperandRange,
                                            mlir::TypeRange types, mlir::Type result);

// `T1, T2`: the results have the types of the operands.
mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser& parser, Types& operands, Types& results);
void printPairwiseOpType(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange operands,
                         mlir::TypeRange results);

// The complex result type; the operands are its real parts.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser& parser, mlir::Type& lhs, mlir::Type& rhs, mlir::Type& result);
void printComplexOpType(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Type lhs, mlir::Type rhs,
                        mlir::Type result);

// `pred, value`.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser& parser, mlir::Type& pred, mlir::Type& on_true,
                                    mlir::Type& on_false, mlir::Type& result);
void printSelectOpType(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Type pred, mlir::Type on_true,
                       mlir::Type on_false, mlir::Type result);

// `tuple<T1, T2>`: the operands are its elements.
mlir::ParseResult parseTupleOpType(mlir::OpAsmParser& parser, Types& operands, mlir::Type& result);
void printTupleOpType(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange operands, mlir::Type result);

// `%a, %b,`: each operand with a comma, for an attribute follows.
mlir::ParseResult parseVariadicOperandWithAttribute(mlir::OpAsmParser& parser, Operands& operands);
void printVariadicOperandWithAttribute(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::OperandRange operands);

// `[start:limit, start:limit:stride]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& starts,
                                   mlir::DenseI64ArrayAttr& limits, mlir::DenseI64ArrayAttr& strides);
void printSliceRanges(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser& parser, ConvDimensionNumbersAttr& numbers);
void printConvolutionDimensions(mlir::AsmPrinter& printer, ConvDimensionNumbersAttr numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter& printer, mlir::Operation*, ConvDimensionNumbersAttr numbers);

// `stride = [1], pad = [[0, 0]], lhs_dilate = .., rhs_dilate = .., reverse = ..`.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                        mlir::DenseIntElementsAttr& padding, mlir::DenseI64ArrayAttr& lhs_dilation,
                                        mlir::DenseI64ArrayAttr& rhs_dilation, mlir::DenseBoolArrayAttr& reversal);
void printWindowAttributes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhs_dilation,
                           mlir::DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal);

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
mlir::ParseResult parseDotDimensionNumbers(mlir::OpAsmParser& parser, DotDimensionNumbersAttr& numbers);
void printDotDimensionNumbers(mlir::OpAsmPrinter& printer, mlir::Operation*, DotDimensionNumbersAttr numbers);

// `, precision = [DEFAULT, HIGH]`, `, algorithm = <..>`; both optional.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser& parser, mlir::ArrayAttr& precision);
void printPrecisionConfig(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::ArrayAttr precision);
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser& parser, mlir::ArrayAttr& precision,
                                                   DotAlgorithmAttr& algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

// `e5m10`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser& parser, mlir::IntegerAttr& exponent_bits,
                                        mlir::IntegerAttr& mantissa_bits);
void printExponentMantissa(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::IntegerAttr exponent_bits,
                           mlir::IntegerAttr mantissa_bits);

// A string attribute spelled as a symbol: `@foo`, `@"a b"`.
mlir::ParseResult parseCustomCallTarget(mlir::OpAsmParser& parser, mlir::StringAttr& target);
void printCustomCallTarget(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::StringAttr target);

// `[<name = "x", size = 2>]`, or with the full name of each attribute: `[#stablehlo.mesh_axis<name = "x", size = 2>]`.
mlir::ParseResult parseMeshAxes(mlir::AsmParser& parser, mlir::ArrayAttr& axes);
void printMeshAxes(mlir::AsmPrinter& printer, mlir::ArrayAttr axes);

// `[1, 2]`.
mlir::ParseResult ParseDims(mlir::AsmParser& parser, llvm::SmallVectorImpl<int64_t>& dims);
void PrintDims(mlir::AsmPrinter& printer, llvm::ArrayRef<int64_t> dims);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_ASSEMBLY_H_
