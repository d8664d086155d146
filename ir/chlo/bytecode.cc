// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Encodes the attributes of CHLO in MLIR bytecode. Two of them have a code; the others are written as text.
#include "ir/bytecode/bytecode_fields.h"
#include "ir/chlo/chlo.h"

namespace opbyop::chlo {
namespace {

using mlir::Attribute;

enum Code : uint64_t { kComparisonDirection = 0, kComparisonType = 1 };

class ChloBytecode final : public mlir::BytecodeDialectInterface {
 public:
  explicit ChloBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(mlir::DialectBytecodeReader& reader) const final {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    BytecodeFields fields{reader};
    Attribute attribute;
    if (code == kComparisonDirection) {
      attribute = ComparisonDirectionAttr::get(getContext(),
                                               fields.OneOf(&symbolizeComparisonDirection, "comparison direction"));
    } else if (code == kComparisonType) {
      attribute = ComparisonTypeAttr::get(getContext(), fields.OneOf(&symbolizeComparisonType, "comparison type"));
    } else {
      reader.emitError() << "chlo attribute code " << code << " is not one this reader knows";
    }
    return fields.ok ? attribute : Attribute();
  }

  mlir::LogicalResult writeAttribute(Attribute attribute, mlir::DialectBytecodeWriter& writer) const final {
    if (auto direction = mlir::dyn_cast<ComparisonDirectionAttr>(attribute)) {
      writer.writeVarInt(kComparisonDirection);
      writer.writeVarInt(static_cast<uint64_t>(direction.getValue()));
      return mlir::success();
    }
    auto type = mlir::dyn_cast<ComparisonTypeAttr>(attribute);
    if (!type) return mlir::failure();
    writer.writeVarInt(kComparisonType);
    writer.writeVarInt(static_cast<uint64_t>(type.getValue()));
    return mlir::success();
  }
};

}  // namespace

void ChloDialect::RegisterBytecode() { addInterfaces<ChloBytecode>(); }

}  // namespace opbyop::chlo
