// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/vhlo_bytecode.h"

#include "ir/vhlo/read_attribute.h"
#include "ir/vhlo/read_type.h"
#include "ir/vhlo/wrapped.h"
#include "ir/vhlo/write_attribute.h"

namespace opbyop::vhlo {
namespace {

class VhloBytecode final : public mlir::BytecodeDialectInterface {
 public:
  explicit VhloBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}
  mlir::Attribute readAttribute(mlir::DialectBytecodeReader& reader) const final { return ReadAttribute(reader); }
  mlir::Type readType(mlir::DialectBytecodeReader& reader) const final { return ReadType(reader); }
  mlir::LogicalResult writeAttribute(mlir::Attribute attribute, mlir::DialectBytecodeWriter& writer) const final {
    auto wrapped = llvm::cast<WrappedAttr>(attribute);
    return WriteAttribute(writer, wrapped.inner(), wrapped.is_api_version());
  }
  mlir::LogicalResult writeType(mlir::Type type, mlir::DialectBytecodeWriter& writer) const final {
    return WriteType(writer, llvm::cast<WrappedType>(type).inner());
  }
};

}  // namespace

std::unique_ptr<mlir::BytecodeDialectInterface> MakeBytecodeInterface(mlir::Dialect* dialect) {
  return std::make_unique<VhloBytecode>(dialect);
}

}  // namespace opbyop::vhlo
