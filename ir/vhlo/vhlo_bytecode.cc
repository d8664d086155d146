#include "ir/vhlo/vhlo_bytecode.h"

#include "ir/vhlo/read_attribute.h"
#include "ir/vhlo/read_type.h"

namespace opbyop::vhlo {
namespace {

class VhloBytecode final : public mlir::BytecodeDialectInterface {
 public:
  explicit VhloBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}
  mlir::Attribute readAttribute(mlir::DialectBytecodeReader& reader) const final { return ReadAttribute(reader); }
  mlir::Type readType(mlir::DialectBytecodeReader& reader) const final { return ReadType(reader); }
};

}  // namespace

std::unique_ptr<mlir::BytecodeDialectInterface> MakeBytecodeInterface(mlir::Dialect* dialect) {
  return std::make_unique<VhloBytecode>(dialect);
}

}  // namespace opbyop::vhlo
