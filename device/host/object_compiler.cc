// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/object_compiler.h"

#include <fmt/format.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include "device/host/machine.h"

namespace opbyop::host {

struct ObjectCompiler::State {
  State(std::unique_ptr<llvm::TargetMachine> full_machine, std::unique_ptr<llvm::TargetMachine> quick_machine)
      : full(std::move(full_machine)), quick(std::move(quick_machine)), builder(full.get()) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }

  std::unique_ptr<llvm::TargetMachine> full;
  std::unique_ptr<llvm::TargetMachine> quick;
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::ModulePassManager passes;
};

ObjectCompiler::ObjectCompiler(std::unique_ptr<State> state) : state_(std::move(state)) {}
ObjectCompiler::ObjectCompiler(ObjectCompiler&&) noexcept = default;
ObjectCompiler& ObjectCompiler::operator=(ObjectCompiler&&) noexcept = default;
ObjectCompiler::~ObjectCompiler() = default;

Expected<ObjectCompiler> ObjectCompiler::Create(std::string_view pipeline) {
  auto full = CreateTargetMachine(CodeEffort::kFull);
  if (!full) return Unexpected(full.error());
  auto quick = CreateTargetMachine(CodeEffort::kQuick);
  if (!quick) return Unexpected(quick.error());
  auto state = std::make_unique<State>(std::move(*full), std::move(*quick));
  if (!pipeline.empty()) {
    if (llvm::Error error = state->builder.parsePassPipeline(state->passes, llvm::StringRef(pipeline))) {
      return MakeError(ExitCode::kBadInput, fmt::format("LLVM pass pipeline '{}' does not parse: {}", pipeline,
                                                        llvm::toString(std::move(error))));
    }
  }
  return ObjectCompiler(std::move(state));
}

Expected<std::string> ObjectCompiler::Compile(llvm::Module& module) {
  const bool optimize = llvm::none_of(module, [](const llvm::Function& function) { return function.hasOptNone(); });
  llvm::TargetMachine& machine = optimize ? *state_->full : *state_->quick;
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  if (optimize) {
    state_->passes.run(module, state_->modules);
    // Analyses are keyed by address: those of a destroyed module must not be used for the next one.
    state_->loops.clear();
    state_->functions.clear();
    state_->call_graphs.clear();
    state_->modules.clear();
  }

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emitter;
  if (machine.addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true)) {
    return MakeError(ExitCode::kInternal, "LLVM cannot emit object files for " + ThisMachine().triple);
  }
  emitter.run(module);
  return std::string(object.begin(), object.end());
}

}  // namespace opbyop::host
