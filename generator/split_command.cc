// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split_command.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include "fmt/format.h"
#include "generator/case_folder.h"
#include "generator/model_list.h"
#include "generator/model_split.h"
#include "generator/split_again.h"
#include "ir/artifact_info.h"
#include "ir/foreign_dialects.h"
#include "ir/foreign_program.h"
#include "ir/op_info.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/counted.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop::generator {
namespace {

using Clock = std::chrono::steady_clock;

std::string SecondsSince(Clock::time_point start) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(Clock::now() - start).count());
}

Error FileChanged(const ModelSource& source, const std::string& sha256) {
  constexpr size_t kShown = 16;
  return Error{ExitCode::kBadInput,
               fmt::format("{}: sha256 {}, models.yaml says {}; export the model again or correct the entry",
                           source.file.string(), sha256.substr(0, kShown), source.sha256.substr(0, kShown))};
}

// Lines in order of models, each as soon as it and all before it are there.
class Progress {
 public:
  Progress(std::ostream& out, std::ostream& err, bool quiet) : out_(out), err_(err), quiet_(quiet) {}

  void Line(size_t turn, std::string line, bool is_error) {
    std::lock_guard<std::mutex> lock(mutex_);
    lines_[turn] = {std::move(line), is_error};
    for (auto it = lines_.begin(); it != lines_.end() && it->first == next_; it = lines_.erase(it), ++next_) {
      if (it->second.second) {
        err_ << it->second.first << std::flush;
      } else if (!quiet_) {
        out_ << it->second.first << std::flush;
      }
    }
  }

 private:
  std::ostream& out_;
  std::ostream& err_;
  bool quiet_;
  std::mutex mutex_;
  std::map<size_t, std::pair<std::string, bool>> lines_;
  size_t next_ = 0;
};

// All models of one command, on as many threads as there are cores. What a thread holds at a time is one model.
class Job {
 public:
  Job(const SplitCommand& command, std::vector<ModelSource> sources, Splitter& splitter, Progress& progress)
      : command_(command),
        sources_(std::move(sources)),
        errors_(sources_.size()),
        splitter_(splitter),
        progress_(progress) {}

  void Run() {
    size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, sources_.size());
    std::vector<std::thread> threads;
    for (size_t i = 1; i < count; ++i) threads.emplace_back([this] { Work(); });
    Work();
    for (std::thread& thread : threads) thread.join();
  }

  const std::vector<ModelSource>& sources() const { return sources_; }

  // Why a model is left out; nullopt where it was split.
  const std::vector<std::optional<Error>>& errors() const { return errors_; }

  // The output cannot be written.
  const std::optional<Error>& fatal() const { return fatal_; }

 private:
  void Work() {
    for (size_t turn = next_++; turn < sources_.size(); turn = next_++) {
      auto start = Clock::now();
      const ModelSource& source = sources_[turn];
      Expected<Splitter::Added> added = AddModel(turn);
      if (added) {
        progress_.Line(turn,
                       fmt::format("{:<24} {:>7} ops {:>6} new cases {:>8}\n", source.name, added->ops,
                                   added->new_cases, SecondsSince(start)),
                       false);
      } else {
        errors_[turn] = added.error();
        progress_.Line(turn, fmt::format("split: model {} is left out: {}\n", source.name, added.error().message),
                       true);
      }
    }
  }

  Expected<Splitter::Added> AddModel(size_t turn) {
    const ModelSource& source = sources_[turn];
    Model model{.name = source.name,
                .source = source.file.generic_string(),
                .frontend = source.frontend,
                .stage = command_.stage};
    model.split = RecordOf(command_.options, command_.allow_unregistered);
    if (command_.options.entry != "main") model.entry = command_.options.entry;
    for (const ShapeArgument& shape : command_.shapes) model.shapes.push_back(ToText(shape));
    // One context per model: its constants are freed with it.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    AllowForeignDialects(context);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = Read(source, model, context);
    if (module && !command_.shapes.empty()) {
      Expected<void> done = SpecializeShapes(**module, command_.options.entry, command_.shapes);
      if (!done)
        module = MakeError(done.error().code, fmt::format("{}: {}", source.file.string(), done.error().message));
    }
    if (!module) {
      model.error = module.error().message;
      splitter_.AddUnreadable(turn, std::move(model));
      return Unexpected(module.error());
    }
    Expected<Splitter::Added> added = splitter_.Add(turn, **module, std::move(model));
    if (!added) {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!fatal_) fatal_ = added.error();
      return added;
    }
    if (!added->error.empty()) return MakeError(ExitCode::kBadInput, added->error);
    return added;
  }

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Read(const ModelSource& source, Model& model,
                                                   mlir::MLIRContext& context) const {
    if (source.error) return Unexpected(*source.error);
    Expected<std::string> bytes = ReadFile(source.file);
    if (!bytes) return Unexpected(bytes.error());
    model.sha256 = Sha256Hex(*bytes);
    if (!source.sha256.empty() && source.sha256 != model.sha256) return Unexpected(FileChanged(source, model.sha256));
    if (Expected<ArtifactInfo> info = InspectArtifact(*bytes)) model.producer = info->producer;
    const ReadOptions reading{.allow_unregistered = command_.allow_unregistered};
    if (command_.lowering) {
      Expected<std::filesystem::path> lowered = command_.lowering(source);
      if (!lowered) return Unexpected(lowered.error());
      Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(*lowered, context, {.allow_unregistered = true});
      if (module) MakeWalkable(**module);
      return module;
    }
    return ReadModuleFromBytes(*bytes, source.file.string(), context, reading);
  }

  const SplitCommand& command_;
  std::vector<ModelSource> sources_;
  std::vector<std::optional<Error>> errors_;
  Splitter& splitter_;
  Progress& progress_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::optional<Error> fatal_;
};

bool IsDynamic(const Case& c) {
  auto has_open_size = [](const TensorType& type) { return llvm::is_contained(type.shape, kDynamic); };
  const OpInfo* info = LookUpOp(c.op);
  return llvm::any_of(c.inputs, has_open_size) || llvm::any_of(c.outputs, has_open_size) ||
         (info != nullptr && info->category == "dynamism");
}

// "12 of 80 ops stay dynamic: stablehlo.dynamic_gather 10, stablehlo.add 2"; empty where none does.
std::string WhatStaysDynamic(const Manifest& manifest, int64_t ops) {
  std::map<std::string, int64_t> counts;
  int64_t total = 0;
  for (const Case& c : manifest.cases) {
    if (!IsDynamic(c)) continue;
    for (const Origin& origin : c.origins) {
      counts[c.op] += origin.count;
      total += origin.count;
    }
  }
  if (total == 0) return "";
  std::string names;
  for (const auto& [op, count] : counts) names += fmt::format("{}{} {}", names.empty() ? "" : ", ", op, count);
  return fmt::format("{} of {} ops stay dynamic: {}\n", total, ops, names);
}

}  // namespace

ExitCode RunSplit(const SplitCommand& command, std::ostream& out, std::ostream& err) {
  auto start = Clock::now();
  auto fail = [&](const Error& error) {
    err << "split: " << error.message << "\n";
    return error.code;
  };
  std::vector<ModelSource> sources = ListModels(command.models);
  if (sources.empty()) return fail({ExitCode::kNothingToDo, "no model was named"});
  const Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open(command.output);
  if (!folder) return fail(folder.error());
  Splitter splitter(command.options,
                    [&](const std::string& id, const std::string& text) { return (*folder)->Store(id, text); });
  Progress progress(out, err, command.quiet);
  Job job(command, std::move(sources), splitter, progress);
  job.Run();
  if (job.fatal()) return fail(*job.fatal());

  size_t bad = std::count_if(job.errors().begin(), job.errors().end(), [](const auto& e) { return e.has_value(); });
  size_t all = job.errors().size();
  if (bad == all) return job.errors()[0]->code;
  SplitResult result = splitter.Finish();
  for (const std::string& argument : command.models) {
    if (!IsSplitFolder(argument)) continue;
    const Expected<Manifest> first = LoadManifest(std::filesystem::path(argument) / "manifest.yaml");
    if (!first) return fail(first.error());
    AttributeToModels(*first, result.manifest);
  }
  if (result.manifest.cases.empty()) {
    return fail({ExitCode::kNothingToDo, "the models hold no op besides constants"});
  }
  if (Expected<void> done = (*folder)->Publish(result); !done) return fail(done.error());
  int64_t ops = 0;
  for (const Model& model : result.manifest.models) ops += model.ops;
  out << fmt::format("{}, {}, {} in {}: {}\n", Counted(all - bad, "model"), Counted(ops, "op"),
                     Counted(result.manifest.cases.size(), "case"), SecondsSince(start),
                     (command.output / "manifest.yaml").string());
  if (!command.shapes.empty()) out << WhatStaysDynamic(result.manifest, ops);
  if (bad > 0) out << fmt::format("{} of {} models are left out\n", bad, all);
  return bad > 0 ? ExitCode::kPartial : ExitCode::kOk;
}

}  // namespace opbyop::generator
