// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads lists in bytecode: a count, then the elements. MLIR's own helpers reserve memory for the count before they look
// at the bytes, so a damaged count ends the process. These functions fail where the bytes end.
//
//   SmallVector<int64_t> shape;
//   if (failed(ReadIntegers(reader, shape))) return {};
#ifndef OPBYOP_IR_VHLO_READ_LIST_H_
#define OPBYOP_IR_VHLO_READ_LIST_H_

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::vhlo {

// `read_element` has the type LogicalResult(T&).
template <typename T, typename ReadElement>
mlir::LogicalResult ReadList(mlir::DialectBytecodeReader& reader, llvm::SmallVectorImpl<T>& list,
                             ReadElement read_element) {
  uint64_t size = 0;
  if (failed(reader.readVarInt(size))) return mlir::failure();
  for (uint64_t i = 0; i < size; ++i) {
    T element = {};
    if (failed(read_element(element))) return mlir::failure();
    list.push_back(std::move(element));
  }
  return mlir::success();
}

inline mlir::LogicalResult ReadIntegers(mlir::DialectBytecodeReader& reader, llvm::SmallVectorImpl<int64_t>& list) {
  return ReadList(reader, list, [&](int64_t& value) { return reader.readSignedVarInt(value); });
}

inline mlir::LogicalResult ReadTypes(mlir::DialectBytecodeReader& reader, llvm::SmallVectorImpl<mlir::Type>& list) {
  return ReadList(reader, list, [&](mlir::Type& type) { return reader.readType(type); });
}

inline mlir::LogicalResult ReadAttributes(mlir::DialectBytecodeReader& reader,
                                          llvm::SmallVectorImpl<mlir::Attribute>& list) {
  return ReadList(reader, list, [&](mlir::Attribute& value) { return reader.readAttribute(value); });
}

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_READ_LIST_H_
