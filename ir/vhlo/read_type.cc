// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/read_type.h"

#include <string>

#include "ir/vhlo/attribute_texts.h"
#include "ir/vhlo/codes.h"
#include "ir/vhlo/element_types.h"
#include "ir/vhlo/read_list.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

namespace opbyop::vhlo {
namespace {

using llvm::SmallVector;
using mlir::DialectBytecodeReader;
using mlir::Type;

// Builds a type of this project's dialects from its text, which is the only stable interface to it.
Type ParseType(DialectBytecodeReader& reader, const std::string& text) {
  Type type = mlir::parseType(text, reader.getContext());
  if (!type) reader.emitError() << "type " << text << " is not one this reader knows";
  return type;
}

Type ReadTensor(DialectBytecodeReader& reader, bool has_encoding) {
  mlir::Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if (has_encoding && failed(reader.readAttribute(encoding))) return {};
  if (failed(ReadIntegers(reader, shape)) || failed(reader.readType(element))) return {};
  return mlir::RankedTensorType::getChecked([&] { return reader.emitError(); }, shape, element, encoding);
}

Type ReadBuffer(DialectBytecodeReader& reader) {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(ReadIntegers(reader, shape)) || failed(reader.readType(element))) return {};
  return mlir::MemRefType::getChecked([&] { return reader.emitError(); }, shape, element,
                                      mlir::MemRefLayoutAttrInterface(), mlir::Attribute());
}

Type ReadFuture(DialectBytecodeReader& reader) {
  SmallVector<Type> types;
  return failed(ReadTypes(reader, types)) ? Type() : ParseType(reader, FutureText(types));
}

mlir::FailureOr<double> ReadDouble(DialectBytecodeReader& reader) {
  auto value = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(value)) return mlir::failure();
  return value->convertToDouble();
}

Type ReadQuantized(DialectBytecodeReader& reader) {
  uint64_t flags = 0;
  Type storage, expressed;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) || failed(reader.readType(expressed))) {
    return {};
  }
  auto scale = ReadDouble(reader);
  int64_t zero_point = 0, min = 0, max = 0;
  if (failed(scale) || failed(reader.readSignedVarInt(zero_point)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max))) {
    return {};
  }
  return mlir::quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); }, flags, storage, expressed,
                                                       *scale, zero_point, min, max);
}

Type ReadQuantizedPerAxis(DialectBytecodeReader& reader) {
  uint64_t flags = 0;
  Type storage, expressed;
  uint64_t axis = 0;
  int64_t min = 0, max = 0;
  SmallVector<double> scales;
  SmallVector<int64_t> zero_points;
  auto read_double = [&](double& value) -> mlir::LogicalResult {
    auto read = ReadDouble(reader);
    if (succeeded(read)) value = *read;
    return read;
  };
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) || failed(reader.readType(expressed)) ||
      failed(reader.readVarInt(axis)) || failed(reader.readSignedVarInt(min)) || failed(reader.readSignedVarInt(max)) ||
      failed(ReadList(reader, scales, read_double)) || failed(ReadIntegers(reader, zero_points))) {
    return {};
  }
  return mlir::quant::UniformQuantizedPerAxisType::getChecked([&] { return reader.emitError(); }, flags, storage,
                                                              expressed, scales, zero_points, axis, min, max);
}

}  // namespace

Type ReadType(DialectBytecodeReader& reader) {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case TypeCode::kComplex: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
    }
    case TypeCode::kFunction: {
      SmallVector<Type> inputs, results;
      if (failed(ReadTypes(reader, inputs)) || failed(ReadTypes(reader, results))) return {};
      return mlir::FunctionType::get(reader.getContext(), inputs, results);
    }
    case TypeCode::kRankedTensor:
      return ReadTensor(reader, /*has_encoding=*/false);
    case TypeCode::kRankedTensorWithEncoding:
      return ReadTensor(reader, /*has_encoding=*/true);
    case TypeCode::kToken:
      return ParseType(reader, "!stablehlo.token");
    case TypeCode::kTuple: {
      SmallVector<Type> types;
      if (failed(ReadTypes(reader, types))) return {};
      return mlir::TupleType::get(reader.getContext(), types);
    }
    case TypeCode::kQuantized:
      return ReadQuantized(reader);
    case TypeCode::kUnrankedTensor: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::UnrankedTensorType::getChecked([&] { return reader.emitError(); }, element);
    }
    case TypeCode::kWitness:
      reader.emitError() << "type code 26 (a shape witness) has no StableHLO counterpart";
      return {};
    case TypeCode::kQuantizedPerAxis:
      return ReadQuantizedPerAxis(reader);
    case TypeCode::kBuffer:
      return ReadBuffer(reader);
    case TypeCode::kFuture:
      return ReadFuture(reader);
    default:
      break;
  }
  Type type = ElementTypeOf(code, reader.getContext());
  if (!type) reader.emitError() << "unknown vhlo type code " << code;
  return type;
}

}  // namespace opbyop::vhlo
