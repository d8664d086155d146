// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-opt: reads, verifies, transforms and prints MLIR of this project's
// dialects, with the options of mlir-opt.
//
//   opbyop-opt model.mlirbc --canonicalize     # portable artifacts too
//   opbyop-opt tests.mlir --split-input-file --verify-diagnostics
//   opbyop-opt case.mlir --pass-pipeline="builtin.module(opbyop-inline-calls,opbyop-stablehlo-to-linalg)"
//   opbyop-opt model.mlir --serialize --target=1.0.0 -o model.mlirbc
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/host/host_compiler.h"
#include "ir/artifact_info.h"
#include "ir/boolean_hex.h"
#include "ir/bytecode/bytecode_check.h"
#include "ir/expansion.h"
#include "ir/foreign_dialects.h"
#include "ir/program_file.h"
#include "ir/read_module.h"
#include "ir/test_passes.h"
#include "ir/text_nesting.h"
#include "ir/text_resources.h"
#include "ir/vhlo/parse_text.h"
#include "ir/vhlo/write_artifact.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "support/files/file.h"
#include "support/process/reading_child.h"
#include "support/start_program.h"

namespace {

using opbyop::Expected;

// Whether the text has lines that start with an alias: only then can it refer to one definition several times.
bool HasAliases(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line = line.ltrim();
    if (line.starts_with("#") || line.starts_with("!")) return true;
    text = rest;
  }
  return false;
}

// Checks the size of each part of a section that parses, whatever else is wrong with the section: it must be printable.
Expected<void> CheckParts(std::string_view section, const std::string& path, const mlir::DialectRegistry& registry) {
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  const mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic&) { return mlir::success(); });
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  const auto module = mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(section), config);
  if (!module) return {};
  return opbyop::CheckExpansion(*module, path, static_cast<int64_t>(section.size()));
}

// Checks each section that mlir-opt parses by itself: its nesting must fit on the stack.
Expected<void> CheckSections(std::string_view text, const std::string& path, std::string_view marker,
                             const mlir::DialectRegistry& registry) {
  int line = 1;
  while (true) {
    const size_t end = marker.empty() ? std::string_view::npos : text.find(marker);
    const std::string_view section = text.substr(0, end);
    if (Expected<void> nesting = opbyop::CheckTextNesting(section, path, line); !nesting) return nesting;
    if (Expected<void> resources = opbyop::CheckTextResources(section, path, line); !resources) return resources;
    if (HasAliases(section)) {
      if (Expected<void> parts = CheckParts(section, path, registry); !parts) return parts;
    }
    if (end == std::string_view::npos) return {};
    line += static_cast<int>(std::ranges::count(section, '\n'));
    text.remove_prefix(end + marker.size());
  }
}

// The text of the file for mlir-opt: an artifact as plain bytecode, text with its i1 constants as MLIR 22 reads them.
// Text is not parsed here, because a file may have sections that are meant to fail.
Expected<std::string> Source(const std::string& path, std::string_view marker, const opbyop::ReadOptions& options,
                             const mlir::DialectRegistry& registry, std::optional<opbyop::ReadingScope>& reading) {
  const Expected<std::filesystem::path> file = opbyop::ProgramFile(path);
  if (!file) return opbyop::Unexpected(file.error());
  Expected<std::string> bytes = opbyop::ReadFile(*file);
  if (!bytes) return bytes;
  reading.emplace(path, static_cast<int64_t>(bytes->size()));
  auto info = opbyop::InspectArtifact(*bytes);
  if (info && info->kind == opbyop::ArtifactKind::kBytecode) {
    const auto program = std::string_view(*bytes).substr(info->offset, info->size);
    Expected<std::optional<std::string>> todays = opbyop::CheckBytecode(program);
    if (!todays) {
      return opbyop::MakeError(
          todays.error().code,
          path + ": this bytecode cannot be read, it is truncated or damaged: " + todays.error().message);
    }
    std::string source = *todays ? std::move(**todays) : std::string(program);
    if (Expected<void> parts = CheckParts(source, path, registry); !parts) return opbyop::Unexpected(parts.error());
    return source;
  }
  // An empty section is valid.
  if (!info && llvm::StringRef(*bytes).trim().empty()) return bytes;
  if (!info) return opbyop::MakeError(info.error().code, fmt::format("{} {}", path, info.error().message));
  // VHLO as text is StableHLO for mlir-opt, as an artifact is. One program only: mlir-opt itself parses the sections.
  const bool is_vhlo = marker.empty() && opbyop::vhlo::IsVhloText(*bytes);
  if (info->kind == opbyop::ArtifactKind::kText && !is_vhlo) {
    bytes->erase(0, info->offset);
    if (Expected<void> done = CheckSections(*bytes, path, marker, registry); !done)
      return opbyop::Unexpected(done.error());
    opbyop::RepackBooleanHex(*bytes);
    return bytes;
  }
  mlir::MLIRContext context;
  auto module = opbyop::ReadModuleFromBytes(*bytes, path, context, options);
  if (!module) return opbyop::Unexpected(module.error());
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(mlir::writeBytecodeToFile(**module, stream))) {
    return opbyop::MakeError(opbyop::ExitCode::kInternal, path + ": cannot be written as bytecode");
  }
  return bytecode;
}

Expected<std::string> Serialize(const std::string& input, const std::string& target,
                                const opbyop::ReadOptions& options) {
  Expected<opbyop::VhloVersion> version = opbyop::ParseVhloVersion(target);
  if (!version) return opbyop::Unexpected(version.error());
  mlir::MLIRContext context;
  auto module = opbyop::ReadModule(input, context, options);
  if (!module) return opbyop::Unexpected(module.error());
  return opbyop::SerializePortableArtifact(**module, *version);
}

// Adds the kind of program to MLIR's message about an op of an unknown dialect, which does not name it.
void ExplainUnknownDialect(const std::string& source, const std::string& name, const opbyop::ReadOptions& options) {
  mlir::MLIRContext context;
  auto module = opbyop::ReadModuleFromBytes(source, name, context, options);
  if (module || module.error().code != opbyop::ExitCode::kUnsupported) return;
  llvm::errs() << "opbyop-opt: " << module.error().message << "\n";
}

int Fail(const opbyop::Error& error) {
  llvm::errs() << "opbyop-opt: " << error.message << "\n";
  return static_cast<int>(error.code);
}

int Optimize(int argc, char** argv, const std::string& input, const std::string& output, bool serialize,
             const std::string& target, mlir::DialectRegistry& registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (!serialize && (config.shouldShowDialects() || config.shouldListPasses())) {
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  const opbyop::ReadOptions options{.allow_mhlo = config.shouldAllowUnregisteredDialects()};
  config.allowUnregisteredDialects(true);
  std::optional<opbyop::ReadingScope> reading;
  Expected<std::string> source = serialize ? Serialize(input, target, options)
                                           : Source(input, config.inputSplitMarker(), options, registry, reading);
  if (!source) return Fail(source.error());
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file) return Fail({opbyop::ExitCode::kNoInput, message});
  if (serialize) {
    file->os() << *source;
    file->keep();
    return EXIT_SUCCESS;
  }
  // The pipeline is made after a program was parsed: passes may take any options.
  const mlir::MlirOptMainConfig asked = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager& passes) {
    reading.reset();
    return asked.setupPassPipeline(passes);
  });
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(*source, input == "-" ? "<stdin>" : input);
  if (failed(mlir::MlirOptMain(file->os(), std::move(buffer), registry, config))) {
    const bool is_one_program = config.inputSplitMarker().empty() && !config.shouldVerifyDiagnostics();
    if (is_one_program) ExplainUnknownDialect(*source, input, options);
    return EXIT_FAILURE;
  }
  file->keep();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (const Expected<void> started = opbyop::StartProgram(); !started) return Fail(started.error());
  // Categories are listed by name, so that this one comes before those of MLIR.
  llvm::cl::OptionCategory own("Artifacts and limits of reading",
                               "Options that opbyop-opt has in addition to those of mlir-opt.");
  llvm::cl::opt<bool> serialize("serialize", llvm::cl::cat(own),
                                llvm::cl::desc("Write the input as a portable artifact; no passes run"));
  llvm::cl::opt<std::string> target("target", llvm::cl::cat(own),
                                    llvm::cl::desc("Version of the artifact, 0.9.0 or newer"),
                                    llvm::cl::init(ToString(opbyop::kNewestVhloVersion)));
  opbyop::ReadingLimits limits;
  const auto name = [](std::string_view option) { return llvm::StringRef(option).ltrim('-'); };
  llvm::cl::opt<int64_t, true> seconds(name(opbyop::kReadingSecondsOption), llvm::cl::cat(own),
                                       llvm::cl::location(limits.seconds),
                                       llvm::cl::desc("Seconds of processor time that reading the input may take"));
  llvm::cl::opt<int64_t, true> memory(name(opbyop::kReadingMemoryOption), llvm::cl::cat(own),
                                      llvm::cl::location(limits.memory_mb),
                                      llvm::cl::desc("Megabytes of memory that reading the input may take"));
  mlir::DialectRegistry registry;
  opbyop::host::RegisterHostDialects(registry);
  opbyop::RegisterForeignDialects(registry);
  opbyop::host::RegisterPipelinePasses();
  opbyop::RegisterTestPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "opbyop optimizer\n", registry);
  const Expected<int> code = opbyop::RunInReadingChild(limits, [&, in = input, out = output] {
    const int code = Optimize(argc, argv, in, out, serialize, target, registry);
    llvm::outs().flush();  // the child exits without flushing
    return code;
  });
  return code ? *code : Fail(code.error());
}
