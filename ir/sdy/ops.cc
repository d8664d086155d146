// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parsing, printing and verifiers of the sdy ops.
#include "ir/sdy/attribute_lists.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/TypeSwitch.h"

namespace opbyop::sdy {
namespace {

// `[<@mesh, [{"x"}]>]`: the list without the angle brackets of the attribute.
mlir::ParseResult parseStrippedShardings(mlir::OpAsmParser& parser, TensorShardingPerValueAttr& shardings) {
  llvm::SmallVector<TensorShardingAttr> list;
  if (ParseList(parser, mlir::AsmParser::Delimiter::Square, list)) return mlir::failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return mlir::success();
}

void printStrippedShardings(mlir::OpAsmPrinter& printer, mlir::Operation*, TensorShardingPerValueAttr shardings) {
  printer << '[';
  PrintList(printer, shardings.getShardings());
  printer << ']';
}

// `(%a: tensor<4xf32>) { .. }`
mlir::ParseResult parseRegionWithArguments(mlir::OpAsmParser& parser, mlir::Region& region) {
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, mlir::AsmParser::Delimiter::Paren, /*allowType=*/true)) {
    return mlir::failure();
  }
  return parser.parseRegion(region, arguments);
}

void printRegionWithArguments(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::Region& region) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verifiers. `emit` starts a message about the op, argument or result that is verified.
//===----------------------------------------------------------------------===//

using Emit = llvm::function_ref<mlir::InFlightDiagnostic()>;

mlir::LogicalResult VerifyAxis(AxisRefAttr axis, MeshAttr mesh, llvm::SmallVectorImpl<AxisRefAttr>& seen, Emit emit) {
  const int64_t size = mesh.AxisSize(axis.getName());
  if (size == 0) return emit() << "names axis \"" << axis.getName() << "\", which is not one of mesh " << mesh;
  if (llvm::is_contained(seen, axis)) return emit() << "names axis " << axis << " twice";
  seen.push_back(axis);
  SubAxisInfoAttr part = axis.getSubAxisInfo();
  if (!part) return mlir::success();
  const bool fits = part.getPreSize() > 0 && part.getSize() > 1 && part.getSize() < size &&
                    size / part.getPreSize() >= part.getSize() && size % (part.getPreSize() * part.getSize()) == 0;
  if (!fits) return emit() << "names part " << part << " of axis \"" << axis.getName() << "\", which has size " << size;
  return mlir::success();
}

mlir::LogicalResult VerifySharding(TensorShardingAttr sharding, mlir::Type type, mlir::Operation* op, Emit emit) {
  MeshAttr mesh = sharding.MeshFor(op);
  if (!mesh) return emit() << "names mesh " << sharding.getMeshOrRef() << ", which the module does not define";
  auto tensor = llvm::dyn_cast_or_null<mlir::ShapedType>(type);
  const size_t dims = sharding.getDimShardings().size();
  // A maximal mesh has one device, which holds the whole value. The sharding then has no dimensions.
  const bool is_whole = mesh.IsMaximal() && dims == 0;
  if (!is_whole && tensor && tensor.hasRank() && static_cast<size_t>(tensor.getRank()) != dims) {
    return emit() << "shards " << dims << " dimensions of a value of rank " << tensor.getRank();
  }
  llvm::SmallVector<AxisRefAttr> seen;
  for (DimensionShardingAttr dim : sharding.getDimShardings()) {
    for (AxisRefAttr axis : dim.getAxes()) {
      if (failed(VerifyAxis(axis, mesh, seen, emit))) return mlir::failure();
    }
  }
  for (llvm::ArrayRef<AxisRefAttr> axes : {sharding.getReplicatedAxes(), sharding.getUnreducedAxes()}) {
    for (AxisRefAttr axis : axes) {
      if (failed(VerifyAxis(axis, mesh, seen, emit))) return mlir::failure();
    }
  }
  return mlir::success();
}

mlir::LogicalResult VerifyPerValue(TensorShardingPerValueAttr shardings, mlir::TypeRange types, mlir::Operation* op,
                                   Emit emit) {
  const size_t count = shardings.getShardings().size();
  // An op without results may have one sharding, which says on which device it has its effect.
  if (types.empty() && count == 1) return VerifySharding(shardings.getShardings().front(), mlir::Type(), op, emit);
  if (count != types.size()) return emit() << "has " << count << " shardings for " << types.size() << " values";
  for (auto [sharding, type] : llvm::zip(shardings.getShardings(), types)) {
    if (failed(VerifySharding(sharding, type, op, emit))) return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult VerifyOne(mlir::Operation* op, TensorShardingAttr sharding) {
  return VerifySharding(sharding, op->getResult(0).getType(), op, [&] { return op->emitOpError(); });
}

// Returns the type of the part of a value that one device of the manual axes holds.
mlir::Type LocalType(mlir::Type type, TensorShardingAttr sharding, MeshAttr mesh, ManualAxesAttr manual) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return type;
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, dim] : llvm::zip(shape, sharding.getDimShardings())) {
    for (AxisRefAttr axis : dim.getAxes()) {
      auto is_axis = [&](mlir::StringAttr name) { return name.getValue() == axis.getName(); };
      if (mlir::ShapedType::isDynamic(size) || llvm::none_of(manual.getValue(), is_axis)) continue;
      SubAxisInfoAttr part = axis.getSubAxisInfo();
      const int64_t parts = part ? part.getSize() : mesh.AxisSize(axis.getName());
      size = (size + parts - 1) / parts;
    }
  }
  return mlir::RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding());
}

mlir::LogicalResult VerifyLocal(ManualComputationOp op, mlir::TypeRange global, mlir::TypeRange local,
                                TensorShardingPerValueAttr shardings, llvm::StringRef what) {
  auto emit = [&] { return op.emitOpError() << what << " "; };
  if (failed(VerifyPerValue(shardings, global, op, emit))) return mlir::failure();
  if (global.size() != local.size()) {
    return emit() << "count: " << global.size() << " outside, " << local.size() << " in the region";
  }
  for (auto [i, outside] : llvm::enumerate(global)) {
    TensorShardingAttr sharding = shardings.getShardings()[i];
    mlir::Type expected = LocalType(outside, sharding, sharding.MeshFor(op), op.getManualAxes());
    if (expected != local[i]) {
      return emit() << i << " is " << outside << " outside, so that one device holds " << expected
                    << ", but the region has " << local[i];
    }
  }
  return mlir::success();
}

}  // namespace

mlir::LogicalResult ManualComputationOp::verify() {
  mlir::Operation* end = getBody().front().getTerminator();
  if (failed(VerifyLocal(*this, getTensors().getTypes(), getBody().getArgumentTypes(), getInShardings(), "operand"))) {
    return mlir::failure();
  }
  return VerifyLocal(*this, getResultTypes(), end->getOperandTypes(), getOutShardings(), "result");
}

mlir::LogicalResult NamedComputationOp::verify() {
  mlir::Operation* end = getBody().front().getTerminator();
  if (getOperands().getTypes() != mlir::TypeRange(getBody().getArgumentTypes()) ||
      getResultTypes() != mlir::TypeRange(end->getOperandTypes())) {
    return emitOpError("has other types outside than in its region");
  }
  auto emit = [&] { return emitOpError(); };
  if (getInShardings() && failed(VerifyPerValue(*getInShardings(), getOperands().getTypes(), *this, emit))) {
    return mlir::failure();
  }
  if (!getOutShardings()) return mlir::success();
  return VerifyPerValue(*getOutShardings(), getResultTypes(), *this, emit);
}

mlir::LogicalResult ShardingConstraintOp::verify() { return VerifyOne(*this, getSharding()); }
mlir::LogicalResult ReshardOp::verify() { return VerifyOne(*this, getSharding()); }
mlir::LogicalResult AllGatherOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult AllSliceOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult AllReduceOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult ReduceScatterOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult AllToAllOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult CollectivePermuteOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult ReplicatedToUnreducedOp::verify() { return VerifyOne(*this, getOutSharding()); }
mlir::LogicalResult ShardedToUnreducedOp::verify() { return VerifyOne(*this, getOutSharding()); }

mlir::LogicalResult SdyDialect::verifyOperationAttribute(mlir::Operation* op, mlir::NamedAttribute attribute) {
  if (attribute.getName() != kShardingName) return mlir::success();
  auto emit = [&] { return op->emitOpError() << "'" << kShardingName << "' "; };
  auto shardings = llvm::dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
  if (!shardings) return emit() << "is " << attribute.getValue() << ", expected #sdy.sharding_per_value";
  return VerifyPerValue(shardings, op->getResultTypes(), op, emit);
}

mlir::LogicalResult SdyDialect::verifyRegionArgAttribute(mlir::Operation* op, unsigned region, unsigned argument,
                                                         mlir::NamedAttribute attribute) {
  if (attribute.getName() != kShardingName) return mlir::success();
  auto emit = [&] { return op->emitOpError() << "argument " << argument << ": '" << kShardingName << "' "; };
  auto sharding = llvm::dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding) return emit() << "is " << attribute.getValue() << ", expected #sdy.sharding";
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  mlir::Type type =
      function ? function.getArgumentTypes()[argument] : op->getRegion(region).getArgument(argument).getType();
  return VerifySharding(sharding, type, op, emit);
}

mlir::LogicalResult SdyDialect::verifyRegionResultAttribute(mlir::Operation* op, unsigned, unsigned result,
                                                            mlir::NamedAttribute attribute) {
  if (attribute.getName() != kShardingName) return mlir::success();
  auto emit = [&] { return op->emitOpError() << "result " << result << ": '" << kShardingName << "' "; };
  auto sharding = llvm::dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding) return emit() << "is " << attribute.getValue() << ", expected #sdy.sharding";
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  return function ? VerifySharding(sharding, function.getResultTypes()[result], op, emit) : mlir::success();
}

}  // namespace opbyop::sdy

#define GET_OP_CLASSES
#include "ir/sdy/ops.cc.inc"

namespace opbyop::sdy {

void SdyDialect::RegisterOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/sdy/ops.cc.inc"
      >();
}

}  // namespace opbyop::sdy
