#include "ir/vhlo/read_type.h"

#include <string>

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

// Codes of the types that have no parts are mapped by ElementType; these have parts.
enum Code : uint64_t {
  kComplex = 1,
  kFunction = 8,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kQuantized = 24,
  kUnrankedTensor = 25,
  kWitness = 26,
  kQuantizedPerAxis = 30,
  kBuffer = 41,
  kFuture = 42,
};

// VHLO's signed integers are StableHLO's signless ones.
Type ElementType(uint64_t code, mlir::MLIRContext* context) {
  mlir::Builder b(context);
  auto ui = [&](unsigned width) { return b.getIntegerType(width, /*isSigned=*/false); };
  switch (code) {
    case 0:
      return b.getI1Type();
    case 2:
      return b.getBF16Type();
    case 3:
      return b.getF16Type();
    case 4:
      return b.getF32Type();
    case 5:
      return b.getF64Type();
    case 6:
      return mlir::Float8E4M3FNType::get(context);
    case 7:
      return mlir::Float8E5M2Type::get(context);
    case 9:
      return b.getIndexType();
    case 10:
      return b.getIntegerType(4);
    case 11:
      return b.getIntegerType(8);
    case 12:
      return b.getIntegerType(16);
    case 13:
      return b.getIntegerType(32);
    case 14:
      return b.getIntegerType(64);
    case 15:
      return ui(4);
    case 16:
      return ui(8);
    case 17:
      return ui(16);
    case 18:
      return ui(32);
    case 19:
      return ui(64);
    case 27:
      return mlir::Float8E4M3FNUZType::get(context);
    case 28:
      return mlir::Float8E5M2FNUZType::get(context);
    case 29:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case 31:
      return b.getIntegerType(2);
    case 32:
      return ui(2);
    case 33:
      return b.getNoneType();
    case 34:
      return b.getTF32Type();
    case 35:
      return mlir::Float8E4M3Type::get(context);
    case 36:
      return mlir::Float8E3M4Type::get(context);
    case 37:
      return mlir::Float4E2M1FNType::get(context);
    case 38:
      return mlir::Float6E2M3FNType::get(context);
    case 39:
      return mlir::Float6E3M2FNType::get(context);
    case 40:
      return mlir::Float8E8M0FNUType::get(context);
    default:
      return {};
  }
}

// A type of this project's own dialects is built from its text, the one stable interface to it.
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
  if (failed(ReadTypes(reader, types))) return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "!stablehlo.future<";
  llvm::interleaveComma(types, os);
  os << ">";
  return ParseType(reader, text);
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
  int64_t axis = 0, min = 0, max = 0;
  SmallVector<double> scales;
  SmallVector<int64_t> zero_points;
  auto read_double = [&](double& value) -> mlir::LogicalResult {
    auto read = ReadDouble(reader);
    if (succeeded(read)) value = *read;
    return read;
  };
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) || failed(reader.readType(expressed)) ||
      failed(reader.readSignedVarInt(axis)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max)) || failed(ReadList(reader, scales, read_double)) ||
      failed(ReadIntegers(reader, zero_points))) {
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
    case kComplex: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
    }
    case kFunction: {
      SmallVector<Type> inputs, results;
      if (failed(ReadTypes(reader, inputs)) || failed(ReadTypes(reader, results))) return {};
      return mlir::FunctionType::get(reader.getContext(), inputs, results);
    }
    case kRankedTensor:
      return ReadTensor(reader, /*has_encoding=*/false);
    case kRankedTensorWithEncoding:
      return ReadTensor(reader, /*has_encoding=*/true);
    case kToken:
      return ParseType(reader, "!stablehlo.token");
    case kTuple: {
      SmallVector<Type> types;
      if (failed(ReadTypes(reader, types))) return {};
      return mlir::TupleType::get(reader.getContext(), types);
    }
    case kQuantized:
      return ReadQuantized(reader);
    case kUnrankedTensor: {
      Type element;
      if (failed(reader.readType(element))) return {};
      return mlir::UnrankedTensorType::getChecked([&] { return reader.emitError(); }, element);
    }
    case kWitness:
      reader.emitError() << "type code 26 (a shape witness) has no StableHLO counterpart";
      return {};
    case kQuantizedPerAxis:
      return ReadQuantizedPerAxis(reader);
    case kBuffer:
      return ReadBuffer(reader);
    case kFuture:
      return ReadFuture(reader);
    default:
      break;
  }
  Type type = ElementType(code, reader.getContext());
  if (!type) reader.emitError() << "unknown vhlo type code " << code;
  return type;
}

}  // namespace opbyop::vhlo
