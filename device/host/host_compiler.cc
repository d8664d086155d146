#include "device/host/host_compiler.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/Verifier.h>
#include <mlir/InitAllPasses.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <vector>

#include "device/host/artifact.h"
#include "device/host/machine.h"
#include "device/host/object_compiler.h"
#include "device/host/passes.h"
#include "ir/first_error.h"
#include "ir/read_module.h"
#include "support/file.h"

namespace opbyop::host {
namespace {

constexpr std::string_view kParseStage = "parse";
constexpr std::string_view kCodegenStage = "llvm-to-flatbuffer";
constexpr std::string_view kVersion = "opbyop-host 0.1.0, LLVM " LLVM_VERSION_STRING;

// Attributes and types are never freed from a context: a fresh one now and then bounds what a worker holds.
constexpr int kCasesPerContext = 512;

StageResult Fail(std::string diagnostic) {
  constexpr std::string_view prefix(kUnsupportedPrefix.data(), kUnsupportedPrefix.size());
  const size_t end = diagnostic.find('\n');
  if (end != std::string::npos) diagnostic.resize(end);
  if (diagnostic.starts_with(prefix)) return {Status::kUnsupported, diagnostic.substr(prefix.size())};
  return {Status::kFail, std::move(diagnostic)};
}

StageResult Fail(const Error& error) {
  StageResult result = Fail(error.message);
  if (error.code == ExitCode::kUnsupported) result.status = Status::kUnsupported;
  return result;
}

TensorType TensorTypeOf(mlir::Type type) {
  TensorType result;
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    for (const int64_t dim : tensor.getShape()) {
      result.shape.push_back(mlir::ShapedType::isDynamic(dim) ? kDynamic : dim);
    }
    type = tensor.getElementType();
  }
  // Quantized elements are exchanged as what is stored.
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type)) {
    result.dtype = fmt::format("{}{}", quantized.isSigned() ? "i" : "ui", quantized.getStorageTypeIntegralWidth());
    return result;
  }
  llvm::raw_string_ostream stream(result.dtype);
  stream << type;
  return result;
}

// What callers see: the types before any stage changed them.
Expected<Signature> SignatureOf(mlir::ModuleOp module, const std::string& file) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal()) {
    return MakeError(ExitCode::kBadInput, file + ": the module has no function @main with a body; a case needs one");
  }
  Signature signature;
  for (mlir::Type type : main.getArgumentTypes()) signature.inputs.push_back(TensorTypeOf(type));
  for (mlir::Type type : main.getResultTypes()) signature.outputs.push_back(TensorTypeOf(type));
  return signature;
}

std::string TextOf(mlir::ModuleOp module, bool with_locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, mlir::OpPrintingFlags().useLocalScope().enableDebugInfo(with_locations));
  return text;
}

// A context with the pipelines that run in it.
struct Workspace {
  explicit Workspace(const mlir::DialectRegistry& registry)
      : context(registry, mlir::MLIRContext::Threading::DISABLED) {}

  mlir::MLIRContext context;
  std::vector<std::unique_ptr<mlir::PassManager>> pipelines;  // by stage; null where it is built in
  int cases = 0;
};

}  // namespace

void RegisterPipelinePasses() {
  static const bool registered = [] {
    mlir::registerAllPasses();
    RegisterPasses();
    return true;
  }();
  (void)registered;
}

struct HostCompiler::State {
  explicit State(ObjectCompiler object_compiler) : codegen(std::move(object_compiler)) {}

  Expected<void> Refresh();
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Parse(const CompileRequest& request, Signature& signature);
  Expected<void> RunPipeline(size_t stage, mlir::ModuleOp module);
  Expected<std::string> Generate(mlir::ModuleOp module, const Signature& signature, std::string* llvm_ir);

  std::vector<Stage> stages;  // those before `load`
  mlir::DialectRegistry registry;
  ObjectCompiler codegen;
  std::unique_ptr<Workspace> workspace;
};

// Makes sure that there is a workspace young enough for another case.
Expected<void> HostCompiler::State::Refresh() {
  if (workspace && workspace->cases++ < kCasesPerContext) return {};
  workspace.reset();
  auto fresh = std::make_unique<Workspace>(registry);
  for (const Stage& stage : stages) {
    fresh->pipelines.push_back(nullptr);
    if (stage.name == kParseStage || stage.name == kCodegenStage) continue;
    // Parsed into the manager itself: a parsed pipeline that is moved there afterwards loses options of passes
    // that keep them outside of their option fields (buffer-results-to-out-params).
    constexpr llvm::StringLiteral kAnchor = "builtin.module(";
    llvm::StringRef passes = llvm::StringRef(stage.pipeline).trim();
    if (!passes.consume_front(kAnchor) || !passes.consume_back(")")) {
      return MakeError(ExitCode::kBadInput, fmt::format("stage '{}': expected a pass pipeline on the module, "
                                                        "builtin.module(...), found '{}'",
                                                        stage.name, stage.pipeline));
    }
    auto manager = std::make_unique<mlir::PassManager>(&fresh->context);
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    if (mlir::failed(mlir::parsePassPipeline(passes, *manager, stream))) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("stage '{}': its pass pipeline does not parse: {}", stage.name, errors));
    }
    manager->enableVerifier(false);
    fresh->pipelines.back() = std::move(manager);
  }
  workspace = std::move(fresh);
  return {};
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> HostCompiler::State::Parse(const CompileRequest& request,
                                                                       Signature& signature) {
  auto module = ReadModule(request.file, workspace->context);
  if (!module) return module;
  auto read = SignatureOf(**module, request.file.string());
  if (!read) return Unexpected(read.error());
  signature = std::move(*read);
  return module;
}

Expected<void> HostCompiler::State::RunPipeline(size_t stage, mlir::ModuleOp module) {
  FirstError error(workspace->context);
  // Verified once a stage, not once a pass: what goes on to the next stage is sound, at a tenth of the cost.
  if (mlir::failed(workspace->pipelines[stage]->run(module)) || mlir::failed(mlir::verify(module))) {
    return MakeError(ExitCode::kBadInput, error.text());
  }
  return {};
}

Expected<std::string> HostCompiler::State::Generate(mlir::ModuleOp module, const Signature& signature,
                                                    std::string* llvm_ir) {
  llvm::LLVMContext llvm_context;
  std::unique_ptr<llvm::Module> translated;
  {
    FirstError error(workspace->context);
    translated = mlir::translateModuleToLLVMIR(module, llvm_context, "opbyop", /*disableVerification=*/true);
    if (!translated) return MakeError(ExitCode::kBadInput, error.text());
  }
  auto object = codegen.Compile(*translated);
  if (!object) return Unexpected(object.error());
  if (llvm_ir) {
    llvm::raw_string_ostream stream(*llvm_ir);
    translated->print(stream, nullptr);
  }
  const Machine& machine = ThisMachine();
  return WriteArtifact({.producer = std::string(kVersion),
                        .triple = machine.triple,
                        .cpu = machine.cpu,
                        .entry = kEntryName.str(),
                        .signature = signature,
                        .object = std::move(*object)});
}

HostCompiler::HostCompiler(std::unique_ptr<State> state) : state_(std::move(state)) {}
HostCompiler::~HostCompiler() = default;

Expected<std::unique_ptr<HostCompiler>> HostCompiler::Create(const Target& target) {
  RegisterPipelinePasses();
  const std::string file = target.path.string();
  std::string llvm_pipeline;
  std::vector<Stage> stages;
  for (const Stage& stage : target.stages) {
    if (!stage.is_compile_stage()) continue;
    const bool built_in = stage.name == kParseStage || stage.name == kCodegenStage;
    if (!built_in && stage.pipeline.empty()) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}: stage '{}' has no pipeline and is none of the host's own ({}, {})", file,
                                   stage.name, kParseStage, kCodegenStage));
    }
    if (stage.name == kCodegenStage) llvm_pipeline = stage.pipeline;
    stages.push_back(stage);
  }
  if (stages.empty() || stages.front().name != kParseStage || stages.back().name != kCodegenStage) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: the host's first compile stage is '{}' and its last '{}'",
                                                      file, kParseStage, kCodegenStage));
  }
  auto codegen = ObjectCompiler::Create(llvm_pipeline);
  if (!codegen) return MakeError(codegen.error().code, file + ": " + codegen.error().message);
  auto state = std::make_unique<State>(std::move(*codegen));
  state->stages = std::move(stages);
  RegisterHostDialects(state->registry);
  if (auto ready = state->Refresh(); !ready) return MakeError(ready.error().code, file + ": " + ready.error().message);
  return std::unique_ptr<HostCompiler>(new HostCompiler(std::move(state)));
}

std::string HostCompiler::Version() const { return fmt::format("{}, {}", kVersion, ThisMachine().cpu); }

StageResult HostCompiler::Compile(const CompileRequest& request, StageListener& listener, std::string& artifact) {
  if (auto ready = state_->Refresh(); !ready) return Fail(ready.error());
  Signature signature;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool is_past = request.after.empty();
  for (size_t i = 0; i < state_->stages.size(); ++i) {
    const std::string& name = state_->stages[i].name;
    const bool skipped = !is_past && name != kParseStage;
    is_past = is_past || name == request.after;
    if (skipped) continue;
    listener.Begin(name);
    StageResult result;
    std::string text;
    const bool save = request.save_intermediates;
    if (name == kParseStage) {
      auto parsed = state_->Parse(request, signature);
      if (parsed) module = std::move(*parsed);
      if (!parsed) result = Fail(parsed.error());
    } else if (name == kCodegenStage) {
      auto generated = state_->Generate(*module, signature, save ? &text : nullptr);
      if (generated) artifact = std::move(*generated);
      if (!generated) result = Fail(generated.error());
    } else if (auto done = state_->RunPipeline(i, *module); !done) {
      result = Fail(done.error());
    }
    if (save && module) {
      const bool last = name == kCodegenStage;
      const auto path = [&](std::string_view extension) {
        return request.dir / fmt::format("{}_{}.{}", i, name, extension);
      };
      auto saved = WriteFile(path(last ? "ll" : "mlir"), last ? text : TextOf(*module, name == request.until));
      if (saved && last && result.passed()) saved = WriteFile(path("bin"), artifact);
      if (!saved && result.passed()) result = Fail(saved.error());
    }
    listener.End(name, result);
    if (!result.passed() || name == request.until) return result;
  }
  return {};
}

}  // namespace opbyop::host
