// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/command_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "device/command/command_stage.h"
#include "device/command/kept_commands.h"
#include "device/command/placeholders.h"
#include "device/command/ttnn_placements.h"
#include "manifests/formats/json.h"
#include "protocol/worker_server.h"
#include "support/files/file.h"
#include "support/process/process.h"

namespace opbyop::command {
namespace {

using device::PipelineRunner;
using device::StageResult;

namespace fs = std::filesystem;

// The facts that the compiler passes to the device in addition to the artifact's bytes.
struct Handover {
  std::string case_id;
  fs::path artifact;
  fs::path target_dir;
  std::optional<KeptCommands> kept;  // set if the case's files are kept
};

// The name of a file for a command that is started in the case's folder.
std::string NameIn(const fs::path& dir, const fs::path& file) {
  const fs::path relative = file.lexically_relative(dir);
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.string();
}

// Adds the stage's command to the script in the case's folder and chooses the file for its log. Failing to write them
// does not change the stage's result.
void Keep(const Stage& stage, std::optional<KeptCommands>& kept, StageFiles& files) {
  files.log_file.clear();
  if (!kept || (stage.command.empty() && stage.pipeline.empty())) return;
  const bool is_program = files.input == files.file;
  const Placeholders values = {.input = is_program ? std::string(kCaseFile) : NameIn(files.dir, files.input),
                               .output = NameIn(files.dir, files.output),
                               .dir = ".",
                               .case_id = files.case_id,
                               .target_dir = files.target_dir.string()};
  if (kept->Add(stage, values)) files.log_file = kept->LogFile();
}

class CommandCompiler : public device::TargetCompiler {
 public:
  CommandCompiler(const Target& target, std::unique_ptr<PipelineRunner> runner, std::shared_ptr<Handover> handover)
      : target_(target), runner_(std::move(runner)), handover_(std::move(handover)) {
    for (const Stage& stage : target.stages) {
      if (stage.is_compile_stage()) stages_.push_back(stage);
    }
  }

  std::string Version() const override { return runner_ == nullptr ? "unknown" : runner_->Version(); }

  StageResult Compile(const device::CompileRequest& request, device::StageListener& listener,
                      std::string& artifact) override {
    StageFiles files = FilesOf(request);
    handover_->kept.reset();
    placements_ = {};
    if (request.save_intermediates && request.until.empty()) {
      Expected<KeptCommands> kept = KeptCommands::Begin(request.dir, files.file, target_);
      if (kept) handover_->kept = std::move(*kept);
    }
    bool is_past = request.after.empty();
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = stages_[i];
      const bool skipped = !is_past;
      is_past = is_past || stage.name == request.after;
      if (skipped) continue;
      files.output = OutputOf(stage, request.dir);
      Keep(stage, handover_->kept, files);
      listener.Begin(stage.name);
      StageResult result = request.until.empty() ? RunStage(stage, files) : RunStage(Printing(stage), files);
      if (result.passed() && request.save_intermediates) result = KeepOutput(i, stage, files);
      listener.End(stage.name, result);
      if (result.passed() && !stage.placements.empty()) placements_ = PlacementsIn(files.output);
      if (!result.passed() || stage.name == request.until) return result;
      files.input = files.output;
    }
    auto bytes = ReadFile(files.input);
    if (!bytes) return {Status::kFail, bytes.error().message};
    artifact = std::move(*bytes);
    handover_->case_id = request.case_id;
    handover_->artifact = files.input;
    return {};
  }

  Placements placements() const override { return placements_; }

 private:
  // The program of a case has the same name in all cases, so that equal failures have equal diagnostics. A model keeps
  // its name.
  StageFiles FilesOf(const device::CompileRequest& request) const {
    StageFiles files = {.case_id = request.case_id, .dir = request.dir, .target_dir = handover_->target_dir};
    files.file = files.input = fs::absolute(request.file);
    files.file_name = request.until.empty() ? std::string(kCaseFile) : files.file.filename().string();
    return files;
  }

  // The stage with the flags that make it print IR that can be split.
  static Stage Printing(Stage stage) {
    if (!stage.command.empty()) {
      stage.command.insert(stage.command.end(), stage.print_flags.begin(), stage.print_flags.end());
    }
    return stage;
  }

  // Keeps the stage's output under the name that a worker's intermediates have, as a hard link if possible.
  static StageResult KeepOutput(size_t k, const Stage& stage, const StageFiles& files) {
    const fs::path name = files.dir / fmt::format("{}_{}{}", k, stage.name, files.output.extension().string());
    std::error_code error;
    fs::remove(name, error);
    fs::create_hard_link(files.output, name, error);
    if (error) fs::copy_file(files.output, name, error);
    if (error) return {Status::kFail, fmt::format("{}: cannot be written: {}", name.string(), error.message())};
    return {};
  }

  // A file that cannot be read gives no placements; the stage's result does not depend on it.
  static Placements PlacementsIn(const fs::path& file) {
    const Expected<std::string> text = ReadFile(file);
    return text ? TtnnPlacements(*text) : Placements();
  }

  StageResult RunStage(const Stage& stage, const StageFiles& files) {
    if (!stage.command.empty()) return RunCommandStage(stage, files);
    const StageResult result = runner_->Run(stage, files.input, files.output);
    return result.passed() ? JudgeOutput(stage, files) : result;
  }

  Target target_;
  std::vector<Stage> stages_;
  std::unique_ptr<PipelineRunner> runner_;
  std::shared_ptr<Handover> handover_;
  Placements placements_;
};

nlohmann::json ToJson(const std::vector<TensorType>& types) {
  nlohmann::json list = nlohmann::json::array();
  for (const TensorType& type : types) list.push_back({{"shape", type.shape}, {"dtype", type.dtype}});
  return list;
}

// Writes the signature to a file, for programs that cannot read the case.
Expected<void> WriteTypes(const device::ExecuteRequest& request) {
  const nlohmann::json types = {{"inputs", ToJson(request.inputs)}, {"outputs", ToJson(request.outputs)}};
  return WriteFile(request.dir / "types.json", types.dump());
}

class CommandDevice : public device::TargetDevice {
 public:
  CommandDevice(const Target& target, std::shared_ptr<Handover> handover) : handover_(std::move(handover)) {
    for (const Stage& stage : target.stages) {
      if (stage.name == kLoadStage) load_ = stage;
      if (stage.name == kExecuteStage) execute_ = stage;
    }
  }

  StageResult Load(std::string_view artifact) override {
    if (artifact.empty()) return {Status::kFail, "the artifact is empty"};
    return Run(load_, handover_->artifact.parent_path());
  }

  bool Adopt(const std::string& case_id, const fs::path& artifact) override {
    if (handover_->case_id != case_id) handover_->kept.reset();
    handover_->case_id = case_id;
    handover_->artifact = fs::absolute(artifact);
    return true;
  }

  StageResult Execute(const device::ExecuteRequest& request, Timing& timing) override {
    if (const auto written = WriteTypes(request); !written) return {Status::kFail, written.error().message};
    StageResult result = Run(execute_, request.dir);
    const Expected<std::string> text = ReadFile(request.dir / "timing.json");
    if (!text || !result.passed()) return result;
    const Expected<nlohmann::json> json = ParseJson(*text);
    if (!json) return {Status::kFail, "timing.json is malformed: " + json.error().message};
    try {
      timing = json->get<Timing>();
    } catch (const nlohmann::json::exception& error) {
      return {Status::kFail, fmt::format("timing.json is malformed: {}", error.what())};
    }
    return result;
  }

 private:
  StageResult Run(const std::optional<Stage>& stage, const fs::path& dir) {
    if (!stage || stage->command.empty()) return {};
    StageFiles files = {
        .case_id = handover_->case_id, .input = handover_->artifact, .dir = dir, .target_dir = handover_->target_dir};
    if (!stage->produces.empty()) files.output = dir / stage->produces;
    Keep(*stage, handover_->kept, files);
    return RunCommandStage(*stage, files);
  }

  std::optional<Stage> load_;
  std::optional<Stage> execute_;
  std::shared_ptr<Handover> handover_;
};

bool InPath(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// The first requirement of a stage that this machine lacks, or nullopt if it has them all.
std::optional<std::string> MissingRequirement(const Stage& stage, const Target& target) {
  std::vector<std::string> texts = stage.command;
  for (const auto& [name, value] : stage.environment) texts.push_back(value);
  for (const std::string& text : texts) {
    if (const auto missing = MissingVariable(text)) return fmt::format("{}; stage {} needs it", *missing, stage.name);
  }
  if (stage.command.empty()) return std::nullopt;
  const std::string program =
      Expand(stage.command.front(), {.target_dir = fs::absolute(target.path).parent_path().string()});
  if (InPath(program)) return std::nullopt;
  return program.find('/') == std::string::npos ? fmt::format("{} not found in PATH", program)
                                                : fmt::format("{} does not exist or cannot be executed", program);
}

std::optional<Error> CheckStages(const Target& target) {
  bool compiles = false;
  for (const Stage& stage : target.stages) {
    compiles |= stage.is_compile_stage();
    const bool built_in = stage.command.empty() && stage.pipeline.empty();
    const bool elsewhere = !target.device.worker.empty() && stage.name == kExecuteStage;
    if (!built_in || stage.name == kLoadStage || elsewhere) continue;
    return Error{ExitCode::kBadInput,
                 fmt::format("{}: stage '{}' has neither `command` nor `pipeline`: a target of kind "
                             "{} has no stages of its own",
                             target.path.string(), stage.name, target.device.kind)};
  }
  if (compiles) return std::nullopt;
  return Error{ExitCode::kBadInput, fmt::format("{}: no stage before `load` makes an artifact", target.path.string())};
}

}  // namespace

device::TargetCreation CreateCommandTarget(const Target& target, const PipelineRunnerFactory& make_runner) {
  if (auto error = CheckStages(target)) return *error;
  bool has_pipeline = false;
  for (const Stage& stage : target.stages) {
    if (!protocol::ServesVerb(stage.is_compile_stage() ? "compile" : "execute")) continue;
    has_pipeline |= !stage.pipeline.empty();
    if (const auto missing = MissingRequirement(stage, target)) {
      return device::Unavailable{target.install.empty() ? *missing : *missing + ": " + target.install};
    }
  }
  std::unique_ptr<PipelineRunner> runner;
  if (has_pipeline) {
    auto made = make_runner(target);
    if (!made) return made.error();
    runner = std::move(*made);
  }
  AdoptOrphans();
  auto handover = std::make_shared<Handover>();
  handover->target_dir = fs::absolute(target.path).parent_path();
  return device::TargetParts{std::make_unique<CommandCompiler>(target, std::move(runner), handover),
                             std::make_unique<CommandDevice>(target, handover)};
}

}  // namespace opbyop::command
