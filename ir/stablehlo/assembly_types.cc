// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assembly directives for the types of an op's operands and results.
#include "ir/stablehlo/assembly.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using mlir::failure;
using mlir::FunctionType;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;

namespace {

// Assigns the types of a function type to the types of the operands and the only result.
ParseResult Assign(OpAsmParser& parser, llvm::SMLoc loc, FunctionType function, llvm::ArrayRef<Type*> types) {
  llvm::ArrayRef<Type> inputs = function.getInputs();
  if (inputs.size() != types.size() - 1)
    return parser.emitError(loc) << types.size() - 1 << " operands present, but expected " << inputs.size();
  if (function.getNumResults() != 1) return parser.emitError(loc, "expected single output");
  for (auto [type, input] : llvm::zip(types.drop_back(), inputs)) *type = input;
  *types.back() = function.getResult(0);
  return success();
}

}  // namespace

ParseResult ParseSameTypes(OpAsmParser& parser, llvm::ArrayRef<Type*> types) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (auto function = dyn_cast<FunctionType>(type)) return Assign(parser, loc, function, types);
  for (Type* target : types) *target = type;
  return success();
}

void PrintSameTypes(OpAsmPrinter& printer, llvm::ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.front();
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser& parser,
                                                   llvm::ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                                   Types& types, Type& result) {
  types.resize(operands.size());
  llvm::SmallVector<Type*> targets;
  for (Type& type : types) targets.push_back(&type);
  targets.push_back(&result);
  return ParseSameTypes(parser, targets);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter& printer, Operation*, mlir::OperandRange,
                                            mlir::TypeRange types, Type result) {
  llvm::SmallVector<Type> all(types);
  all.push_back(result);
  PrintSameTypes(printer, all);
}

ParseResult parsePairwiseOpType(OpAsmParser& parser, Types& operands, Types& results) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands)) return parser.emitError(loc, "expected type list");
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange operands, mlir::TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseComplexOpType(OpAsmParser& parser, Type& lhs, Type& rhs, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (auto function = dyn_cast<FunctionType>(type)) return Assign(parser, loc, function, {&lhs, &rhs, &result});
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !llvm::isa<mlir::ComplexType>(tensor.getElementType()))
    return parser.emitError(loc, "expected tensor with complex element type");
  lhs = rhs = RealPart(tensor);
  result = type;
  return success();
}

void printComplexOpType(OpAsmPrinter& printer, Operation*, Type lhs, Type rhs, Type result) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(result);
  if (tensor && lhs == rhs && lhs == RealPart(tensor))
    printer << result;
  else
    printer.printFunctionalType(mlir::TypeRange{lhs, rhs}, mlir::TypeRange{result});
}

ParseResult parseSelectOpType(OpAsmParser& parser, Type& pred, Type& on_true, Type& on_false, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::SmallVector<Type> types;
  if (parser.parseTypeList(types)) return failure();
  if (types.size() == 1) {
    if (auto function = dyn_cast<FunctionType>(types.front()))
      return Assign(parser, loc, function, {&pred, &on_true, &on_false, &result});
  }
  if (types.size() != 2) return parser.emitError(loc, "expected functional type or list of two types");
  pred = types[0];
  on_true = on_false = result = types[1];
  return success();
}

void printSelectOpType(OpAsmPrinter& printer, Operation*, Type pred, Type on_true, Type on_false, Type result) {
  if (on_true == on_false && on_true == result)
    printer << pred << ", " << on_true;
  else
    printer.printFunctionalType(mlir::TypeRange{pred, on_true, on_false}, mlir::TypeRange{result});
}

ParseResult parseTupleOpType(OpAsmParser& parser, Types& operands, Type& result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  auto tuple = dyn_cast<mlir::TupleType>(result);
  if (!tuple) return parser.emitError(loc, "expected tuple type");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange, Type result) { printer << result; }

}  // namespace opbyop::stablehlo
