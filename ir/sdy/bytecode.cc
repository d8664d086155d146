// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Encodes sdy attributes in MLIR bytecode: a code, then the fields. The codes are those of other producers, so that
// their files can be read here and ours there. Shardings with unreduced axes have a code of their own, and so have
// those whose unreduced axes are not summed, because these were added later. Attributes without a code are written as
// text.
#include "ir/bytecode/bytecode_fields.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace opbyop::sdy {
namespace {

using llvm::SmallVector;
using mlir::Attribute;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using Reader = mlir::DialectBytecodeReader;
using Writer = mlir::DialectBytecodeWriter;

enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxisInfo = 3,
  kAxisRef = 4,
  kDimensionSharding = 5,
  kSharding = 6,
  kShardingPerValue = 7,
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kAxisRefList = 11,
  kListOfAxisRefLists = 12,
  kAllToAllParam = 13,
  kAllToAllParamList = 14,
  kUnreducedSharding = 15,
  kUnreducedShardingPerValue = 16,
  kReducedSharding = 17,  // with unreduced axes, and how they are reduced
};

//===----------------------------------------------------------------------===//
// Reading and writing of fields
//===----------------------------------------------------------------------===//

Attribute ReadMesh(BytecodeFields& fields, mlir::MLIRContext* context) {
  auto axes = fields.Attrs<MeshAxisAttr>();
  auto ids = fields.Ints();
  if (!fields.ok) return {};
  return MeshAttr::getChecked([&] { return fields.reader.emitError(); }, context, llvm::ArrayRef<MeshAxisAttr>(axes),
                              llvm::ArrayRef<int64_t>(ids));
}

Attribute ReadSharding(BytecodeFields& fields, mlir::MLIRContext* context, uint64_t code) {
  auto mesh = fields.Attr<Attribute>();
  auto dims = fields.Attrs<DimensionShardingAttr>();
  auto replicated = fields.Attrs<AxisRefAttr>();
  auto unreduced = code == kSharding ? SmallVector<AxisRefAttr>() : fields.Attrs<AxisRefAttr>();
  const int64_t number = code == kReducedSharding ? fields.Int() : 0;
  if (!fields.ok) return {};
  const std::optional<ReductionOp> reduction =
      number < 0 || number > UINT32_MAX ? std::nullopt : symbolizeReductionOp(static_cast<uint32_t>(number));
  if (!reduction) {
    fields.reader.emitError() << "a sharding is reduced by " << number << ", expected 0, 1 or 2 (sum, max, min)";
    return {};
  }
  if (!llvm::isa<MeshAttr, mlir::FlatSymbolRefAttr>(mesh)) {
    fields.reader.emitError("a sharding names neither a mesh nor is it over one");
    return {};
  }
  return TensorShardingAttr::get(context, mesh, dims, replicated, unreduced, *reduction);
}

Attribute ReadRule(BytecodeFields& fields, mlir::MLIRContext* context) {
  auto sizes = fields.Ints();
  auto operands = fields.Attrs<TensorMappingAttr>();
  auto results = fields.Attrs<TensorMappingAttr>();
  auto reduction = fields.Ints();
  auto replication = fields.Ints();
  auto permutation = fields.Ints();
  auto blocked = fields.Ints();
  bool is_custom = fields.Bool();
  return OpShardingRuleAttr::get(context, sizes, operands, results, reduction, replication, permutation, blocked,
                                 is_custom);
}

// Returns null for an unknown code.
Attribute ReadFieldsOf(uint64_t code, BytecodeFields& fields, mlir::MLIRContext* context) {
  switch (code) {
    case kManualAxes:
      return ManualAxesAttr::get(context, fields.Attrs<mlir::StringAttr>());
    case kMeshAxis: {
      llvm::StringRef name = fields.Text();
      return MeshAxisAttr::get(context, name, fields.Int());
    }
    case kMesh:
      return ReadMesh(fields, context);
    case kSubAxisInfo: {
      int64_t pre_size = fields.Int();
      return SubAxisInfoAttr::get(context, pre_size, fields.Int());
    }
    case kAxisRef: {
      llvm::StringRef name = fields.Text();
      return AxisRefAttr::get(context, name, fields.OptionalAttr<SubAxisInfoAttr>());
    }
    case kDimensionSharding: {
      auto axes = fields.Attrs<AxisRefAttr>();
      bool is_closed = fields.Bool();
      return DimensionShardingAttr::get(context, axes, is_closed, fields.OptionalInt());
    }
    case kSharding:
    case kUnreducedSharding:
    case kReducedSharding:
      return ReadSharding(fields, context, code);
    case kShardingPerValue:
    case kUnreducedShardingPerValue:
      return TensorShardingPerValueAttr::get(context, fields.Attrs<TensorShardingAttr>());
    case kDimMapping:
      return DimMappingAttr::get(context, fields.Ints());
    case kTensorMapping:
      return TensorMappingAttr::get(context, fields.Attrs<DimMappingAttr>());
    case kOpShardingRule:
      return ReadRule(fields, context);
    case kAxisRefList:
      return AxisRefListAttr::get(context, fields.Attrs<AxisRefAttr>());
    case kListOfAxisRefLists:
      return ListOfAxisRefListsAttr::get(context, fields.Attrs<AxisRefListAttr>());
    case kAllToAllParam: {
      auto axes = fields.Attrs<AxisRefAttr>();
      int64_t source = fields.Int();
      return AllToAllParamAttr::get(context, axes, source, fields.Int());
    }
    case kAllToAllParamList:
      return AllToAllParamListAttr::get(context, fields.Attrs<AllToAllParamAttr>());
    default:
      fields.ok = false;
      fields.reader.emitError() << "sdy attribute code " << code << " is not one this reader knows";
      return {};
  }
}

bool HasUnreduced(TensorShardingAttr sharding) { return !sharding.getUnreducedAxes().empty(); }

struct WriteFields {
  Writer& writer;

  void Start(Code code) { writer.writeVarInt(code); }

  LogicalResult operator()(ManualAxesAttr a) {
    Start(kManualAxes);
    writer.writeAttributes(a.getValue());
    return success();
  }
  LogicalResult operator()(MeshAxisAttr a) {
    Start(kMeshAxis);
    writer.writeOwnedString(a.getName());
    writer.writeSignedVarInt(a.getSize());
    return success();
  }
  LogicalResult operator()(MeshAttr a) {
    Start(kMesh);
    writer.writeAttributes(a.getAxes());
    writer.writeSignedVarInts(a.getDeviceIds());
    return success();
  }
  LogicalResult operator()(SubAxisInfoAttr a) {
    Start(kSubAxisInfo);
    writer.writeSignedVarInt(a.getPreSize());
    writer.writeSignedVarInt(a.getSize());
    return success();
  }
  LogicalResult operator()(AxisRefAttr a) {
    Start(kAxisRef);
    writer.writeOwnedString(a.getName());
    writer.writeOptionalAttribute(a.getSubAxisInfo());
    return success();
  }
  LogicalResult operator()(DimensionShardingAttr a) {
    Start(kDimensionSharding);
    writer.writeAttributes(a.getAxes());
    writer.writeOwnedBool(a.getIsClosed());
    writer.writeVarIntWithFlag(a.getPriority().value_or(0), a.getPriority().has_value());
    return success();
  }
  LogicalResult operator()(TensorShardingAttr a) {
    const bool is_summed = a.getReduction() == ReductionOp::SUM;
    Start(!HasUnreduced(a) ? kSharding : is_summed ? kUnreducedSharding : kReducedSharding);
    writer.writeAttribute(a.getMeshOrRef());
    writer.writeAttributes(a.getDimShardings());
    writer.writeAttributes(a.getReplicatedAxes());
    if (!HasUnreduced(a)) return success();
    writer.writeAttributes(a.getUnreducedAxes());
    if (!is_summed) writer.writeSignedVarInt(static_cast<int64_t>(a.getReduction()));
    return success();
  }
  LogicalResult operator()(TensorShardingPerValueAttr a) {
    Start(llvm::any_of(a.getShardings(), HasUnreduced) ? kUnreducedShardingPerValue : kShardingPerValue);
    writer.writeAttributes(a.getShardings());
    return success();
  }
  LogicalResult operator()(DimMappingAttr a) {
    Start(kDimMapping);
    writer.writeSignedVarInts(a.getFactorIndices());
    return success();
  }
  LogicalResult operator()(TensorMappingAttr a) {
    Start(kTensorMapping);
    writer.writeAttributes(a.getDimMappings());
    return success();
  }
  LogicalResult operator()(OpShardingRuleAttr a) {
    Start(kOpShardingRule);
    writer.writeSignedVarInts(a.getFactorSizes());
    writer.writeAttributes(a.getOperandMappings());
    writer.writeAttributes(a.getResultMappings());
    for (llvm::ArrayRef<int64_t> factors : {a.getReductionFactors(), a.getNeedReplicationFactors(),
                                            a.getPermutationFactors(), a.getBlockedPropagationFactors()}) {
      writer.writeSignedVarInts(factors);
    }
    writer.writeOwnedBool(a.getIsCustomRule());
    return success();
  }
  LogicalResult operator()(AxisRefListAttr a) {
    Start(kAxisRefList);
    writer.writeAttributes(a.getValue());
    return success();
  }
  LogicalResult operator()(ListOfAxisRefListsAttr a) {
    Start(kListOfAxisRefLists);
    writer.writeAttributes(a.getValue());
    return success();
  }
  LogicalResult operator()(AllToAllParamAttr a) {
    Start(kAllToAllParam);
    writer.writeAttributes(a.getAxes());
    writer.writeSignedVarInt(a.getSrcDim());
    writer.writeSignedVarInt(a.getTgtDim());
    return success();
  }
  LogicalResult operator()(AllToAllParamListAttr a) {
    Start(kAllToAllParamList);
    writer.writeAttributes(a.getValue());
    return success();
  }
};

class SdyBytecode : public mlir::BytecodeDialectInterface {
 public:
  explicit SdyBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(Reader& reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    BytecodeFields fields{reader};
    Attribute attribute = ReadFieldsOf(code, fields, getContext());
    return fields.ok ? attribute : Attribute();
  }

  LogicalResult writeAttribute(Attribute attribute, Writer& writer) const override {
    WriteFields write{writer};
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<ManualAxesAttr, MeshAxisAttr, MeshAttr, SubAxisInfoAttr, AxisRefAttr, DimensionShardingAttr,
              TensorShardingAttr, TensorShardingPerValueAttr, DimMappingAttr, TensorMappingAttr, OpShardingRuleAttr,
              AxisRefListAttr, ListOfAxisRefListsAttr, AllToAllParamAttr, AllToAllParamListAttr>(write)
        .Default([](Attribute) { return failure(); });
  }
};

}  // namespace

void SdyDialect::RegisterBytecode() { addInterfaces<SdyBytecode>(); }

}  // namespace opbyop::sdy
