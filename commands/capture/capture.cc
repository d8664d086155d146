// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop capture [MODEL...] -o DIR: stores the operands of the cases of a split, from one run of each model in the
// reference.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "chained/capture_operands.h"
#include "commands/command.h"
#include "commands/execute.h"
#include "generator/split/model_split.h"
#include "manifests/cases/manifest.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/captured.h"
#include "support/text/count_text.h"
#include "support/text/progress_line.h"

namespace opbyop::commands {
namespace {

using generator::ModelSource;
using reference::InputData;

struct CaptureArguments {
  std::vector<std::string> models;
  std::filesystem::path output;
  chained::CaptureOptions options;
  ModelSplit split = generator::RecordOf({}, false);  // used if the manifest does not have it
  bool has_split = false;
  double tensor_limit_mb = 16;
  double total_limit_mb = 1024;
};

// The named models, or all models of the manifest that were split.
std::vector<ModelSource> SourcesOf(const Manifest& manifest, const CaptureArguments& arguments) {
  if (!arguments.models.empty()) return generator::ListModels(arguments.models);
  std::vector<std::string> models;
  for (const Model& model : manifest.models) {
    if (model.error.empty()) models.push_back(model.name + "=" + model.source);
  }
  return generator::ListModels(models);
}

// The model of the manifest for `source`.
Expected<Model> ModelOf(const Manifest& manifest, const ModelSource& source, const CaptureArguments& arguments) {
  if (source.error) return Unexpected(*source.error);
  const auto found = std::ranges::find(manifest.models, source.name, &Model::name);
  if (found == manifest.models.end()) {
    return MakeError(ExitCode::kUsage, fmt::format("{}: `{}` is no model of {}: split it first", source.file.string(),
                                                   source.name, manifest.path.string()));
  }
  Model model = *found;
  model.source = source.file.generic_string();
  if (!model.split) model.split = arguments.split;
  return model;
}

ExitCode Run(const CaptureArguments& arguments) {
  const std::filesystem::path path = arguments.output / "manifest.yaml";
  const Expected<Manifest> manifest = LoadManifest(path);
  if (!manifest) return Report(manifest.error());
  Expected<reference::CapturedIndex> index = reference::CapturedIndex::Load(arguments.output);
  if (!index) return Report(index.error());
  std::map<std::string, std::string> ids;
  for (const Case& c : manifest->cases) ids[c.hash] = c.id;
  const auto tensor_limit = static_cast<size_t>(arguments.tensor_limit_mb * 0x1p20);
  auto room = static_cast<int64_t>(arguments.total_limit_mb * 0x1p20);
  ExitCode code = ExitCode::kOk;
  const bool is_recorded = std::ranges::all_of(manifest->models, [](const Model& model) { return bool(model.split); });
  if (arguments.has_split && is_recorded) {
    std::cerr << fmt::format("capture: --fold-limit and --keep-constants are ignored: {} says how it was split\n",
                             path.string());
  }
  ProgressLine line(stderr, ProgressLine::StyleOf(stderr));
  for (const ModelSource& source : SourcesOf(*manifest, arguments)) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const Expected<Model> model = ModelOf(*manifest, source, arguments);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
        model ? generator::ReadAsSplit(*model, context) : Unexpected(model.error());
    if (!module) {
      Report(module.error());
      code = ExitCode::kPartial;
      continue;
    }
    int64_t captured = 0;
    int64_t too_large = 0;
    chained::CaptureOptions options = arguments.options;
    options.split = generator::OptionsOf(*model);
    options.model = source.name;
    options.ranges = source.ranges;
    int64_t evaluated = 0;
    const auto sink = [&](const std::string& hash, const std::vector<InputData>& operands) -> Expected<void> {
      ++evaluated;
      if (line.due()) {
        line.Show(fmt::format("{}: {} evaluated, operands of {} captured", source.name, CountText(evaluated, "op"),
                              CountText(captured, "case")));
      }
      const auto found = ids.find(hash);
      if (found == ids.end() || index->Find(found->second) != nullptr) return {};
      if (room <= 0 ||
          std::ranges::any_of(operands, [&](const InputData& o) { return o.bytes.size() > tensor_limit; })) {
        ++too_large;
        return {};
      }
      std::vector<std::string> names;
      for (const InputData& operand : operands) {
        const Expected<reference::Stored> stored = reference::StoreCaptured(index->folder(), operand);
        if (!stored) return Unexpected(stored.error());
        room -= stored->bytes;
        names.push_back(stored->name);
      }
      index->Set(found->second, std::move(names));
      ++captured;
      return {};
    };
    const Expected<int64_t> ops = chained::CaptureOperands(module->get(), options, sink);
    line.Clear();
    if (!ops) {
      Report({ops.error().code, fmt::format("{}: {}", source.name, ops.error().message)});
      code = ExitCode::kPartial;
    }
    std::cout << fmt::format("{}: operands of {} captured, {} above the limits\n", source.name,
                             CountText(captured, "case"), too_large);
  }
  if (const Expected<void> saved = index->Save(); !saved) return Report(saved.error());
  return code;
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "capture", "Run models in the reference and keep the operands of each case.",
                          "opbyop capture -o out/ops");
  auto arguments = std::make_shared<CaptureArguments>();
  app->add_option("MODEL", arguments->models, "Models of the manifest: files or folders, as for `split`; default: all");
  app->add_option("-o,--output", arguments->output, "Folder of the split; captured/ is written there")->required();
  app->add_option("--seed", arguments->options.seed, "Seed of the models' inputs")->capture_default_str();
  app->add_option("--fold-limit", arguments->split.fold_limit,
                  "As given to `split`; used if the manifest does not have it")
      ->capture_default_str();
  arguments->split.vary_constants = true;
  AddConstantsFlags(*app, arguments->split.vary_constants,
                    "As given to `split`; used if the manifest does not have it");
  app->add_option("--tensor-limit", arguments->tensor_limit_mb, "MiB; cases with a larger operand are left out")
      ->capture_default_str();
  app->add_option("--total-limit", arguments->total_limit_mb, "MiB that all captures may take, compressed")
      ->capture_default_str();
  return InReadingChild({app, [app, arguments] {
                           arguments->has_split = app->count("--fold-limit") + app->count("--keep-constants") +
                                                      app->count("--vary-constants") >
                                                  0;
                           return Run(*arguments);
                         }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
