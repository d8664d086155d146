// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/read_attribute.h"

#include <string>

#include "ir/vhlo/attribute_texts.h"
#include "ir/vhlo/codes.h"
#include "ir/vhlo/read_list.h"
#include "ir/vhlo/read_tensor.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::vhlo {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::failed;
using mlir::Type;

// Builds a StableHLO attribute from its text, which is the only stable interface to it.
Attribute Parse(DialectBytecodeReader& reader, const std::string& text) {
  Attribute attribute = mlir::parseAttribute(text, reader.getContext());
  if (!attribute) reader.emitError() << "attribute " << text << " is not one this reader knows";
  return attribute;
}

// Reads the number of an enumerator and returns, for example, `#stablehlo<comparison_direction EQ>`.
Attribute ReadEnum(DialectBytecodeReader& reader, StringRef format, ArrayRef<StringRef> enumerators) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value))) return {};
  if (value >= enumerators.size() || enumerators[value].empty()) {
    reader.emitError() << "value " << value << " is not an enumerator of " << format;
    return {};
  }
  auto [before, after] = format.split('?');
  return Parse(reader, (before + enumerators[value] + after).str());
}

Attribute ReadDictionary(DialectBytecodeReader& reader) {
  SmallVector<std::pair<mlir::StringAttr, Attribute>> entries;
  auto read_entry = [&](std::pair<mlir::StringAttr, Attribute>& entry) {
    return mlir::success(succeeded(reader.readAttribute(entry.first)) && succeeded(reader.readAttribute(entry.second)));
  };
  if (failed(ReadList(reader, entries, read_entry))) return {};
  mlir::NamedAttrList list;
  for (auto& [name, value] : entries) list.append(name, value);
  if (auto twice = list.findDuplicate()) {
    reader.emitError() << "a dictionary holds " << twice->getName() << " twice";
    return {};
  }
  return list.getDictionary(reader.getContext());
}

Attribute ReadFloat(DialectBytecodeReader& reader) {
  mlir::FloatType type;
  if (failed(reader.readType(type))) return {};
  auto value = reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  if (failed(value)) return {};
  return mlir::FloatAttr::get(type, *value);
}

Attribute ReadInteger(DialectBytecodeReader& reader) {
  Type type;
  if (failed(reader.readType(type))) return {};
  if (!type.isIntOrIndex()) {
    reader.emitError() << "an integer cannot be of type " << type;
    return {};
  }
  unsigned width = type.isIndex() ? mlir::IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  auto value = reader.readAPIntWithKnownWidth(width);
  if (failed(value)) return {};
  return mlir::IntegerAttr::get(type, *value);
}

Attribute ReadOutputOperandAlias(DialectBytecodeReader& reader) {
  SmallVector<int64_t> output, operand_tuple;
  int64_t operand = 0;
  if (failed(ReadIntegers(reader, output)) || failed(reader.readSignedVarInt(operand)) ||
      failed(ReadIntegers(reader, operand_tuple))) {
    return {};
  }
  return Parse(reader, OutputOperandAliasText(output, operand, operand_tuple));
}

Attribute ReadTensor(DialectBytecodeReader& reader) {
  mlir::ShapedType type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob))) return {};
  std::string error;
  mlir::DenseElementsAttr value = MakeTensor(type, blob, error);
  if (!value) reader.emitError() << error;
  return value;
}

Attribute ReadTypeExtensions(DialectBytecodeReader& reader) {
  SmallVector<int64_t> bounds;
  if (failed(ReadIntegers(reader, bounds))) return {};
  return Parse(reader, BoundsText(bounds));
}

Attribute ReadResultAccuracy(DialectBytecodeReader& reader) {
  auto atol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(atol)) return {};
  auto rtol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  int64_t ulps = 0;
  Attribute mode;
  if (failed(rtol) || failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode))) return {};
  const Type f64 = mlir::Float64Type::get(reader.getContext());
  return Parse(reader,
               ResultAccuracyText(mlir::FloatAttr::get(f64, *atol), mlir::FloatAttr::get(f64, *rtol), ulps, mode));
}

// Reads an attribute that may be absent: 0, or 1 and the attribute.
template <typename T>
mlir::LogicalResult ReadOptional(DialectBytecodeReader& reader, T& value) {
  uint64_t is_present = 0;
  if (failed(reader.readVarInt(is_present))) return mlir::failure();
  return is_present ? reader.readAttribute(value) : mlir::success();
}

// Reads the parts of `(1)2`, which only occurs in an axis reference.
Attribute ReadSubAxisInfo(DialectBytecodeReader& reader) {
  int64_t pre_size = 0, size = 0;
  if (failed(reader.readSignedVarInt(pre_size)) || failed(reader.readSignedVarInt(size))) return {};
  return mlir::DenseI64ArrayAttr::get(reader.getContext(), {pre_size, size});
}

Attribute ReadAxisRef(DialectBytecodeReader& reader) {
  mlir::StringAttr name;
  mlir::DenseI64ArrayAttr sub_axis;
  if (failed(reader.readAttribute(name)) || failed(ReadOptional(reader, sub_axis))) return {};
  return Parse(reader, AxisRefText(name, sub_axis));
}

Attribute ReadReplicaGroupMeshAxes(DialectBytecodeReader& reader) {
  Attribute mesh, axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes))) return {};
  return Parse(reader, ReplicaGroupMeshAxesText(mesh, axes));
}

Attribute ReadMeshAxis(DialectBytecodeReader& reader) {
  mlir::StringAttr name;
  int64_t size = 0;
  if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size))) return {};
  return Parse(reader, MeshAxisText(name, size));
}

Attribute ReadMesh(DialectBytecodeReader& reader) {
  Attribute axes, device_ids;
  if (failed(reader.readAttribute(axes)) || failed(ReadOptional(reader, device_ids))) return {};
  return Parse(reader, MeshText(axes, device_ids));
}

}  // namespace

Attribute ReadAttribute(DialectBytecodeReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case AttributeCode::kArray: {
      SmallVector<Attribute> elements;
      if (failed(ReadAttributes(reader, elements))) return {};
      return mlir::ArrayAttr::get(context, elements);
    }
    case AttributeCode::kBool: {
      uint64_t value = 0;
      if (failed(reader.readVarInt(value))) return {};
      return mlir::BoolAttr::get(context, value != 0);
    }
    case AttributeCode::kComparisonDirection:
      return ReadEnum(reader, "#stablehlo<comparison_direction ?>", {"EQ", "NE", "GE", "GT", "LE", "LT"});
    case AttributeCode::kComparisonType:
      return ReadEnum(reader, "#stablehlo<comparison_type ?>", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"});
    case AttributeCode::kApiVersion: {
      uint64_t value = 0;
      if (failed(reader.readVarInt(value))) return {};
      return mlir::Builder(context).getI32IntegerAttr(static_cast<int32_t>(value));
    }
    case AttributeCode::kDictionary:
      return ReadDictionary(reader);
    case AttributeCode::kFftType:
      return ReadEnum(reader, "#stablehlo<fft_type ?>", {"FFT", "IFFT", "RFFT", "IRFFT"});
    case AttributeCode::kFloat:
      return ReadFloat(reader);
    case AttributeCode::kInteger:
      return ReadInteger(reader);
    case AttributeCode::kOutputOperandAlias:
      return ReadOutputOperandAlias(reader);
    case AttributeCode::kPrecision:
      return ReadEnum(reader, "#stablehlo<precision ?>", {"DEFAULT", "HIGH", "HIGHEST"});
    case AttributeCode::kRngAlgorithm:
      return ReadEnum(reader, "#stablehlo<rng_algorithm ?>", {"DEFAULT", "THREE_FRY", "PHILOX"});
    case AttributeCode::kRngDistribution:
      return ReadEnum(reader, "#stablehlo<rng_distribution ?>", {"", "UNIFORM", "NORMAL"});
    case AttributeCode::kString: {
      StringRef value;
      if (failed(reader.readString(value))) return {};
      return mlir::StringAttr::get(context, value);
    }
    case AttributeCode::kTensor:
      return ReadTensor(reader);
    case AttributeCode::kTranspose:
      return ReadEnum(reader, "#stablehlo<transpose ?>", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
    case AttributeCode::kType: {
      Type type;
      if (failed(reader.readType(type))) return {};
      return mlir::TypeAttr::get(type);
    }
    case AttributeCode::kTypeExtensions:
      return ReadTypeExtensions(reader);
    case AttributeCode::kResultAccuracyMode:
      return ReadEnum(reader, "#stablehlo.result_accuracy_mode<?>", {"DEFAULT", "HIGHEST", "TOLERANCE"});
    case AttributeCode::kResultAccuracy:
      return ReadResultAccuracy(reader);
    case AttributeCode::kSubAxisInfo:
      return ReadSubAxisInfo(reader);
    case AttributeCode::kAxisRef:
      return ReadAxisRef(reader);
    case AttributeCode::kReplicaGroupMeshAxes:
      return ReadReplicaGroupMeshAxes(reader);
    case AttributeCode::kMeshAxis:
      return ReadMeshAxis(reader);
    case AttributeCode::kMesh:
      return ReadMesh(reader);
    default:
      reader.emitError() << "unknown vhlo attribute code " << code;
      return {};
  }
}

}  // namespace opbyop::vhlo
