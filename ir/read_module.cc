// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/read_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ir/artifact_info.h"
#include "ir/boolean_hex.h"
#include "ir/bytecode/bytecode_check.h"
#include "ir/countable_types.h"
#include "ir/expansion.h"
#include "ir/first_error.h"
#include "ir/foreign_dialects.h"
#include "ir/hlo/mhlo_ops.h"
#include "ir/program_file.h"
#include "ir/register.h"
#include "ir/sections.h"
#include "ir/text_nesting.h"
#include "ir/text_resources.h"
#include "ir/vhlo/parse_text.h"
#include "ir/vhlo/to_stablehlo.h"
#include "ir/vhlo/vhlo_dialect.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/files/file.h"
#include "support/process/reading_child.h"

namespace opbyop {
namespace {

using mlir::ModuleOp;
using mlir::OwningOpRef;

// Registers the known dialects, and allows ops, attributes and types of all others in generic form.
void RegisterDialects(mlir::MLIRContext& context) {
  if (context.getLoadedDialect<vhlo::VhloDialect>()) return;
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  context.appendDialectRegistry(registry);
  AllowAnyDialect(context);
  context.loadDialect<vhlo::VhloDialect>();
}

bool IsNewer(const VhloVersion& version) { return VhloVersion{version.major, version.minor, 0} > kNewestVhloVersion; }

constexpr std::string_view kHowToKeep = "; of a dialect that is not known, what is written in generic form is read";

constexpr std::string_view kMhlo =
    "operations of dialect 'mhlo' make this an MHLO program, which producers wrote before StableHLO (TensorFlow and "
    "JAX up "
    "to 2022); write it again with a newer release of the producer, or convert it with that release's own mlir-hlo-opt "
    "--hlo-legalize-to-stablehlo";

// Explains an unknown dialect whose name is widely known.
std::string AboutDialect(const FirstError& error, std::string_view dialect) {
  const bool is_op = error.text().find("created with unregistered dialect") == std::string::npos;
  if (dialect == "mhlo" && is_op) return std::string(kMhlo);
  return fmt::format("dialect '{}' is not one this reader knows", dialect);
}

tl::unexpected<Error> TextError(const FirstError& error, std::string_view name, std::string_view text) {
  std::string place = error.place().empty() ? std::string(name) : error.place();
  if (std::string dialect = error.UnknownDialect(); !dialect.empty()) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("{}: {}: {}{}", place, AboutDialect(error, dialect), error.text(), kHowToKeep));
  }
  return MakeError(ExitCode::kBadInput,
                   fmt::format("{}: this is not valid StableHLO: {}{}", place, error.text(), AboutSections(text)));
}

// Refuses an MHLO program in generic form, whose ops have the names of StableHLO's ops.
Expected<void> CheckNoMhlo(ModuleOp module, std::string_view name) {
  mlir::Operation* found = nullptr;
  module.walk([&](mlir::Operation* op) {
    if (op->isRegistered() || op->getName().getDialectNamespace() != "mhlo") return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  if (found == nullptr) return {};
  auto place = found->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  const std::string where =
      place ? fmt::format("{}:{}:{}", name, place.getLine(), place.getColumn()) : std::string(name);
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("{}: {}: it has {}", where, kMhlo, found->getName().getStringRef().str()));
}

// 24 of "MLIR24.0.0git"; 0 of another producer.
unsigned MlirOf(llvm::StringRef producer) {
  unsigned version = 0;
  if (!producer.consume_front("MLIR") || producer.consumeInteger(10, version)) return 0;
  return version;
}

struct Reason {
  std::string text;
  std::string place;
  std::string about_dialect;  // explanation if an unknown dialect is the reason
};

tl::unexpected<Error> BytecodeError(const Reason& reason, std::string_view name, const ArtifactInfo& info,
                                    bool is_read) {
  std::string what = info.version ? fmt::format("portable artifact of version {}", ToString(*info.version))
                                  : fmt::format("MLIR bytecode of producer '{}'", info.producer);
  std::string origin = reason.place.empty() ? "" : fmt::format(" (from {})", reason.place);
  if (info.version && IsNewer(*info.version)) {
    const std::string why = reason.text.empty() ? "" : fmt::format(": {}{}", reason.text, origin);
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("{}: this {} is newer than this reader, which knows versions up to {}{}; write it "
                                 "for an older target version",
                                 name, what, ToString(kNewestVhloVersion), why));
  }
  if (!reason.about_dialect.empty()) {
    return MakeError(ExitCode::kUnsupported, fmt::format("{}: in this {}, {}: {}{}{}", name, what, reason.about_dialect,
                                                         reason.text, origin, kHowToKeep));
  }
  // Entries get new codes without a new version of bytecode.
  const llvm::StringRef text = reason.text;
  const bool is_newer =
      MlirOf(info.producer) > LLVM_VERSION_MAJOR && text.starts_with("unknown ") && text.contains(" code: ");
  return MakeError(
      is_newer && !is_read ? ExitCode::kUnsupported : ExitCode::kBadInput,
      fmt::format("{}: this {} {}: {}{}", name, what,
                  is_read ? "does not hold valid StableHLO"
                  : is_newer
                      ? fmt::format("cannot be read, it is damaged or has what is newer than MLIR {}; as text it "
                                    "may be read",
                                    LLVM_VERSION_MAJOR)
                      : "cannot be read, it is truncated or damaged",
                  reason.text, origin));
}

Expected<OwningOpRef<ModuleOp>> Read(std::string bytes, std::string_view name, mlir::MLIRContext& context,
                                     const ReadOptions& options) {
  const auto file_bytes = static_cast<int64_t>(bytes.size());
  const ReadingScope scope(name, file_bytes);
  Expected<ArtifactInfo> info = InspectArtifact(bytes);
  if (!info) return MakeError(info.error().code, fmt::format("{} {}", name, info.error().message));
  RegisterDialects(context);
  std::string_view program = std::string_view(bytes).substr(info->offset, info->size);
  const bool is_text = info->kind == ArtifactKind::kText;

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (is_text) {
    bytes.erase(0, info->offset);
    if (Expected<void> nesting = CheckTextNesting(bytes, name); !nesting) return Unexpected(nesting.error());
    if (Expected<void> resources = CheckTextResources(bytes, name); !resources) return Unexpected(resources.error());
    RepackBooleanHex(bytes);
    buffer = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(bytes), llvm::StringRef(name));
  } else {
    const Expected<std::optional<std::string>> current = CheckBytecode(program);
    if (!current) return BytecodeError({current.error().message, "", ""}, name, *info, /*is_read=*/false);
    if (*current) program = **current;
    auto aligned =
        llvm::WritableMemoryBuffer::getNewUninitMemBuffer(program.size(), name, llvm::Align(kBytecodeAlignment));
    std::copy(program.begin(), program.end(), aligned->getBufferStart());
    buffer = std::move(aligned);
    bytes = std::string();
  }
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());

  FirstError error(context, is_text ? std::string_view(bytes) : std::string_view());
  // Versioned ops have no verifier. The ops that they become are verified below.
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceFile<ModuleOp>(source, config);
  bool is_read = static_cast<bool>(module);
  if (is_read) {
    const Expected<void> small = CheckExpansion(*module, name, file_bytes);
    if (!small) return Unexpected(small.error());
  }
  if (is_read) ReadMhloAsChlo(*module);
  const bool is_vhlo = info->kind == ArtifactKind::kPortableArtifact || (is_text && vhlo::IsVhloText(bytes));
  bool is_valid = is_read && (!is_vhlo || succeeded(vhlo::ConvertToStablehlo(*module))) &&
                  succeeded(VerifyCountableTypes(*module)) && succeeded(mlir::verify(*module));
  // In an unknown version even known ops may have another meaning.
  const bool is_known = !info->version || !IsNewer(*info->version);
  if (is_valid && !options.allow_mhlo) {
    if (const Expected<void> none = CheckNoMhlo(*module, name); !none) return Unexpected(none.error());
  }
  if (is_valid && is_known) return Expected<OwningOpRef<ModuleOp>>(std::move(module));
  if (is_text) return TextError(error, name, bytes);
  const std::string dialect = error.UnknownDialect();
  return BytecodeError({error.text(), error.place(), dialect.empty() ? "" : AboutDialect(error, dialect)}, name, *info,
                       is_read);
}

}  // namespace

Expected<OwningOpRef<ModuleOp>> ReadModuleFromBytes(std::string_view bytes, std::string_view name,
                                                    mlir::MLIRContext& context, const ReadOptions& options) {
  return Read(std::string(bytes), name, context, options);
}

Expected<OwningOpRef<ModuleOp>> ReadModule(const std::filesystem::path& path, mlir::MLIRContext& context,
                                           const ReadOptions& options) {
  const Expected<std::filesystem::path> file = ProgramFile(path);
  if (!file) return Unexpected(file.error());
  Expected<std::string> bytes = ReadFile(*file);
  if (!bytes) return Unexpected(bytes.error());
  return Read(std::move(*bytes), file->string(), context, options);
}

}  // namespace opbyop
