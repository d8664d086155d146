#include "device/pipeline/mlir_pipeline_runner.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Tools/Plugins/DialectPlugin.h>
#include <mlir/Tools/Plugins/PassPlugin.h>

#include <optional>
#include <vector>

#include "ir/first_error.h"
#include "ir/read_module.h"
#include "ir/register.h"
#include "support/file.h"

namespace opbyop {
namespace {

constexpr std::string_view kUnsupported = "unsupported: ";

// Attributes and types are never freed from a context: a fresh one now and then bounds what a worker holds.
constexpr int kRunsPerContext = 512;

struct Plugins {
  std::vector<mlir::DialectPlugin> dialects;
  std::string versions;
};

Expected<Plugins> LoadPlugins(const Target& target) {
  Plugins plugins;
  for (const std::string& name : target.plugins) {
    const std::filesystem::path relative = name;
    const std::string path =
        (relative.is_absolute() ? relative : std::filesystem::absolute(target.path).parent_path() / relative).string();
    auto dialect = mlir::DialectPlugin::load(path);
    auto pass = mlir::PassPlugin::load(path);
    if (!dialect && !pass) {
      llvm::consumeError(pass.takeError());
      return MakeError(ExitCode::kNoInput, fmt::format("{}: plugin {}: {}", target.path.string(), name,
                                                       llvm::toString(dialect.takeError())));
    }
    if (pass) {
      pass->registerPassRegistryCallbacks();
      plugins.versions += fmt::format(", {} {}", pass->getPluginName().str(), pass->getPluginVersion().str());
    } else {
      llvm::consumeError(pass.takeError());
    }
    if (dialect) {
      plugins.dialects.push_back(*dialect);
    } else {
      llvm::consumeError(dialect.takeError());
    }
  }
  return plugins;
}

}  // namespace

struct MlirPipelineRunner::State {
  mlir::DialectRegistry registry;
  bool own_dialects = true;
  std::string version;
  std::vector<Stage> stages;
  std::unique_ptr<mlir::MLIRContext> context;
  std::map<std::string, std::unique_ptr<mlir::PassManager>> managers;  // by stage name
  int runs = 0;

  Expected<void> Refresh();
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Read(const std::filesystem::path& path);
};

Expected<void> MlirPipelineRunner::State::Refresh() {
  if (context && runs++ < kRunsPerContext) return {};
  runs = 1;
  managers.clear();
  context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  for (const Stage& stage : stages) {
    // The anchor's passes are parsed into the manager itself, as in device/host/host_compiler.cc.
    llvm::StringRef passes = llvm::StringRef(stage.pipeline).trim();
    if (!passes.consume_front("builtin.module(") || !passes.consume_back(")")) {
      return MakeError(ExitCode::kBadInput, fmt::format("stage '{}': expected a pass pipeline on the module, "
                                                        "builtin.module(...), found '{}'",
                                                        stage.name, stage.pipeline));
    }
    auto manager = std::make_unique<mlir::PassManager>(context.get());
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    if (mlir::failed(mlir::parsePassPipeline(passes, *manager, stream))) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("stage '{}': its pass pipeline does not parse: {}", stage.name, errors));
    }
    managers[stage.name] = std::move(manager);
  }
  return {};
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> MlirPipelineRunner::State::Read(const std::filesystem::path& path) {
  if (own_dialects) return ReadModule(path, *context);
  FirstError error(*context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path.string(), context.get());
  if (module) return module;
  return MakeError(ExitCode::kBadInput, fmt::format("{}: {}", error.place(), error.text()));
}

MlirPipelineRunner::MlirPipelineRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
MlirPipelineRunner::~MlirPipelineRunner() = default;

Expected<std::unique_ptr<PipelineRunner>> MlirPipelineRunner::Create(const Target& target,
                                                                     const DialectSources& dialects) {
  RegisterNpyMainPass();
  auto plugins = LoadPlugins(target);
  if (!plugins) return Unexpected(plugins.error());
  auto state = std::make_unique<State>();
  for (const mlir::DialectPlugin& plugin : plugins->dialects) plugin.registerDialectRegistryCallbacks(state->registry);
  state->own_dialects = llvm::none_of(
      kOwnDialects, [&](const char* name) { return static_cast<bool>(state->registry.getDialectAllocator(name)); });
  if (state->own_dialects) dialects.own(state->registry);
  dialects.lowering(state->registry);
  state->version = fmt::format("MLIR {}{}", LLVM_VERSION_STRING, plugins->versions);
  for (const Stage& stage : target.stages) {
    if (!stage.pipeline.empty()) state->stages.push_back(stage);
  }
  if (auto ready = state->Refresh(); !ready) {
    return MakeError(ready.error().code, target.path.string() + ": " + ready.error().message);
  }
  return std::unique_ptr<PipelineRunner>(new MlirPipelineRunner(std::move(state)));
}

std::string MlirPipelineRunner::Version() const { return state_->version; }

StageResult MlirPipelineRunner::Run(const Stage& stage, const std::filesystem::path& input,
                                    const std::filesystem::path& output) {
  if (auto ready = state_->Refresh(); !ready) return {Status::kFail, ready.error().message};
  auto module = state_->Read(input);
  if (!module) {
    return {module.error().code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kFail,
            module.error().message};
  }
  {
    FirstError error(*state_->context);
    if (mlir::failed(state_->managers.at(stage.name)->run(**module)) || mlir::failed(mlir::verify(**module))) {
      std::string text = error.text();
      if (!text.starts_with(kUnsupported)) return {Status::kFail, std::move(text)};
      return {Status::kUnsupported, text.substr(kUnsupported.size())};
    }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  if (auto written = WriteFile(output, text); !written) return {Status::kFail, written.error().message};
  return {};
}

}  // namespace opbyop
