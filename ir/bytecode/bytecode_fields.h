// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the fields of an attribute or type in MLIR bytecode. If a field cannot be read, `ok` becomes false and all
// further fields are empty, so that a caller checks only once.
//
//   BytecodeFields fields{reader};
//   const int64_t handle = fields.Int(), type = fields.Int();
//   return fields.ok ? ChannelHandleAttr::get(context, handle, type) : ChannelHandleAttr();
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_FIELDS_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_FIELDS_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop {

struct BytecodeFields {
  mlir::DialectBytecodeReader& reader;
  bool ok = true;

  // Reads the next attribute, which must be of kind T. Returns a null attribute after any error.
  template <typename T = mlir::Attribute>
  T Attr() {
    T attribute;
    ok = ok && succeeded(reader.readAttribute(attribute));
    return attribute;
  }
  template <typename T>
  T OptionalAttr() {
    T attribute;
    ok = ok && succeeded(reader.readOptionalAttribute(attribute));
    return attribute;
  }
  template <typename T = mlir::Attribute>
  llvm::SmallVector<T> Attrs() {
    llvm::SmallVector<T> list;
    ok = ok && succeeded(reader.readAttributes(list));
    return list;
  }
  mlir::Type Type() {
    mlir::Type type;
    ok = ok && succeeded(reader.readType(type));
    return type;
  }
  llvm::SmallVector<mlir::Type> Types() {
    llvm::SmallVector<mlir::Type> list;
    ok = ok && succeeded(reader.readTypes(list));
    return list;
  }
  llvm::SmallVector<int64_t> Ints() {
    llvm::SmallVector<int64_t> list;
    ok = ok && succeeded(reader.readSignedVarInts(list));
    return list;
  }
  int64_t Int() {
    int64_t value = 0;
    ok = ok && succeeded(reader.readSignedVarInt(value));
    return value;
  }
  bool Bool() {
    bool value = false;
    ok = ok && succeeded(reader.readBool(value));
    return value;
  }
  llvm::StringRef Text() {
    llvm::StringRef text;
    ok = ok && succeeded(reader.readString(text));
    return text;
  }
  std::optional<int64_t> OptionalInt() {
    uint64_t value = 0;
    bool is_there = false;
    ok = ok && succeeded(reader.readVarIntWithFlag(value, is_there));
    return is_there ? std::optional<int64_t>(value) : std::nullopt;
  }
  llvm::APFloat Double() {
    llvm::APFloat zero(0.0);
    if (!ok) return zero;
    mlir::FailureOr<llvm::APFloat> value = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    ok = succeeded(value);
    return ok ? *value : zero;
  }
  // Reads a number of an enumeration, which `symbolize` must know. Messages call the enumeration `what`.
  template <typename Enum>
  Enum OneOf(std::optional<Enum> (*symbolize)(uint32_t), llvm::StringRef what) {
    uint64_t number = 0;
    ok = ok && succeeded(reader.readVarInt(number));
    if (!ok) return Enum();
    const std::optional<Enum> named =
        number > std::numeric_limits<uint32_t>::max() ? std::nullopt : symbolize(static_cast<uint32_t>(number));
    if (!named) {
      reader.emitError() << "number " << number << " is no " << what << " that this reader knows";
      ok = false;
    }
    return named.value_or(Enum());
  }
};

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_FIELDS_H_
