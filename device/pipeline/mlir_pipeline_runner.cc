// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pipeline/mlir_pipeline_runner.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Tools/Plugins/DialectPlugin.h>
#include <mlir/Tools/Plugins/PassPlugin.h>

#include <vector>

#include "device/pipeline/module_pipelines.h"
#include "ir/first_error.h"
#include "ir/read_module.h"
#include "ir/register.h"
#include "support/files/file.h"

namespace opbyop::device {
namespace {

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
  bool own_dialects = true;
  std::string version;
  std::unique_ptr<ModulePipelines> pipelines;

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Read(const std::filesystem::path& path);
};

Expected<mlir::OwningOpRef<mlir::ModuleOp>> MlirPipelineRunner::State::Read(const std::filesystem::path& path) {
  auto context = pipelines->Context();
  if (!context) return Unexpected(context.error());
  if (own_dialects) return ReadModule(path, **context);
  FirstError error(**context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path.string(), *context);
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
  mlir::DialectRegistry registry;
  for (const mlir::DialectPlugin& plugin : plugins->dialects) plugin.registerDialectRegistryCallbacks(registry);
  state->own_dialects = llvm::none_of(
      kOwnDialects, [&](const char* name) { return static_cast<bool>(registry.getDialectAllocator(name)); });
  if (state->own_dialects) dialects.own(registry);
  dialects.lowering(registry);
  state->version = fmt::format("MLIR {}{}", LLVM_VERSION_STRING, plugins->versions);
  auto pipelines = ModulePipelines::Create(target.stages, registry, VerifyAfter::kPass);
  if (!pipelines) return MakeError(pipelines.error().code, target.path.string() + ": " + pipelines.error().message);
  state->pipelines = std::move(*pipelines);
  return std::unique_ptr<PipelineRunner>(new MlirPipelineRunner(std::move(state)));
}

std::string MlirPipelineRunner::Version() const { return state_->version; }

StageResult MlirPipelineRunner::Run(const Stage& stage, const std::filesystem::path& input,
                                    const std::filesystem::path& output) {
  auto module = state_->Read(input);
  if (!module) return ResultOf(module.error());
  if (StageResult result = state_->pipelines->Run(stage.name, **module); !result.passed()) return result;
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  if (auto written = WriteFile(output, text); !written) return ResultOf(written.error());
  return {};
}

}  // namespace opbyop::device
