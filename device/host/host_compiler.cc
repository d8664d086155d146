// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/host_compiler.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/InitAllPasses.h>
#include <mlir/Target/LLVMIR/Export.h>

#include <vector>

#include "device/host/artifact.h"
#include "device/host/machine.h"
#include "device/host/object_compiler.h"
#include "device/host/passes.h"
#include "device/host/version.h"
#include "device/partition/partition.h"
#include "device/pipeline/module_pipelines.h"
#include "ir/first_error.h"
#include "ir/read_module.h"
#include "ir/strict.h"
#include "support/files/file.h"

namespace opbyop::host {
namespace {

using device::CompileRequest;
using device::ModulePipelines;
using device::ResultOf;

constexpr std::string_view kParseStage = "parse";
constexpr std::string_view kCodegenStage = "llvm-to-flatbuffer";
constexpr std::string_view kVersion = "opbyop-host " OPBYOP_HOST_VERSION ", LLVM " LLVM_VERSION_STRING;

TensorType TensorTypeOf(mlir::Type type) {
  TensorType result;
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    for (const int64_t dim : tensor.getShape()) {
      result.shape.push_back(mlir::ShapedType::isDynamic(dim) ? kDynamic : dim);
    }
    type = tensor.getElementType();
  }
  // Quantized elements are passed in their storage type.
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type)) {
    result.dtype = fmt::format("{}{}", quantized.isSigned() ? "i" : "ui", quantized.getStorageTypeIntegralWidth());
    return result;
  }
  llvm::raw_string_ostream stream(result.dtype);
  stream << type;
  return result;
}

// The signature as callers see it: the types before any stage changed them.
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
  State(ObjectCompiler object_compiler, std::unique_ptr<ModulePipelines> module_pipelines)
      : codegen(std::move(object_compiler)), pipelines(std::move(module_pipelines)) {}

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Parse(const CompileRequest& request, Signature& signature);
  Expected<std::string> Generate(mlir::ModuleOp module, const Signature& signature, const Grid& grid,
                                 std::string* llvm_ir);

  std::vector<Stage> stages;  // those before `load`
  std::string partitioning;   // of the last compilation
  ObjectCompiler codegen;
  std::unique_ptr<ModulePipelines> pipelines;  // for the stages between the first and the last
};

Expected<mlir::OwningOpRef<mlir::ModuleOp>> HostCompiler::State::Parse(const CompileRequest& request,
                                                                       Signature& signature) {
  auto context = pipelines->Context();
  if (!context) return Unexpected(context.error());
  auto module = ReadModule(request.file, **context);
  if (!module) return module;
  if (request.verbatim) {
    if (const Expected<void> strict = VerifyStrictly(**module); !strict) return Unexpected(strict.error());
  }
  partitioning.clear();
  if (request.sharding) {
    const Expected<device::Partitioning> how = device::PartitionProgram(**module, *request.sharding);
    if (!how) return Unexpected(how.error());
    partitioning = how->ToText();
  }
  auto read = SignatureOf(**module, request.file.string());
  if (!read) return Unexpected(read.error());
  signature = std::move(*read);
  if (request.grid != Grid()) {
    (*module)->getOperation()->setAttr(
        kGridAttribute,
        mlir::DenseI64ArrayAttr::get(module->get().getContext(), {request.grid.replicas, request.grid.partitions}));
  }
  return module;
}

Expected<std::string> HostCompiler::State::Generate(mlir::ModuleOp module, const Signature& signature, const Grid& grid,
                                                    std::string* llvm_ir) {
  llvm::LLVMContext llvm_context;
  std::unique_ptr<llvm::Module> translated;
  {
    FirstError error(*module.getContext());
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
                        .object = std::move(*object),
                        .grid = grid});
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
  mlir::DialectRegistry registry;
  RegisterHostDialects(registry);
  // This project's own passes are trusted, so the module is verified only at the end of a stage.
  auto pipelines =
      ModulePipelines::Create({stages.begin() + 1, stages.end() - 1}, registry, device::VerifyAfter::kStage);
  if (!pipelines) return MakeError(pipelines.error().code, file + ": " + pipelines.error().message);
  auto state = std::make_unique<State>(std::move(*codegen), std::move(*pipelines));
  state->stages = std::move(stages);
  return std::unique_ptr<HostCompiler>(new HostCompiler(std::move(state)));
}

std::string HostCompiler::partitioning() const { return state_->partitioning; }

std::string HostCompiler::Version() const { return fmt::format("{}, {}", kVersion, ThisMachine().cpu); }

device::StageResult HostCompiler::Compile(const CompileRequest& request, device::StageListener& listener,
                                          std::string& artifact) {
  Signature signature;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool is_past = request.after.empty();
  for (size_t i = 0; i < state_->stages.size(); ++i) {
    const std::string& name = state_->stages[i].name;
    const bool skipped = !is_past && name != kParseStage;
    is_past = is_past || name == request.after;
    if (skipped) continue;
    listener.Begin(name);
    device::StageResult result;
    std::string text;
    const bool save = request.save_intermediates;
    if (name == kParseStage) {
      auto parsed = state_->Parse(request, signature);
      if (parsed) module = std::move(*parsed);
      if (!parsed) result = ResultOf(parsed.error());
    } else if (name == kCodegenStage) {
      auto generated = state_->Generate(*module, signature, request.grid, save ? &text : nullptr);
      if (generated) artifact = std::move(*generated);
      if (!generated) result = ResultOf(generated.error());
    } else {
      result = state_->pipelines->Run(name, *module);
    }
    if (save && module) {
      const bool last = name == kCodegenStage;
      const auto path = [&](std::string_view extension) {
        return request.dir / fmt::format("{}_{}.{}", i, name, extension);
      };
      auto saved = WriteFile(path(last ? "ll" : "mlir"), last ? text : TextOf(*module, name == request.until));
      if (saved && last && result.passed()) saved = WriteFile(path("bin"), artifact);
      if (!saved && result.passed()) result = ResultOf(saved.error());
    }
    listener.End(name, result);
    if (!result.passed() || name == request.until) return result;
  }
  return {};
}

}  // namespace opbyop::host
