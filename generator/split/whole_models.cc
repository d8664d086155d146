// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/whole_models.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "fmt/format.h"
#include "generator/program/case_id.h"
#include "generator/program/case_writer.h"
#include "generator/program/cost.h"
#include "generator/program/foreign_attributes.h"
#include "generator/program/inert_attributes.h"
#include "generator/program/process_grid.h"
#include "generator/program/signature.h"
#include "generator/shard/op_sharding.h"
#include "generator/split/case_folder.h"
#include "generator/split/model_list.h"
#include "generator/split/model_split.h"
#include "ir/missing_elements.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/files/sha256.h"

namespace opbyop::generator {
namespace {

constexpr std::string_view kMain = "main";

// The first constant whose elements are not in the file, as the rest of a sentence.
std::optional<std::string> FindMissingElements(mlir::ModuleOp module) {
  std::optional<std::string> missing;
  module.walk([&](mlir::Operation* op) {
    for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
      auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attribute.getValue());
      if (!missing && elements) missing = MissingElements(elements);
    }
  });
  return missing;
}

int64_t FlopsOf(const Manifest& split, const std::string& model) {
  int64_t flops = 0;
  for (const Case& c : split.cases) {
    if (c.has_several_ops()) continue;  // its ops are counted themselves
    for (const Origin& origin : c.origins) {
      if (origin.model == model) flops += c.flops * origin.count;
    }
  }
  return flops;
}

// How devices divide the tensors of a model that is split as `sharded`; null if every device has all of them.
std::shared_ptr<const CaseSharding> ShardingOf(mlir::ModuleOp module, const Model& model) {
  if (!model.split || model.split->shards != Shards::kSharded) return nullptr;
  auto main = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(mlir::SymbolTable::lookupSymbolIn(module, kMain));
  return main ? OpShardings(module).Of(main) : nullptr;
}

}  // namespace

Expected<WholeModel> LoadWholeModel(const Manifest& split, const Model& model, const ModelSource& source,
                                    Locations locations) {
  if (source.error) return Unexpected(*source.error);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadAsSplit(model, context);
  if (!module) return Unexpected(module.error());
  if (const auto missing = FindMissingElements(**module)) {
    return MakeError(ExitCode::kUnsupported, fmt::format("a constant {}; the whole model cannot be run", *missing));
  }
  ForeignAttributes foreign(**module);
  const std::shared_ptr<const CaseSharding> sharding = ShardingOf(**module, model);
  StripInert(**module);
  auto main = mlir::dyn_cast_or_null<mlir::FunctionOpInterface>(mlir::SymbolTable::lookupSymbolIn(**module, kMain));
  if (!main) return MakeError(ExitCode::kBadInput, fmt::format("{}: @main is no function", model.source));

  WholeModel whole;
  Case& c = whole.c;
  c.op = kWholeModel;
  c.target = model.name;
  c.inputs = ToTensorTypes(main.getArgumentTypes());
  c.outputs = ToTensorTypes(main.getResultTypes());
  c.flops = FlopsOf(split, model.name);
  c.bytes = BytesMoved(c.inputs, c.outputs);
  c.sharding = sharding;
  if (!sharding) c.grid = ProcessGrid(**module).Of(main);
  // The devices that a program names are those of its shardings or of its grid.
  if (c.devices() == Grid()) c.processes = ProcessesNamedBy(**module);
  c.no_runtime_input = c.inputs.empty();
  if (std::ranges::any_of(source.ranges, &InputRange::has_value)) c.input_ranges = source.ranges;
  c.origins.push_back({.model = model.name, .count = model.ops, .attributes = foreign.OfWhole(main)});
  CaseHeader header{.id = CaseIdStem(c.op, c.target, c.inputs, c.outputs, c.devices()),
                    .notes = {"the whole of " + model.source}};
  const std::string plain = CaseText(**module, header);
  c.hash = Sha256Hex(sharding ? WithSharding(plain, *sharding) : plain);
  c.id = MakeIds({{header.id, c.hash}}).front();
  c.file = fmt::format("cases/{}.mlir", c.id);
  header.id = c.id;
  whole.text = locations == Locations::kKeep ? ProgramText(**module, locations) : CaseText(**module, header);
  return whole;
}

Expected<std::filesystem::path> WriteWholeModels(const Manifest& split, const std::filesystem::path& folder) {
  SplitResult result;
  const Expected<std::unique_ptr<CaseFolder>> cases = CaseFolder::Open(folder);
  if (!cases) return Unexpected(cases.error());
  std::optional<Error> first;
  std::vector<std::string> files;
  for (const Model& model : split.models) files.push_back(model.source);
  const std::vector<ModelSource> sources = ListModels(files);
  for (const Model& model : split.models) {
    Model& own = result.manifest.models.emplace_back(model);
    own.stage.clear();  // a model runs through all stages, whatever was split
    if (!model.error.empty()) continue;
    const auto source = std::ranges::find(sources, std::filesystem::path(model.source), &ModelSource::file);
    Expected<WholeModel> whole = source == sources.end()
                                     ? MakeError(ExitCode::kNoInput, fmt::format("{}: is no model", model.source))
                                     : LoadWholeModel(split, model, *source);
    if (!whole) {
      own.error = whole.error().message;
      if (!first) first = Error{whole.error().code, fmt::format("{}: {}", model.name, own.error)};
      continue;
    }
    if (const Expected<void> stored = (*cases)->Store(whole->c.id, whole->text); !stored)
      return Unexpected(stored.error());
    result.manifest.cases.push_back(std::move(whole->c));
  }
  if (result.manifest.cases.empty()) {
    if (first) return Unexpected(*first);
    return MakeError(ExitCode::kNothingToDo, fmt::format("{}: has no model", split.path.string()));
  }
  if (const Expected<void> published = (*cases)->Publish(result); !published) return Unexpected(published.error());
  return folder / "manifest.yaml";
}

}  // namespace opbyop::generator
