#include "generator/split_command.h"

#include <chrono>
#include <ostream>

#include "fmt/format.h"
#include "generator/case_folder.h"
#include "generator/model_list.h"
#include "ir/artifact_info.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop {
namespace {

Error FileChanged(const ModelSource& source, const std::string& sha256) {
  return Error{ExitCode::kBadInput,
               fmt::format("{}: sha256 {}, models.yaml says {}; export the model again or correct the entry",
                           source.file.string(), sha256.substr(0, 16), source.sha256.substr(0, 16))};
}

// Reads and adds one model. The error that is returned is the model's own; one of the output is in `fatal`.
Expected<void> AddModel(const ModelSource& source, Model& model, Splitter& splitter, std::optional<Error>& fatal) {
  if (source.error) return Unexpected(*source.error);
  Expected<std::string> bytes = ReadFile(source.file);
  if (!bytes) return Unexpected(bytes.error());
  model.sha256 = Sha256Hex(*bytes);
  if (!source.sha256.empty() && source.sha256 != model.sha256) return Unexpected(FileChanged(source, model.sha256));
  Expected<ArtifactInfo> info = InspectArtifact(*bytes);
  if (info) model.producer = info->producer;
  // One context per model: its constants are freed with it.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(*bytes, source.file.string(), context);
  if (!module) return Unexpected(module.error());
  bytes->clear();
  if (Expected<void> done = splitter.Add(**module, model); !done) fatal = done.error();
  return {};
}

std::string Seconds(std::chrono::steady_clock::time_point start) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace

ExitCode RunSplit(const SplitCommand& command, std::ostream& out, std::ostream& err) {
  auto start = std::chrono::steady_clock::now();
  std::vector<ModelSource> sources = ListModels(command.models);
  if (sources.empty()) {
    err << "split: no model was named\n";
    return ExitCode::kNothingToDo;
  }
  CaseFolder folder(command.output);
  Splitter splitter(command.options,
                    [&](const std::string& hash, std::string text) { return folder.Store(hash, text); });
  std::optional<Error> first_error;
  size_t bad = 0;
  for (const ModelSource& source : sources) {
    auto model_start = std::chrono::steady_clock::now();
    size_t cases_before = splitter.case_count();
    Model model{.name = source.name, .source = source.file.generic_string(), .frontend = source.frontend};
    std::optional<Error> fatal;
    Expected<void> done = AddModel(source, model, splitter, fatal);
    if (fatal) {
      err << "split: " << fatal->message << "\n";
      return fatal->code;
    }
    Error error;
    if (!done) {
      model.error = done.error().message;
      splitter.AddUnreadable(model);
      error = done.error();
    } else if (!splitter.models().back().error.empty()) {
      error = {ExitCode::kBadInput, splitter.models().back().error};
    }
    if (!error.message.empty()) {
      ++bad;
      if (!first_error) first_error = error;
      err << fmt::format("split: model {} is left out: {}\n", source.name, error.message);
    } else if (!command.quiet) {
      out << fmt::format("{:<24} {:>7} ops {:>6} new cases {:>8}\n", source.name, splitter.models().back().ops,
                         splitter.case_count() - cases_before, Seconds(model_start));
      out.flush();
    }
  }
  if (bad == sources.size()) return first_error->code;
  SplitResult result = splitter.Finish();
  if (result.manifest.cases.empty()) {
    err << "split: the models hold no op besides constants\n";
    return ExitCode::kNothingToDo;
  }
  if (Expected<void> done = folder.Publish(result); !done) {
    err << "split: " << done.error().message << "\n";
    return done.error().code;
  }
  int64_t ops = 0;
  for (const Model& model : result.manifest.models) ops += model.ops;
  out << fmt::format("{} models, {} ops, {} cases in {}: {}\n", sources.size() - bad, ops, result.manifest.cases.size(),
                     Seconds(start), (command.output / "manifest.yaml").string());
  if (bad > 0) out << fmt::format("{} of {} models are left out\n", bad, sources.size());
  return bad > 0 ? ExitCode::kPartial : ExitCode::kOk;
}

}  // namespace opbyop
