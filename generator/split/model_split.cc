// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/model_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "generator/specialize/specialize.h"
#include "generator/split/model_list.h"
#include "generator/walk/walk.h"
#include "ir/entry_function.h"
#include "ir/read_module.h"
#include "mlir/IR/SymbolTable.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::generator {
namespace {

// Renames another @main of the module, so that `entry` can have the name.
Expected<void> MakeMain(mlir::ModuleOp module, const std::string& entry) {
  if (entry == kMainFunction) return {};
  mlir::SymbolTable table(module);
  mlir::Operation* function = table.lookup(entry);
  bool done = true;
  if (mlir::Operation* other = table.lookup(kMainFunction)) {
    done = succeeded(table.renameToUnique(other, {}));
    mlir::SymbolTable::setSymbolVisibility(other, mlir::SymbolTable::Visibility::Private);
  }
  if (!done || failed(table.rename(function, llvm::StringRef(kMainFunction)))) {
    return MakeError(ExitCode::kUnsupported, fmt::format("@{} cannot be made @main", entry));
  }
  mlir::SymbolTable::setSymbolVisibility(function, mlir::SymbolTable::Visibility::Public);
  return {};
}

}  // namespace

ModelSplit RecordOf(const SplitOptions& options, bool allow_unregistered) {
  return {.fold_limit = options.fold_limit,
          .vary_constants = options.vary_constants,
          .inside_regions = options.walk.inside_regions,
          .composites = options.walk.composites,
          .granularity = options.granularity,
          .shards = options.shards,
          .allow_unregistered = allow_unregistered};
}

SplitOptions OptionsOf(const Model& model) {
  SplitOptions options;
  options.walk = {};
  options.shards = Shards::kGlobal;
  if (!model.split) return options;
  options.fold_limit = model.split->fold_limit;
  options.vary_constants = model.split->vary_constants;
  options.walk.inside_regions = model.split->inside_regions;
  options.walk.composites = model.split->composites;
  options.granularity = model.split->granularity;
  options.shards = model.split->shards;
  return options;
}

std::optional<ModelSplit> Combine(const std::optional<ModelSplit>& first, const std::optional<ModelSplit>& second) {
  if (!first || !second) return std::nullopt;
  // An argument of the first split's case stays an argument; the second's limit decides whether a constant is folded.
  return ModelSplit{.fold_limit = std::min(first->fold_limit, second->fold_limit),
                    .vary_constants = first->vary_constants || second->vary_constants,
                    .inside_regions = first->inside_regions || second->inside_regions,
                    .composites = std::max(first->composites, second->composites),
                    .granularity = second->granularity,
                    .shards = std::max(first->shards, second->shards),
                    .allow_unregistered = first->allow_unregistered || second->allow_unregistered};
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadAsSplit(const Model& model, mlir::MLIRContext& context) {
  const Expected<std::string> bytes = ReadFile(model.source);
  if (!bytes && model.sha256.empty()) return Unexpected(bytes.error());
  if (!bytes) {
    return MakeError(bytes.error().code,
                     fmt::format("{}; the model was split from there: run from the same folder, or split it again",
                                 bytes.error().message));
  }
  if (!model.sha256.empty() && Sha256Hex(*bytes) != model.sha256) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: has changed since it was split: split it again", model.source));
  }
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      ReadModuleFromBytes(TextOfSection(*bytes, model.section), model.source, context,
                          {.allow_mhlo = model.split && model.split->allow_unregistered});
  if (!module) return module;
  const std::string entry = EntryName(**module, model.entry.empty() ? kMainFunction : model.entry);
  std::vector<ShapeArgument> shapes;
  for (const std::string& text : model.shapes) {
    Expected<ShapeArgument> shape = ParseShapeArgument(text);
    if (!shape) return Unexpected(shape.error());
    shapes.push_back(std::move(*shape));
  }
  if (!shapes.empty()) {
    if (const Expected<void> done = SpecializeShapes(**module, entry, shapes); !done) return Unexpected(done.error());
  }
  const Expected<mlir::ModuleOp> found = FindEntryModule(**module, entry);
  if (!found) return Unexpected(found.error());
  if (*found != **module) *module = mlir::cast<mlir::ModuleOp>((*found)->clone());
  if (const Expected<void> done = MakeMain(**module, entry); !done) return Unexpected(done.error());
  return module;
}

}  // namespace opbyop::generator
