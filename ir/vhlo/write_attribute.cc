// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/write_attribute.h"

#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/codes.h"
#include "ir/vhlo/wrapped.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {
namespace {

using mlir::Attribute;
using mlir::DialectBytecodeWriter;

// Writes an enumeration: its code and its number.
template <typename T>
auto Enum(DialectBytecodeWriter& writer, uint64_t code) {
  return [&writer, code](T attribute) {
    writer.writeVarInt(code);
    writer.writeVarInt(static_cast<uint64_t>(attribute.getValue()));
    return mlir::success();
  };
}

// Writes all other attributes: the code, then the parts in order.
struct Parts {
  DialectBytecodeWriter& writer;

  mlir::LogicalResult operator()(mlir::IntegerAttr attribute) const {
    if (attribute.getType().isInteger(1)) {
      writer.writeVarInt(AttributeCode::kBool);
      writer.writeVarInt(attribute.getValue().getBoolValue() ? 1 : 0);
      return mlir::success();
    }
    writer.writeVarInt(AttributeCode::kInteger);
    WriteInner(writer, attribute.getType());
    writer.writeAPIntWithKnownWidth(attribute.getValue());
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::FloatAttr attribute) const {
    writer.writeVarInt(AttributeCode::kFloat);
    WriteInner(writer, attribute.getType());
    writer.writeAPFloatWithKnownSemantics(attribute.getValue());
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::StringAttr attribute) const {
    writer.writeVarInt(AttributeCode::kString);
    writer.writeOwnedString(attribute.getValue());
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::ArrayAttr attribute) const {
    writer.writeVarInt(AttributeCode::kArray);
    writer.writeList(attribute.getValue(), [&](Attribute element) { WriteInner(writer, element); });
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::DictionaryAttr attribute) const {
    writer.writeVarInt(AttributeCode::kDictionary);
    writer.writeList(attribute.getValue(), [&](mlir::NamedAttribute entry) {
      WriteInner(writer, Attribute(entry.getName()));
      WriteInner(writer, entry.getValue());
    });
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::DenseElementsAttr attribute) const {
    writer.writeVarInt(AttributeCode::kTensor);
    WriteInner(writer, mlir::Type(attribute.getType()));
    writer.writeOwnedBlob(attribute.getRawData());
    return mlir::success();
  }
  mlir::LogicalResult operator()(mlir::TypeAttr attribute) const {
    writer.writeVarInt(AttributeCode::kType);
    WriteInner(writer, attribute.getValue());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::OutputOperandAliasAttr attribute) const {
    writer.writeVarInt(AttributeCode::kOutputOperandAlias);
    writer.writeSignedVarInts(attribute.getOutputTupleIndices());
    writer.writeSignedVarInt(attribute.getOperandIndex());
    writer.writeSignedVarInts(attribute.getOperandTupleIndices());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::TypeExtensionsAttr attribute) const {
    writer.writeVarInt(AttributeCode::kTypeExtensions);
    writer.writeSignedVarInts(attribute.getBounds());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::ResultAccuracyAttr attribute) const {
    writer.writeVarInt(AttributeCode::kResultAccuracy);
    writer.writeAPFloatWithKnownSemantics(attribute.getAtol());
    writer.writeAPFloatWithKnownSemantics(attribute.getRtol());
    writer.writeSignedVarInt(attribute.getUlps());
    WriteInner(writer, Attribute(attribute.getMode()));
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::SubAxisInfoAttr attribute) const {
    writer.writeVarInt(AttributeCode::kSubAxisInfo);
    writer.writeSignedVarInt(attribute.getPreSize());
    writer.writeSignedVarInt(attribute.getSize());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::AxisRefAttr attribute) const {
    writer.writeVarInt(AttributeCode::kAxisRef);
    WriteInner(writer, Attribute(attribute.getName()));
    WriteOptional(attribute.getSubAxisInfo());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::ReplicaGroupMeshAxesAttr attribute) const {
    writer.writeVarInt(AttributeCode::kReplicaGroupMeshAxes);
    auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(attribute.getMesh());
    WriteInner(writer, symbol ? Attribute(symbol.getAttr()) : attribute.getMesh());
    WriteInner(writer, Attribute(attribute.getAxes()));
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::MeshAxisAttr attribute) const {
    writer.writeVarInt(AttributeCode::kMeshAxis);
    WriteInner(writer, Attribute(attribute.getName()));
    writer.writeSignedVarInt(attribute.getSize());
    return mlir::success();
  }
  mlir::LogicalResult operator()(stablehlo::MeshAttr attribute) const {
    writer.writeVarInt(AttributeCode::kMesh);
    WriteInner(writer, Attribute(attribute.getAxes()));
    WriteOptional(attribute.getDeviceIds());
    return mlir::success();
  }

 private:
  void WriteOptional(Attribute value) const {
    writer.writeVarInt(value ? 1 : 0);
    if (value) WriteInner(writer, value);
  }
};

}  // namespace

mlir::LogicalResult WriteAttribute(DialectBytecodeWriter& writer, Attribute attribute, bool is_api_version) {
  if (is_api_version) {
    writer.writeVarInt(AttributeCode::kApiVersion);
    writer.writeVarInt(llvm::cast<mlir::IntegerAttr>(attribute).getInt());
    return mlir::success();
  }
  Parts parts{writer};
  return llvm::TypeSwitch<Attribute, mlir::LogicalResult>(attribute)
      .Case<mlir::IntegerAttr>(parts)
      .Case<mlir::FloatAttr>(parts)
      .Case<mlir::StringAttr>(parts)
      .Case<mlir::ArrayAttr>(parts)
      .Case<mlir::DictionaryAttr>(parts)
      .Case<mlir::DenseElementsAttr>(parts)
      .Case<mlir::TypeAttr>(parts)
      .Case<stablehlo::OutputOperandAliasAttr>(parts)
      .Case<stablehlo::TypeExtensionsAttr>(parts)
      .Case<stablehlo::ResultAccuracyAttr>(parts)
      .Case<stablehlo::SubAxisInfoAttr>(parts)
      .Case<stablehlo::AxisRefAttr>(parts)
      .Case<stablehlo::ReplicaGroupMeshAxesAttr>(parts)
      .Case<stablehlo::MeshAxisAttr>(parts)
      .Case<stablehlo::MeshAttr>(parts)
      .Case(Enum<stablehlo::ComparisonDirectionAttr>(writer, AttributeCode::kComparisonDirection))
      .Case(Enum<stablehlo::ComparisonTypeAttr>(writer, AttributeCode::kComparisonType))
      .Case(Enum<stablehlo::FftTypeAttr>(writer, AttributeCode::kFftType))
      .Case(Enum<stablehlo::PrecisionAttr>(writer, AttributeCode::kPrecision))
      .Case(Enum<stablehlo::RngAlgorithmAttr>(writer, AttributeCode::kRngAlgorithm))
      .Case(Enum<stablehlo::RngDistributionAttr>(writer, AttributeCode::kRngDistribution))
      .Case(Enum<stablehlo::TransposeAttr>(writer, AttributeCode::kTranspose))
      .Case(Enum<stablehlo::ResultAccuracyModeAttr>(writer, AttributeCode::kResultAccuracyMode))
      .Default(mlir::failure());
}

}  // namespace opbyop::vhlo
