// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wrappers that mark attributes and types to be written in VHLO's encoding.
//
//   op->setAttr("dimension", WrappedAttr::get(value));  // bytecode: integer_v1<.. : si64>, not builtin's integer
//
// In bytecode the dialect of an attribute or type chooses its encoding. An artifact contains builtin ones (of the
// module, of locations) and versioned ones. A wrapped attribute or type is encoded by the vhlo dialect, with vhlo's
// codes.
#ifndef OPBYOP_IR_VHLO_WRAPPED_H_
#define OPBYOP_IR_VHLO_WRAPPED_H_

#include <utility>

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AttributeSupport.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/TypeSupport.h"
#include "mlir/IR/Types.h"

namespace opbyop::vhlo {

namespace detail {

struct WrappedAttrStorage : mlir::AttributeStorage {
  using KeyTy = std::pair<mlir::Attribute, unsigned>;
  explicit WrappedAttrStorage(const KeyTy& key) : key(key) {}
  bool operator==(const KeyTy& other) const { return key == other; }
  static WrappedAttrStorage* construct(mlir::AttributeStorageAllocator& allocator, const KeyTy& key) {
    return new (allocator.allocate<WrappedAttrStorage>()) WrappedAttrStorage(key);
  }
  KeyTy key;
};

struct WrappedTypeStorage : mlir::TypeStorage {
  using KeyTy = mlir::Type;
  explicit WrappedTypeStorage(KeyTy key) : key(key) {}
  bool operator==(const KeyTy& other) const { return key == other; }
  static WrappedTypeStorage* construct(mlir::TypeStorageAllocator& allocator, const KeyTy& key) {
    return new (allocator.allocate<WrappedTypeStorage>()) WrappedTypeStorage(key);
  }
  KeyTy key;
};

}  // namespace detail

class WrappedAttr : public mlir::Attribute::AttrBase<WrappedAttr, mlir::Attribute, detail::WrappedAttrStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.wrapped";

  // The api_version of a custom call is an integer in StableHLO and an enumeration in VHLO.
  static WrappedAttr get(mlir::Attribute inner, bool is_api_version = false);
  mlir::Attribute inner() const;
  bool is_api_version() const;
};

class WrappedType : public mlir::Type::TypeBase<WrappedType, mlir::Type, detail::WrappedTypeStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.wrapped_type";

  static WrappedType get(mlir::Type inner);
  mlir::Type inner() const;
};

inline void WriteInner(mlir::DialectBytecodeWriter& writer, mlir::Attribute inner) {
  writer.writeAttribute(WrappedAttr::get(inner));
}
inline void WriteInner(mlir::DialectBytecodeWriter& writer, mlir::Type inner) {
  writer.writeType(WrappedType::get(inner));
}

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_WRAPPED_H_
