// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/write_artifact.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/first_error.h"
#include "ir/vhlo/flat_attributes.h"
#include "ir/vhlo/versions.h"
#include "ir/vhlo/vhlo_dialect.h"
#include "ir/vhlo/vhlo_ops.h"
#include "ir/vhlo/wrapped.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop {
namespace vhlo {
namespace {

using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;

mlir::Attribute Expressible(mlir::Attribute value);

mlir::Attribute ExpressibleArray(mlir::DenseArrayAttr array) {
  auto type = mlir::RankedTensorType::get({array.getSize()}, array.getElementType());
  if (auto flags = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(mlir::Attribute(array))) {
    return mlir::DenseElementsAttr::get(type, flags.asArrayRef());
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, array.getRawData());
}

mlir::Attribute ExpressibleResource(mlir::DenseResourceElementsAttr resource) {
  mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
  bool is_splat = false;
  if (!blob || !mlir::DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), is_splat)) {
    return resource;
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(resource.getType(), blob->getData());
}

mlir::DictionaryAttr ExpressibleDictionary(mlir::DictionaryAttr dictionary) {
  llvm::SmallVector<mlir::NamedAttribute> entries(dictionary.getValue());
  for (mlir::NamedAttribute& entry : entries) entry.setValue(Expressible(entry.getValue()));
  return mlir::DictionaryAttr::getWithSorted(dictionary.getContext(), entries);
}

// Returns an equivalent attribute that artifacts can hold: a tensor for an array or resource, text for a symbol.
mlir::Attribute Expressible(mlir::Attribute value) {
  return llvm::TypeSwitch<mlir::Attribute, mlir::Attribute>(value)
      .Case([](mlir::FlatSymbolRefAttr symbol) { return symbol.getAttr(); })
      .Case([](mlir::DenseArrayAttr array) { return ExpressibleArray(array); })
      .Case([](mlir::DenseResourceElementsAttr resource) { return ExpressibleResource(resource); })
      .Case([](mlir::DictionaryAttr dictionary) { return ExpressibleDictionary(dictionary); })
      .Case([](mlir::ArrayAttr array) {
        return mlir::ArrayAttr::get(array.getContext(), llvm::map_to_vector(array, Expressible));
      })
      .Default(value);
}

// Describes an attribute, as in "attribute x.unit = unit". Omits long values.
std::string Describe(mlir::NamedAttribute attribute) {
  constexpr size_t kLongest = 80;
  std::string value;
  llvm::raw_string_ostream(value) << attribute.getValue();
  std::string name = "attribute " + attribute.getName().str();
  return value.size() <= kLongest ? name + " = " + value : name;
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

// Whether the computation of a reduction accumulates in another type than that of its operands.
bool Promotes(Operation* op) {
  for (mlir::Region& region : op->getRegions()) {
    if (region.empty()) continue;
    for (unsigned i = 0; i < std::min(region.getNumArguments() / 2, op->getNumOperands()); ++i) {
      if (mlir::getElementTypeOrSelf(region.getArgument(i)) != mlir::getElementTypeOrSelf(op->getOperand(i))) {
        return true;
      }
    }
  }
  return false;
}

// Checks features of an op that only some of its versions have, and that its attributes and types do not show.
LogicalResult CheckForm(const VhloOp& entry, Operation* op, const VhloVersion& target) {
  StringRef name = entry.name;
  StringRef stem = entry.stem();
  bool takes_one = name == "all_gather_v1" || name == "all_reduce_v1" || name == "all_to_all_v1" ||
                   name == "collective_broadcast_v1";
  const VhloVersion newest = FindVhloOp(stem, kNewestVhloVersion)->since;
  if (takes_one && op->getNumOperands() != 1) return Check(op, "several operands", newest, target);
  if (name == "composite_v1" && op->getNumRegions() != 0) return Check(op, "a region", newest, target);
  bool reduces = stem == "reduce" || stem == "reduce_window" || stem == "scatter" || stem == "select_and_scatter" ||
                 stem == "all_reduce" || stem == "reduce_scatter";
  if (reduces && Promotes(op)) return Check(op, "accumulating in another type", VhloVersion{0, 17, 0}, target);
  if (stem == "custom_call" && op->getAttrOfType<mlir::DictionaryAttr>("backend_config")) {
    return Check(op, "a dictionary as backend_config", VhloVersion{1, 3, 0}, target);
  }
  auto api = op->getAttrOfType<mlir::IntegerAttr>("api_version");
  constexpr int64_t kTypedFfi = 4;
  if (api && api.getInt() == kTypedFfi) return Check(op, "api_version = 4", VhloVersion{1, 3, 0}, target);
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
  if (failed(CheckForm(*entry, op, target)) || failed(CheckTypes(op, target)) ||
      failed(FlatAttributes(*entry, op, target, attributes))) {
    return failure();
  }
  for (mlir::NamedAttribute& attribute : attributes) {
    attribute.setValue(Expressible(attribute.getValue()));
    std::optional<VhloVersion> since = SinceVersion(attribute.getValue());
    if ((!since || *since > target) && failed(Check(op, Describe(attribute), since, target))) return failure();
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

std::vector<VhloVersion> VhloVersions() {
  constexpr int kFirstMinor = 9;
  constexpr int kLastMinorOfZero = 20;
  std::vector<VhloVersion> versions;
  for (int minor = kFirstMinor; minor <= kLastMinorOfZero; ++minor) versions.push_back({0, minor, 0});
  for (int minor = 0; minor <= kNewestVhloVersion.minor; ++minor) versions.push_back({1, minor, 0});
  return versions;
}

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
