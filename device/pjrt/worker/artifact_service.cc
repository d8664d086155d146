// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/artifact_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "ir/read_module.h"
#include "ir/register.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "ir/vhlo/write_artifact.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "protocol/frame.h"
#include "support/files/file.h"
#include "support/sharding/sdy_text.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::pjrt {
namespace {

constexpr llvm::StringLiteral kSharding = "mhlo.sharding";

std::vector<int64_t> DonatedArguments(mlir::ModuleOp module) {
  std::vector<int64_t> donated;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; main && i < main.getNumArguments(); ++i) {
    if (main.getArgAttr(i, "tf.aliasing_output") || main.getArgAttr(i, "jax.buffer_donor")) donated.push_back(i);
  }
  return donated;
}

// Marks the arguments, results and ops of a program with the sharding `manual`: each device has tensors of its own, and
// the compiler must not partition them. Functions that collectives combine elements with are not marked.
void MarkPartitioned(mlir::ModuleOp module) {
  const auto name = mlir::StringAttr::get(module.getContext(), kSharding);
  const auto manual = mlir::StringAttr::get(module.getContext(), "{manual}");
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i) main.setArgAttr(i, name, manual);
    for (unsigned i = 0; i < main.getNumResults(); ++i) main.setResultAttr(i, name, manual);
  }
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (mlir::isa<mlir::ModuleOp, mlir::func::FuncOp, stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
      return mlir::WalkResult::advance();
    }
    if (op->getNumResults() > 0 && !mlir::isa<mlir::func::CallOp>(op)) op->setAttr(name, manual);
    return mlir::WalkResult::skip();
  });
}

// The attributes of Shardy for these texts of `mhlo.sharding`.
Expected<std::vector<mlir::Attribute>> ToSdy(const std::vector<std::string>& texts, mlir::TypeRange types,
                                             const ArtifactRequest& request, mlir::MLIRContext* context) {
  std::vector<Division> divisions;
  divisions.reserve(texts.size());
  for (const auto& [text, type] : llvm::zip(texts, types)) {
    const auto rank = static_cast<size_t>(mlir::cast<mlir::ShapedType>(type).getRank());
    Expected<Division> division = ParseDivision(text, rank, request.partitions);
    if (!division) return Unexpected(division.error());
    divisions.push_back(std::move(*division));
  }
  const Expected<std::vector<std::string>> written = ToSdyTexts(divisions, request.partitions);
  if (!written) return Unexpected(written.error());
  std::vector<mlir::Attribute> attributes;
  attributes.reserve(written->size());
  for (const std::string& text : *written) attributes.push_back(mlir::parseAttribute(text, context));
  return attributes;
}

// Gives each argument and result of @main its sharding, in the form of the partitioner: compilers ignore them where a
// result has none, and XLA leaves a program with one `mhlo.sharding` to GSPMD.
Expected<void> StateShardings(mlir::ModuleOp module, const ArtifactRequest& request) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.getNumArguments() != request.arguments.size() || main.getNumResults() != request.results.size()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} shardings of arguments and {} of results do not fit the program",
                                 request.arguments.size(), request.results.size()));
  }
  mlir::MLIRContext* context = module.getContext();
  std::vector<std::string> texts = request.arguments;
  texts.insert(texts.end(), request.results.begin(), request.results.end());
  std::vector<mlir::Attribute> attributes;
  attributes.reserve(texts.size());
  if (request.shardy) {
    llvm::SmallVector<mlir::Type> types(main.getArgumentTypes());
    llvm::append_range(types, main.getResultTypes());
    context->getOrLoadDialect<sdy::SdyDialect>();
    Expected<std::vector<mlir::Attribute>> made = ToSdy(texts, types, request, context);
    if (!made) return Unexpected(made.error());
    attributes = std::move(*made);
  } else {
    const auto is_manual = [](sdy::ManualComputationOp) { return mlir::WalkResult::interrupt(); };
    if (module->walk(is_manual).wasInterrupted()) {
      return MakeError(ExitCode::kUnsupported,
                       "GSPMD has no manual computation; `partitioner: shardy` in the target's file runs it");
    }
    for (const std::string& text : texts) attributes.push_back(mlir::StringAttr::get(context, text));
  }
  const auto name = mlir::StringAttr::get(context, request.shardy ? sdy::kShardingName : kSharding);
  const unsigned arguments = main.getNumArguments();
  for (unsigned i = 0; i < arguments; ++i) main.setArgAttr(i, name, attributes[i]);
  for (unsigned i = 0; i < main.getNumResults(); ++i) main.setResultAttr(i, name, attributes[arguments + i]);
  // A plugin may take the number from here instead of from the options, for JAX writes it.
  module->setAttr("mhlo.num_partitions",
                  mlir::IntegerAttr::get(mlir::IntegerType::get(context, 32), request.partitions));
  return {};
}

// Reads a version of any producer. The patch number carries no meaning, and the version may be newer than all that are
// known here.
std::optional<VhloVersion> ReadVersion(const std::string& text) {
  VhloVersion version;
  if (std::sscanf(text.c_str(), "%d.%d.%d", &version.major, &version.minor, &version.patch) != 3) return std::nullopt;
  version.patch = 0;
  return version;
}

std::string PrintText(mlir::ModuleOp module, bool generic) {
  mlir::OpPrintingFlags flags;
  if (generic) flags.printGenericOpForm().enableDebugInfo(true);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return text + "\n";
}

struct Serialized {
  std::string version;
  std::string bytes;
};

// Serializing to the newest version shows whether the program has a portable form at all. An older version may lack
// what the newest can express.
Expected<Serialized> Serialize(mlir::ModuleOp module, const ArtifactRequest& request) {
  const std::vector<VhloVersion> known = VhloVersions();
  const std::optional<VhloVersion> newest = ReadVersion(request.newest);
  const VhloVersion oldest = ReadVersion(request.oldest).value_or(known.front());
  const auto text = [&] { return Serialized{"text", PrintText(module, false)}; };
  if (!newest) {
    for (const VhloVersion& version : known) {
      if (version < VhloVersion{1, 0, 0} || version < oldest) continue;
      if (auto bytes = SerializePortableArtifact(module, version)) return Serialized{ToString(version), *bytes};
    }
    return text();
  }
  const VhloVersion chosen = std::min(*newest, known.back());
  const bool writable = std::ranges::find(known, chosen) != known.end();
  if (!writable || chosen < oldest) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("the plugin reads StableHLO {} to {}, this project writes {} to {}", request.oldest,
                                 request.newest, ToString(known.front()), ToString(known.back())));
  }
  auto bytes = SerializePortableArtifact(module, chosen);
  if (bytes) return Serialized{ToString(chosen), *bytes};
  if (!SerializePortableArtifact(module, known.back())) return text();
  return Unexpected(bytes.error());
}

}  // namespace

ArtifactService::ArtifactService() : registry_(std::make_unique<mlir::DialectRegistry>()) {
  RegisterAllDialects(*registry_);
}

ArtifactService::~ArtifactService() = default;

// Creating a context takes ten times as long as writing a small op. A context keeps every type and constant that it has
// seen, so it is replaced when it may have grown.
mlir::MLIRContext& ArtifactService::Context(std::uintmax_t file_bytes) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  read_bytes_ += file_bytes;
  if (context_ == nullptr || read_bytes_ > kMostBytes) {
    context_ = std::make_unique<mlir::MLIRContext>(*registry_, mlir::MLIRContext::Threading::DISABLED);
    read_bytes_ = file_bytes;
  }
  return *context_;
}

Expected<WrittenArtifact> ArtifactService::Write(const ArtifactRequest& request) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(request.file, error);
  auto module = ReadModule(request.file, Context(error ? 0 : size));
  if (!module) return Unexpected(module.error());
  if (!request.text.empty()) {
    const Expected<void> printed = WriteFile(request.text, PrintText(**module, true));
    if (!printed) return Unexpected(printed.error());
  }
  if (request.partitioned) MarkPartitioned(**module);
  if (!request.arguments.empty() || !request.results.empty()) {
    if (const Expected<void> stated = StateShardings(**module, request); !stated) return Unexpected(stated.error());
  }
  const Expected<Serialized> serialized = Serialize(**module, request);
  if (!serialized) return Unexpected(serialized.error());
  if (Expected<void> written = WriteFile(request.output, serialized->bytes); !written) {
    return Unexpected(written.error());
  }
  return WrittenArtifact{.version = serialized->version, .donated = DonatedArguments(**module)};
}

int ServeArtifacts(int request_fd, int reply_fd) {
  ArtifactService service;
  while (true) {
    const Expected<std::optional<std::string>> frame = protocol::ReadFrame(request_fd);
    if (!frame) {
      fmt::print(stderr, "{}\n", frame.error().message);
      return static_cast<int>(frame.error().code);
    }
    if (!frame->has_value()) return static_cast<int>(ExitCode::kOk);
    const Expected<ArtifactRequest> request = ParseArtifactRequest(**frame);
    const Expected<WrittenArtifact> reply =
        request ? service.Write(*request) : Expected<WrittenArtifact>(Unexpected(request.error()));
    // Without its parent, the process has nothing left to do.
    if (!protocol::WriteFrame(reply_fd, ToJson(reply))) return static_cast<int>(ExitCode::kOk);
  }
}

}  // namespace opbyop::pjrt
