// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/program_text.h"

#include "ir/artifact_info.h"
#include "ir/boolean_hex.h"
#include "ir/read_module.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"

namespace opbyop::generator {
namespace {

// Resources are written as plain constants, because not every consumer reads a resource section.
void InlineResources(mlir::Operation* root) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::DenseResourceElementsAttr resource) -> std::optional<mlir::Attribute> {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    bool is_splat = false;
    if (blob == nullptr || !mlir::DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), is_splat)) {
      return std::nullopt;
    }
    return mlir::DenseElementsAttr::getFromRawBuffer(resource.getType(), blob->getData());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true);
}

// The kinds of constants that a module holds.
struct Contents {
  bool packed_elements = false;  // several elements per byte
  bool resources = false;
};

void Inspect(mlir::Attribute attribute, Contents& contents) {
  if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute)) {
    bool is_packed = dense.getElementType().isIntOrFloat() && dense.getElementType().getIntOrFloatBitWidth() < 8;
    contents.packed_elements |= is_packed && !dense.isSplat();
  } else if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(attribute)) {
    contents.resources = true;
    mlir::Type element = resource.getElementType();
    contents.packed_elements |= element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 8;
  }
}

Contents ContentsOf(mlir::Operation* root) {
  Contents contents;
  root->walk([&](mlir::Operation* op) {
    for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
      attribute.getValue().walk([&](mlir::Attribute inner) { Inspect(inner, contents); });
    }
  });
  return contents;
}

}  // namespace

void PrintProgram(mlir::ModuleOp module, Locations locations, llvm::raw_ostream& out) {
  const Contents contents = ContentsOf(module);
  if (contents.resources) InlineResources(module);
  mlir::OpPrintingFlags flags;
  constexpr int64_t kNeverHex = -1;
  constexpr int64_t kHexAbove = 100;
  flags.printLargeElementsAttrWithHex(contents.packed_elements ? kNeverHex : kHexAbove);
  if (locations == Locations::kKeep) flags.enableDebugInfo();
  // MLIR itself prints a module that does not verify in generic form; its diagnostics are not shown.
  mlir::ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic&) { return mlir::success(); });
  module.print(out, flags);
}

std::string ProgramText(mlir::ModuleOp module, Locations locations) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PrintProgram(module, locations, out);
  return text;
}

Expected<std::optional<std::string>> ReadProgramText(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_directory(file, error)) {
    const Expected<std::string> bytes = ReadFile(file);
    if (!bytes) return Unexpected(bytes.error());
    const Expected<ArtifactInfo> info = InspectArtifact(*bytes);
    if (!info) return MakeError(info.error().code, file.string() + ": " + info.error().message);
    if (info->kind == ArtifactKind::kText && !HasBooleanHex(*bytes)) return std::optional<std::string>();
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(file, context, {.allow_mhlo = true});
  if (!module) return Unexpected(module.error());
  return std::optional(ProgramText(**module, Locations::kKeep));
}

}  // namespace opbyop::generator
