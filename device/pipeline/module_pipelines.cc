// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pipeline/module_pipelines.h"

#include <fmt/format.h>
#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>

#include <map>

#include "device/pipeline/refusal.h"
#include "ir/first_error.h"

namespace opbyop::device {
namespace {

constexpr int kModulesPerContext = 512;

// A context with the pipelines that run in it.
struct Workspace {
  explicit Workspace(const mlir::DialectRegistry& registry)
      : context(registry, mlir::MLIRContext::Threading::DISABLED) {}

  mlir::MLIRContext context;
  std::map<std::string, mlir::PassManager, std::less<>> managers;  // by name of the stage
  int modules = 0;
};

Expected<void> Parse(const Stage& stage, mlir::PassManager& manager) {
  // The text is parsed directly into the manager. If a parsed pipeline is moved there afterwards, passes that keep
  // options outside of their option fields (buffer-results-to-out-params) lose them.
  llvm::StringRef passes = llvm::StringRef(stage.pipeline).trim();
  if (!passes.consume_front("builtin.module(") || !passes.consume_back(")")) {
    return MakeError(ExitCode::kBadInput, fmt::format("stage '{}': expected a pass pipeline on the module, "
                                                      "builtin.module(...), found '{}'",
                                                      stage.name, stage.pipeline));
  }
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (mlir::succeeded(mlir::parsePassPipeline(passes, manager, stream))) return {};
  return MakeError(ExitCode::kBadInput,
                   fmt::format("stage '{}': its pass pipeline does not parse: {}", stage.name, errors));
}

}  // namespace

struct ModulePipelines::State {
  Expected<void> Refresh();

  std::vector<Stage> stages;
  mlir::DialectRegistry registry;
  VerifyAfter verify;
  std::unique_ptr<Workspace> workspace;
};

Expected<void> ModulePipelines::State::Refresh() {
  workspace.reset();
  auto fresh = std::make_unique<Workspace>(registry);
  for (const Stage& stage : stages) {
    mlir::PassManager& manager = fresh->managers.try_emplace(stage.name, &fresh->context).first->second;
    if (auto parsed = Parse(stage, manager); !parsed) return parsed;
    manager.enableVerifier(verify == VerifyAfter::kPass);
  }
  workspace = std::move(fresh);
  return {};
}

ModulePipelines::ModulePipelines(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModulePipelines::~ModulePipelines() = default;

Expected<std::unique_ptr<ModulePipelines>> ModulePipelines::Create(const std::vector<Stage>& stages,
                                                                   const mlir::DialectRegistry& registry,
                                                                   VerifyAfter verify) {
  auto state = std::make_unique<State>();
  for (const Stage& stage : stages) {
    if (!stage.pipeline.empty()) state->stages.push_back(stage);
  }
  registry.appendTo(state->registry);
  state->verify = verify;
  if (auto ready = state->Refresh(); !ready) return Unexpected(ready.error());
  return std::unique_ptr<ModulePipelines>(new ModulePipelines(std::move(state)));
}

Expected<mlir::MLIRContext*> ModulePipelines::Context() {
  if (!state_->workspace || state_->workspace->modules == kModulesPerContext) {
    if (auto ready = state_->Refresh(); !ready) return Unexpected(ready.error());
  }
  ++state_->workspace->modules;
  return &state_->workspace->context;
}

StageResult ModulePipelines::Run(std::string_view stage, mlir::ModuleOp module) {
  Workspace& workspace = *state_->workspace;
  FirstError error(workspace.context);
  mlir::PassManager& manager = workspace.managers.find(stage)->second;
  if (mlir::succeeded(manager.run(module)) && mlir::succeeded(mlir::verify(module))) return {};
  const std::string text = error.text();
  llvm::StringRef reason = text;
  const bool unsupported = reason.consume_front(kUnsupportedPrefix);
  return {unsupported ? Status::kUnsupported : Status::kFail, reason.str()};
}

}  // namespace opbyop::device
