// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/codes.h"
#include "ir/vhlo/element_types.h"
#include "ir/vhlo/wrapped.h"
#include "ir/vhlo/write_attribute.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using mlir::DialectBytecodeWriter;
using mlir::Type;

void WriteTypes(DialectBytecodeWriter& writer, llvm::ArrayRef<Type> types) {
  writer.writeList(types, [&](Type type) { WriteInner(writer, type); });
}

void WriteTensor(DialectBytecodeWriter& writer, mlir::RankedTensorType type) {
  mlir::Attribute encoding = type.getEncoding();
  writer.writeVarInt(encoding ? TypeCode::kRankedTensorWithEncoding : TypeCode::kRankedTensor);
  if (encoding) writer.writeAttribute(WrappedAttr::get(encoding));
  writer.writeSignedVarInts(type.getShape());
  WriteInner(writer, type.getElementType());
}

void WriteQuantized(DialectBytecodeWriter& writer, mlir::quant::UniformQuantizedType type) {
  writer.writeVarInt(TypeCode::kQuantized);
  writer.writeVarInt(type.getFlags());
  WriteInner(writer, type.getStorageType());
  WriteInner(writer, type.getExpressedType());
  writer.writeAPFloatWithKnownSemantics(llvm::APFloat(type.getScale()));
  writer.writeSignedVarInt(type.getZeroPoint());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
}

void WriteQuantized(DialectBytecodeWriter& writer, mlir::quant::UniformQuantizedPerAxisType type) {
  writer.writeVarInt(TypeCode::kQuantizedPerAxis);
  writer.writeVarInt(type.getFlags());
  WriteInner(writer, type.getStorageType());
  WriteInner(writer, type.getExpressedType());
  writer.writeVarInt(type.getQuantizedDimension());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
  writer.writeList(type.getScales(),
                   [&](double scale) { writer.writeAPFloatWithKnownSemantics(llvm::APFloat(scale)); });
  writer.writeSignedVarInts(type.getZeroPoints());
}

}  // namespace

mlir::LogicalResult WriteType(DialectBytecodeWriter& writer, Type type) {
  if (const ElementType* row = FindElementType(type)) {
    writer.writeVarInt(row->code);
    return mlir::success();
  }
  bool is_known = true;
  llvm::TypeSwitch<Type>(type)
      .Case([&](mlir::ComplexType t) {
        writer.writeVarInt(TypeCode::kComplex);
        WriteInner(writer, t.getElementType());
      })
      .Case([&](mlir::FunctionType t) {
        writer.writeVarInt(TypeCode::kFunction);
        WriteTypes(writer, t.getInputs());
        WriteTypes(writer, t.getResults());
      })
      .Case([&](mlir::RankedTensorType t) { WriteTensor(writer, t); })
      .Case([&](mlir::UnrankedTensorType t) {
        writer.writeVarInt(TypeCode::kUnrankedTensor);
        WriteInner(writer, t.getElementType());
      })
      .Case([&](mlir::MemRefType t) {
        writer.writeVarInt(TypeCode::kBuffer);
        writer.writeSignedVarInts(t.getShape());
        WriteInner(writer, t.getElementType());
      })
      .Case([&](mlir::TupleType t) {
        writer.writeVarInt(TypeCode::kTuple);
        WriteTypes(writer, t.getTypes());
      })
      .Case([&](stablehlo::TokenType) { writer.writeVarInt(TypeCode::kToken); })
      .Case([&](stablehlo::FutureType t) {
        writer.writeVarInt(TypeCode::kFuture);
        WriteTypes(writer, t.getTypes());
      })
      .Case([&](mlir::quant::UniformQuantizedType t) { WriteQuantized(writer, t); })
      .Case([&](mlir::quant::UniformQuantizedPerAxisType t) { WriteQuantized(writer, t); })
      .Default([&](Type) { is_known = false; });
  return mlir::success(is_known);
}

}  // namespace opbyop::vhlo
