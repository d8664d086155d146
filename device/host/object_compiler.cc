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
  explicit State(std::unique_ptr<llvm::TargetMachine> target_machine)
      : machine(std::move(target_machine)), builder(machine.get()) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }

  std::unique_ptr<llvm::TargetMachine> machine;
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
  auto machine = CreateTargetMachine();
  if (!machine) return Unexpected(machine.error());
  auto state = std::make_unique<State>(std::move(*machine));
  if (!pipeline.empty()) {
    if (llvm::Error error = state->builder.parsePassPipeline(state->passes, llvm::StringRef(pipeline))) {
      return MakeError(ExitCode::kBadInput, fmt::format("LLVM pass pipeline '{}' does not parse: {}", pipeline,
                                                        llvm::toString(std::move(error))));
    }
  }
  return ObjectCompiler(std::move(state));
}

Expected<std::string> ObjectCompiler::Compile(llvm::Module& module) {
  module.setDataLayout(state_->machine->createDataLayout());
  module.setTargetTriple(state_->machine->getTargetTriple());
  state_->passes.run(module, state_->modules);
  // Analyses are keyed by address: those of a dead module must not serve the next one.
  state_->loops.clear();
  state_->functions.clear();
  state_->call_graphs.clear();
  state_->modules.clear();

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emitter;
  if (state_->machine->addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                           /*DisableVerify=*/true)) {
    return MakeError(ExitCode::kInternal, "LLVM cannot emit object files for " + ThisMachine().triple);
  }
  emitter.run(module);
  return std::string(object.begin(), object.end());
}

}  // namespace opbyop::host
