// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/profile_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/program/signature.h"
#include "generator/shard/propagation.h"
#include "generator/split/kept_attributes.h"
#include "generator/split/model_split.h"
#include "ir/entry_function.h"
#include "manifests/runs/private_text.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/estimate.h"

namespace opbyop::chained {

using generator::CaseMap;

Model ProgramOf(const ProfileOptions& options) {
  if (options.manifest != nullptr) {
    const auto found = std::ranges::find(options.manifest->models, options.model.name, &Model::name);
    if (found != options.manifest->models.end()) return *found;
  }
  return {.name = options.model.name,
          .source = options.model.file.generic_string(),
          .entry = options.entry,
          .shapes = options.shapes};
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadProgram(const Model& program, const ProfileOptions& options,
                                                        mlir::MLIRContext& context) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = generator::ReadAsSplit(program, context);
  if (!module) return module;
  const double executions = reference::EstimateWork(module->get()).executions;
  if (executions <= options.max_executions) return module;
  return MakeError(
      ExitCode::kUnsupported,
      fmt::format("{}: unsupported: executes {:.3g} ops, every call and every known trip of a loop counted, "
                  "limit {:.3g}; --max-executions raises it",
                  program.source, executions, options.max_executions));
}

Expected<CaseMap> MapCases(mlir::ModuleOp module, const Model& model, const Manifest* manifest, const Target& target,
                           Shards shards) {
  generator::SplitOptions split = generator::OptionsOf(model);
  // The chain runs the ops in bodies of control flow, whether or not they are rows of the manifest, and runs a composite
  // as one op if it is a row.
  split.walk.inside_regions = true;
  if (split.walk.composites == Composites::kInside) split.walk.composites = Composites::kWhole;
  if (manifest == nullptr || split.shards == Shards::kSharded) split.shards = shards;
  Expected<CaseMap> map = CaseMap::Make(module, split, target.keep_attributes);
  if (!map || manifest == nullptr) return map;
  std::vector<Case> cases;
  for (generator::KeptCase& kept : generator::KeptCases(*manifest, target.keep_attributes)) {
    cases.push_back(std::move(kept.c));
  }
  map->TakeIds(cases);
  return map;
}

std::string WhyNotDivided(mlir::ModuleOp module, const Model& model, const protocol::Hello& hello) {
  const std::string entry = EntryName(module, generator::OptionsOf(model).entry);
  const Expected<mlir::ModuleOp> program = FindEntryModule(module, entry);
  if (!program) return "";
  const generator::Shardings shardings = generator::PropagateShardings(*program);
  if (!shardings.any() || shardings.devices() < 2) return "";
  if (shardings.devices() > hello.devices) {
    return fmt::format("the program needs {} devices, its worker has {}", shardings.devices(), hello.devices);
  }
  return hello.shardings ? "" : "its worker divides no tensors among devices";
}

Case WholeModel(const CaseMap& map) {
  auto function = llvm::cast<mlir::FunctionOpInterface>(map.entry());
  Case c;
  c.id = "whole_model";
  c.op = kWholeModel;
  c.inputs = generator::ToTensorTypes(function.getArgumentTypes());
  c.no_runtime_input = c.inputs.empty();
  c.outputs = generator::ToTensorTypes(function.getResultTypes());
  c.sharding = map.sharding();
  return c;
}

std::string TextOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

optrace::Header MakeHeader(const ProfileOptions& options, const RunHeader& machine, const std::string& toolchain) {
  optrace::Header header = {.run_id = machine.run_id, .command = options.command, .model = options.model.name};
  header.target = options.target.name;
  header.toolchain = toolchain;
  header.start = machine.start;
  return header;
}

PrivateValues PrivateValuesOf(const ProfileOptions& options) {
  PrivateValues values = PrivateValues::OfThisProgram(VariablesNamedBy(options.target.path));
  values.AllowNamesIn(NamesOf(options.target) + options.model.name + "\n" + options.output.string());
  return values;
}

}  // namespace opbyop::chained
