// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Encodes StableHLO's attributes and types in MLIR bytecode: a code, then the fields. This is the dialect's own
// encoding, which a producer's write_bytecode writes. Portable artifacts have another encoding (ir/vhlo).
#include "ir/artifact_info.h"
#include "ir/bytecode/bytecode_fields.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace opbyop::stablehlo {
namespace {

using llvm::SmallVector;
using mlir::Attribute;
using mlir::failure;
using mlir::LogicalResult;
using mlir::MLIRContext;
using mlir::success;
using mlir::Type;
using Reader = mlir::DialectBytecodeReader;
using Writer = mlir::DialectBytecodeWriter;

enum Code : uint64_t {
  kChannelHandle = 1,
  kComparisonDirection = 2,
  kComparisonType = 3,
  kConvolution = 4,
  kDot = 5,
  kFftType = 6,
  kGather = 7,
  kPrecision = 8,
  kRngAlgorithm = 9,
  kRngDistribution = 10,
  kScatter = 11,
  kTranspose = 12,
  kTypeExtensions = 13,
  kOutputOperandAlias = 14,
  kDotAlgorithm = 15,
  kResultAccuracyMode = 16,
  kResultAccuracy = 17,
  kReplicaGroupMeshAxes = 18,
  kSubAxisInfo = 19,
  kAxisRef = 20,
  kMeshAxis = 21,
  kMesh = 22,
};

enum TypeCode : uint64_t { kToken = 0, kFuture = 1 };

//===----------------------------------------------------------------------===//
// Reading. Each statement reads one field, so their order is that of the file.
//===----------------------------------------------------------------------===//

Attribute ReadConvolution(BytecodeFields& fields, MLIRContext* context) {
  const int64_t input_batch = fields.Int();
  const int64_t input_feature = fields.Int();
  const auto input_spatial = fields.Ints();
  const int64_t kernel_input_feature = fields.Int();
  const int64_t kernel_output_feature = fields.Int();
  const auto kernel_spatial = fields.Ints();
  const int64_t output_batch = fields.Int();
  const int64_t output_feature = fields.Int();
  const auto output_spatial = fields.Ints();
  return ConvDimensionNumbersAttr::get(context, input_batch, input_feature, input_spatial, kernel_input_feature,
                                       kernel_output_feature, kernel_spatial, output_batch, output_feature,
                                       output_spatial);
}

Attribute ReadDot(BytecodeFields& fields, MLIRContext* context) {
  const auto lhs_batching = fields.Ints();
  const auto rhs_batching = fields.Ints();
  const auto lhs_contracting = fields.Ints();
  const auto rhs_contracting = fields.Ints();
  return DotDimensionNumbersAttr::get(context, lhs_batching, rhs_batching, lhs_contracting, rhs_contracting);
}

// Reads the dimension numbers of gather or scatter, which have the same kinds of fields.
template <typename T>
Attribute ReadIndexing(BytecodeFields& fields, MLIRContext* context) {
  const auto window = fields.Ints();
  const auto absent = fields.Ints();
  const auto batching = fields.Ints();
  const auto indices_batching = fields.Ints();
  const auto map = fields.Ints();
  const int64_t index_vector_dim = fields.Int();
  return T::get(context, window, absent, batching, indices_batching, map, index_vector_dim);
}

Attribute ReadAlias(BytecodeFields& fields, MLIRContext* context) {
  const auto output = fields.Ints();
  const int64_t operand = fields.Int();
  const auto in_operand = fields.Ints();
  return OutputOperandAliasAttr::get(context, output, operand, in_operand);
}

// Builds an attribute and verifies it, as when text is parsed.
template <typename T, typename... Args>
Attribute Checked(BytecodeFields& fields, MLIRContext* context, const Args&... args) {
  if (!fields.ok) return {};
  return T::getChecked([&] { return fields.reader.emitError(); }, context, args...);
}

Attribute ReadDotAlgorithm(BytecodeFields& fields, MLIRContext* context) {
  const Type lhs = fields.Type();
  const Type rhs = fields.Type();
  const Type accumulation = fields.Type();
  const int64_t lhs_components = fields.Int();
  const int64_t rhs_components = fields.Int();
  const int64_t operations = fields.Int();
  const bool is_imprecise = fields.Bool();
  return Checked<DotAlgorithmAttr>(fields, context, lhs, rhs, accumulation, lhs_components, rhs_components, operations,
                                   is_imprecise);
}

Attribute ReadResultAccuracy(BytecodeFields& fields, MLIRContext* context) {
  const llvm::APFloat absolute = fields.Double();
  const llvm::APFloat relative = fields.Double();
  const int64_t ulps = fields.Int();
  const auto mode = fields.Attr<ResultAccuracyModeAttr>();
  return Checked<ResultAccuracyAttr>(fields, context, absolute, relative, ulps, mode);
}

Attribute ReadReplicaGroups(BytecodeFields& fields, MLIRContext* context) {
  const Attribute mesh = fields.Attr();
  const SmallVector<Attribute> axes = fields.Attrs();
  if (!fields.ok) return {};
  return ReplicaGroupMeshAxesAttr::get(context, mesh, mlir::ArrayAttr::get(context, axes));
}

Attribute ReadAxis(BytecodeFields& fields, MLIRContext* context) {
  const auto name = mlir::StringAttr::get(context, fields.Text());
  const auto part = fields.Bool() ? fields.Attr<SubAxisInfoAttr>() : SubAxisInfoAttr();
  return AxisRefAttr::get(context, name, part);
}

Attribute ReadMesh(BytecodeFields& fields, MLIRContext* context) {
  const auto axes = fields.Attr<mlir::ArrayAttr>();
  const auto ids = fields.Bool() ? fields.Attr<mlir::DenseIntElementsAttr>() : mlir::DenseIntElementsAttr();
  return fields.ok ? MeshAttr::get(context, axes, ids) : Attribute();
}

Attribute ReadFieldsOf(uint64_t code, BytecodeFields& fields, MLIRContext* context) {
  switch (code) {
    case kChannelHandle: {
      const int64_t handle = fields.Int();
      return ChannelHandleAttr::get(context, handle, fields.Int());
    }
    case kComparisonDirection:
      return ComparisonDirectionAttr::get(context, fields.OneOf(&symbolizeComparisonDirection, "comparison direction"));
    case kComparisonType:
      return ComparisonTypeAttr::get(context, fields.OneOf(&symbolizeComparisonType, "comparison type"));
    case kConvolution:
      return ReadConvolution(fields, context);
    case kDot:
      return ReadDot(fields, context);
    case kFftType:
      return FftTypeAttr::get(context, fields.OneOf(&symbolizeFftType, "fft type"));
    case kGather:
      return ReadIndexing<GatherDimensionNumbersAttr>(fields, context);
    case kPrecision:
      return PrecisionAttr::get(context, fields.OneOf(&symbolizePrecision, "precision"));
    case kRngAlgorithm:
      return RngAlgorithmAttr::get(context, fields.OneOf(&symbolizeRngAlgorithm, "rng algorithm"));
    case kRngDistribution:
      return RngDistributionAttr::get(context, fields.OneOf(&symbolizeRngDistribution, "rng distribution"));
    case kScatter:
      return ReadIndexing<ScatterDimensionNumbersAttr>(fields, context);
    case kTranspose:
      return TransposeAttr::get(context, fields.OneOf(&symbolizeTranspose, "transpose"));
    case kTypeExtensions:
      return TypeExtensionsAttr::get(context, fields.Ints());
    case kOutputOperandAlias:
      return ReadAlias(fields, context);
    case kDotAlgorithm:
      return ReadDotAlgorithm(fields, context);
    case kResultAccuracyMode:
      return ResultAccuracyModeAttr::get(context, fields.OneOf(&symbolizeResultAccuracyMode, "result accuracy mode"));
    case kResultAccuracy:
      return ReadResultAccuracy(fields, context);
    case kReplicaGroupMeshAxes:
      return ReadReplicaGroups(fields, context);
    case kSubAxisInfo: {
      const int64_t pre_size = fields.Int();
      const int64_t size = fields.Int();
      return Checked<SubAxisInfoAttr>(fields, context, pre_size, size);
    }
    case kAxisRef:
      return ReadAxis(fields, context);
    case kMeshAxis: {
      const auto name = mlir::StringAttr::get(context, fields.Text());
      return MeshAxisAttr::get(context, name, fields.Int());
    }
    case kMesh:
      return ReadMesh(fields, context);
    default:
      fields.ok = false;
      fields.reader.emitError() << "stablehlo attribute code " << code << " is not one this reader knows";
      return {};
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

struct WriteFields {
  Writer& writer;

  template <typename... Fields>
  LogicalResult Write(Code code, const Fields&... fields) {
    writer.writeVarInt(code);
    (WriteField(fields), ...);
    return success();
  }

  void WriteField(int64_t number) { writer.writeSignedVarInt(number); }
  void WriteField(llvm::ArrayRef<int64_t> numbers) { writer.writeSignedVarInts(numbers); }
  void WriteField(bool value) { writer.writeOwnedBool(value); }
  void WriteField(Type type) { writer.writeType(type); }
  void WriteField(Attribute attribute) { writer.writeAttribute(attribute); }
  void WriteField(llvm::StringRef text) { writer.writeOwnedString(text); }
  void WriteField(const llvm::APFloat& value) { writer.writeAPFloatWithKnownSemantics(value); }
  template <typename Enum>
    requires std::is_enum_v<Enum>
  void WriteField(Enum value) {
    writer.writeVarInt(static_cast<uint64_t>(value));
  }
  // Writes a byte that says whether there is an attribute, then the attribute.
  void WriteOptional(Attribute attribute) {
    writer.writeOwnedBool(attribute != nullptr);
    if (attribute) writer.writeAttribute(attribute);
  }

  LogicalResult operator()(ChannelHandleAttr a) { return Write(kChannelHandle, a.getHandle(), a.getType()); }
  LogicalResult operator()(ComparisonDirectionAttr a) { return Write(kComparisonDirection, a.getValue()); }
  LogicalResult operator()(ComparisonTypeAttr a) { return Write(kComparisonType, a.getValue()); }
  LogicalResult operator()(ConvDimensionNumbersAttr a) {
    return Write(kConvolution, a.getInputBatchDimension(), a.getInputFeatureDimension(), a.getInputSpatialDimensions(),
                 a.getKernelInputFeatureDimension(), a.getKernelOutputFeatureDimension(),
                 a.getKernelSpatialDimensions(), a.getOutputBatchDimension(), a.getOutputFeatureDimension(),
                 a.getOutputSpatialDimensions());
  }
  LogicalResult operator()(DotDimensionNumbersAttr a) {
    return Write(kDot, a.getLhsBatchingDimensions(), a.getRhsBatchingDimensions(), a.getLhsContractingDimensions(),
                 a.getRhsContractingDimensions());
  }
  LogicalResult operator()(FftTypeAttr a) { return Write(kFftType, a.getValue()); }
  LogicalResult operator()(GatherDimensionNumbersAttr a) {
    return Write(kGather, a.getOffsetDims(), a.getCollapsedSliceDims(), a.getOperandBatchingDims(),
                 a.getStartIndicesBatchingDims(), a.getStartIndexMap(), a.getIndexVectorDim());
  }
  LogicalResult operator()(PrecisionAttr a) { return Write(kPrecision, a.getValue()); }
  LogicalResult operator()(RngAlgorithmAttr a) { return Write(kRngAlgorithm, a.getValue()); }
  LogicalResult operator()(RngDistributionAttr a) { return Write(kRngDistribution, a.getValue()); }
  LogicalResult operator()(ScatterDimensionNumbersAttr a) {
    return Write(kScatter, a.getUpdateWindowDims(), a.getInsertedWindowDims(), a.getInputBatchingDims(),
                 a.getScatterIndicesBatchingDims(), a.getScatterDimsToOperandDims(), a.getIndexVectorDim());
  }
  LogicalResult operator()(TransposeAttr a) { return Write(kTranspose, a.getValue()); }
  LogicalResult operator()(TypeExtensionsAttr a) { return Write(kTypeExtensions, a.getBounds()); }
  LogicalResult operator()(OutputOperandAliasAttr a) {
    return Write(kOutputOperandAlias, a.getOutputTupleIndices(), a.getOperandIndex(), a.getOperandTupleIndices());
  }
  LogicalResult operator()(DotAlgorithmAttr a) {
    return Write(kDotAlgorithm, a.getLhsPrecisionType(), a.getRhsPrecisionType(), a.getAccumulationType(),
                 a.getLhsComponentCount(), a.getRhsComponentCount(), a.getNumPrimitiveOperations(),
                 a.getAllowImpreciseAccumulation());
  }
  LogicalResult operator()(ResultAccuracyModeAttr a) { return Write(kResultAccuracyMode, a.getValue()); }
  LogicalResult operator()(ResultAccuracyAttr a) {
    return Write(kResultAccuracy, a.getAtol(), a.getRtol(), a.getUlps(), Attribute(a.getMode()));
  }
  LogicalResult operator()(ReplicaGroupMeshAxesAttr a) {
    if (failed(Write(kReplicaGroupMeshAxes, a.getMesh()))) return failure();
    writer.writeAttributes(a.getAxes().getValue());
    return success();
  }
  LogicalResult operator()(SubAxisInfoAttr a) { return Write(kSubAxisInfo, a.getPreSize(), a.getSize()); }
  LogicalResult operator()(AxisRefAttr a) {
    if (failed(Write(kAxisRef, a.getName().getValue()))) return failure();
    WriteOptional(a.getSubAxisInfo());
    return success();
  }
  LogicalResult operator()(MeshAxisAttr a) { return Write(kMeshAxis, a.getName().getValue(), a.getSize()); }
  LogicalResult operator()(MeshAttr a) {
    if (failed(Write(kMesh, Attribute(a.getAxes())))) return failure();
    WriteOptional(a.getDeviceIds());
    return success();
  }
};

// The dialect version that a file states. Its numbers are those of VHLO and are not used.
struct FileVersion final : mlir::DialectVersion {};

class StablehloBytecode final : public mlir::BytecodeDialectInterface {
 public:
  explicit StablehloBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(Reader& reader) const final {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    BytecodeFields fields{reader};
    const Attribute attribute = ReadFieldsOf(code, fields, getContext());
    return fields.ok ? attribute : Attribute();
  }

  Type readType(Reader& reader) const final {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    if (code == kToken) return TokenType::get(getContext());
    if (code != kFuture) {
      reader.emitError() << "stablehlo type code " << code << " is not one this reader knows";
      return {};
    }
    BytecodeFields fields{reader};
    const SmallVector<Type> types = fields.Types();
    if (!fields.ok) return {};
    return FutureType::getChecked([&] { return reader.emitError(); }, getContext(), llvm::ArrayRef<Type>(types));
  }

  LogicalResult writeAttribute(Attribute attribute, Writer& writer) const final {
    WriteFields write{writer};
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<ChannelHandleAttr, ComparisonDirectionAttr, ComparisonTypeAttr, ConvDimensionNumbersAttr,
              DotDimensionNumbersAttr, FftTypeAttr, GatherDimensionNumbersAttr, PrecisionAttr, RngAlgorithmAttr,
              RngDistributionAttr, ScatterDimensionNumbersAttr, TransposeAttr, TypeExtensionsAttr,
              OutputOperandAliasAttr, DotAlgorithmAttr, ResultAccuracyModeAttr, ResultAccuracyAttr,
              ReplicaGroupMeshAxesAttr, SubAxisInfoAttr, AxisRefAttr, MeshAxisAttr, MeshAttr>(write)
        .Default([](Attribute) { return failure(); });
  }

  LogicalResult writeType(Type type, Writer& writer) const final {
    if (mlir::isa<TokenType>(type)) {
      writer.writeVarInt(kToken);
      return success();
    }
    auto future = mlir::dyn_cast<FutureType>(type);
    if (!future) return failure();
    writer.writeVarInt(kFuture);
    writer.writeTypes(future.getTypes());
    return success();
  }

  std::unique_ptr<mlir::DialectVersion> readVersion(Reader& reader) const final {
    uint64_t parts[3];
    for (uint64_t& part : parts) {
      if (failed(reader.readVarInt(part))) return nullptr;
    }
    if (std::pair(parts[0], parts[1]) >
        std::pair(uint64_t(kNewestVhloVersion.major), uint64_t(kNewestVhloVersion.minor))) {
      reader.emitError() << "dialect stablehlo of version " << parts[0] << "." << parts[1] << "." << parts[2]
                         << " is newer than this reader, which knows versions up to " << ToString(kNewestVhloVersion);
      return nullptr;
    }
    return std::make_unique<FileVersion>();
  }
};

}  // namespace

void StablehloDialect::RegisterBytecode() { addInterfaces<StablehloBytecode>(); }

}  // namespace opbyop::stablehlo
