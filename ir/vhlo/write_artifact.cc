#include "ir/vhlo/write_artifact.h"

#include <fmt/format.h>

#include "ir/first_error.h"
#include "ir/vhlo/flat_attributes.h"
#include "ir/vhlo/versions.h"
#include "ir/vhlo/vhlo_dialect.h"
#include "ir/vhlo/vhlo_ops.h"
#include "ir/vhlo/wrapped.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace opbyop {
namespace vhlo {
namespace {

using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;

// Dense arrays are tensors in an artifact, also where nothing is known about the attribute.
mlir::Attribute WithoutArrays(mlir::Attribute value) {
  if (auto array = llvm::dyn_cast<mlir::DenseArrayAttr>(value)) {
    if (auto flags = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(value)) {
      auto type = mlir::RankedTensorType::get({array.getSize()}, array.getElementType());
      return mlir::DenseElementsAttr::get(type, flags.asArrayRef());
    }
    auto type = mlir::RankedTensorType::get({array.getSize()}, array.getElementType());
    return mlir::DenseElementsAttr::getFromRawBuffer(type, array.getRawData());
  }
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    bool is_splat = false;
    if (blob && mlir::DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), is_splat)) {
      return mlir::DenseElementsAttr::getFromRawBuffer(resource.getType(), blob->getData());
    }
  }
  return value;
}

LogicalResult Check(Operation* op, const llvm::Twine& what, const std::optional<VhloVersion>& since,
                    const VhloVersion& target) {
  if (since && *since <= target) return success();
  auto error = op->emitError() << op->getName() << " cannot be written for version " << ToString(target) << ": "
                               << what;
  if (since) return error << " needs version " << ToString(*since) << " or newer";
  return error << " has no form in a portable artifact";
}

LogicalResult CheckTypes(Operation* op, const VhloVersion& target) {
  auto check = [&](mlir::Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << "type " << type;
    return Check(op, text, SinceVersion(type), target);
  };
  for (mlir::Type type : op->getResultTypes()) {
    if (failed(check(type))) return failure();
  }
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Type type : region.getArgumentTypes()) {
      if (failed(check(type))) return failure();
    }
  }
  return success();
}

// The first versions of some ops take one operand where later ones take several, or no regions.
LogicalResult CheckForm(const VhloOp& entry, Operation* op) {
  StringRef name = entry.name;
  bool takes_one = name == "all_gather_v1" || name == "all_reduce_v1" || name == "all_to_all_v1";
  const VhloOp& newest = *FindVhloOp(entry.stem(), kNewestVhloVersion);
  if (takes_one && op->getNumOperands() != 1) {
    return op->emitError() << op->getName() << " with several operands needs version " << ToString(newest.since);
  }
  if (name == "composite_v1" && op->getNumRegions() != 0) {
    return op->emitError() << op->getName() << " with regions needs version " << ToString(newest.since);
  }
  return success();
}

StringRef StemOf(Operation* op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "func" ? op->getName().stripDialect() : StringRef();
}

LogicalResult ToVhlo(Operation* op, const VhloVersion& target) {
  StringRef stem = StemOf(op);
  const VhloOp* newest = stem.empty() ? nullptr : FindVhloOp(stem, kNewestVhloVersion);
  if (!newest) return op->emitError() << op->getName() << " has no form in a portable artifact";
  const VhloOp* entry = FindVhloOp(stem, target);
  if (!entry) {
    const VhloOp* first = FindVhloOp((stem + "_v1").str());
    return Check(op, "the operation", (first ? first : newest)->since, target);
  }
  mlir::NamedAttrList attributes;
  if (failed(CheckForm(*entry, op)) || failed(CheckTypes(op, target)) ||
      failed(FlatAttributes(*entry, op, attributes))) {
    return failure();
  }
  for (mlir::NamedAttribute& attribute : attributes) {
    attribute.setValue(WithoutArrays(attribute.getValue()));
    if (failed(Check(op, "attribute " + attribute.getName().strref(), SinceVersion(attribute.getValue()), target))) {
      return failure();
    }
    attribute.setValue(WrappedAttr::get(attribute.getValue(), attribute.getName() == "api_version"));
  }
  mlir::OperationState state(op->getLoc(), ("vhlo." + entry->name).str(), op->getOperands(), op->getResultTypes(),
                             attributes, op->getSuccessors());
  for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
  Operation* converted = Operation::create(state);
  op->getBlock()->getOperations().insert(mlir::Block::iterator(op), converted);
  op->replaceAllUsesWith(converted);
  op->erase();
  return success();
}

void WrapTypes(Operation* op) {
  for (mlir::OpResult result : op->getResults()) result.setType(WrappedType::get(result.getType()));
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Block& block : region) {
      for (mlir::BlockArgument argument : block.getArguments()) argument.setType(WrappedType::get(argument.getType()));
    }
  }
}

LogicalResult Convert(mlir::ModuleOp module, const VhloVersion& target) {
  auto convert = [&](Operation* op) -> mlir::WalkResult {
    return op == module.getOperation() ? success() : ToVhlo(op, target);
  };
  if (module.walk<mlir::WalkOrder::PostOrder>(convert).wasInterrupted()) return failure();
  for (Operation& top : module.getOps()) top.walk(WrapTypes);
  return success();
}

}  // namespace
}  // namespace vhlo

Expected<VhloVersion> ParseVhloVersion(std::string_view text) {
  VhloVersion version;
  char rest = 0;
  std::string copy(text);
  if (sscanf(copy.c_str(), "%d.%d.%d%c", &version.major, &version.minor, &version.patch, &rest) != 3) {
    return MakeError(ExitCode::kUsage, fmt::format("'{}' is not a version X.Y.Z such as 1.0.0", text));
  }
  version.patch = 0;
  if (version < VhloVersion{0, 9, 0} || version > kNewestVhloVersion) {
    return MakeError(ExitCode::kUnsupported, fmt::format("version {} cannot be written, those from 0.9.0 to {} can",
                                                         text, ToString(kNewestVhloVersion)));
  }
  return version;
}

Expected<std::string> SerializePortableArtifact(mlir::ModuleOp module, VhloVersion target) {
  target.patch = 0;
  mlir::MLIRContext& context = *module->getContext();
  context.loadDialect<vhlo::VhloDialect>();
  FirstError error(context);
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto fail = [&] {
    std::string place = error.place().empty() ? "" : error.place() + ": ";
    return MakeError(ExitCode::kUnsupported, place + error.text());
  };
  if (failed(vhlo::Convert(*copy, target))) return fail();
  const std::string producer = "StableHLO_v" + ToString(target);
  mlir::BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(vhlo::BytecodeVersion(target));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(mlir::writeBytecodeToFile(*copy, stream, config))) return fail();
  return bytes;
}

}  // namespace opbyop
