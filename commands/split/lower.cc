// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/split/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "generator/program/program_text.h"
#include "harness/worker/verdict.h"
#include "manifests/targets/find_target.h"
#include "manifests/targets/target.h"
#include "support/files/file.h"

namespace opbyop::commands {
namespace {

using harness::Scratch;

namespace fs = std::filesystem;

// Room for the intermediates of a large model; if they do not fit in memory, they go to disk.
constexpr int64_t kBytesOfAModel = int64_t{256} << 20;

// The worker's folder, the only one that it may write to.
constexpr std::string_view kSlot = "lower";

// Reads "<k>_<stage>.mlir" in the folder.
Expected<std::string> ReadIntermediate(const fs::path& folder, const std::string& stage) {
  std::error_code error;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const size_t number = std::min(name.find('_'), name.size());
    if (name.substr(number) == "_" + stage + ".mlir") {
      if (fs::is_regular_file(entry.symlink_status(error))) return ReadFile(entry.path());
      return MakeError(ExitCode::kBadInput, fmt::format("what the worker saved of stage {} is no file", stage));
    }
    if (name.substr(number).starts_with("_" + stage + ".")) found.push_back(name);
  }
  if (found.empty()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the worker saved nothing of stage {}; does it support save_intermediates?", stage));
  }
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("what stage {} makes ({}) is no MLIR, so it cannot be split", stage, found.front()));
}

// Writes the compiler's input, which is like the file of a case: text that does not depend on a version of MLIR.
Expected<fs::path> ProgramOf(const fs::path& model, const fs::path& dir) {
  std::error_code error;
  const Expected<std::optional<std::string>> text = generator::ReadProgramText(model);
  if (!text) return Unexpected(text.error());
  if (!*text) return fs::absolute(model, error);
  // In a folder of its own, so that the model's name cannot equal a file that the worker saves.
  const fs::path file = dir / "program" / (model.stem().string() + ".mlir");
  if (Expected<void> written = WriteFile(file, **text); !written) return Unexpected(written.error());
  return file;
}

}  // namespace

Expected<std::unique_ptr<Lowerer>> Lowerer::Start(const std::string& target_name, const std::string& stage) {
  Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  const Expected<Target> target = FindTarget(target_name, (*scratch)->folders().front());
  if (!target) return Unexpected(target.error());
  const std::vector<std::string> names = harness::CompileStages(*target);
  if (std::find(names.begin(), names.end(), stage) == names.end()) {
    return MakeError(ExitCode::kUsage, fmt::format("--after {}: target {} has no such compile stage, only {}", stage,
                                                   target->name, fmt::join(names, ", ")));
  }
  Expected<std::unique_ptr<harness::CaseClient>> client =
      harness::CaseClient::Start(*target, kSlot, {}, std::move(*scratch));
  if (!client) return Unexpected(client.error());
  return std::unique_ptr<Lowerer>(new Lowerer(stage, std::move(*client)));
}

Expected<fs::path> Lowerer::Lower(const std::string& name, const fs::path& model, Input input) {
  std::lock_guard<std::mutex> lock(mutex_);
  harness::TargetClient& worker = client_->worker();
  if (Expected<void> ready = worker.Start(); !ready) return Unexpected(ready.error());
  Expected<harness::ScratchDir> dir = client_->MakeFolder(name, kBytesOfAModel);
  if (!dir) return Unexpected(dir.error());
  const Expected<fs::path> program = input == Input::kAsItIs ? fs::absolute(model) : ProgramOf(model, dir->path());
  if (!program) return Unexpected(program.error());
  CaseRecord record{.id = name};
  worker.Compile({.verb = protocol::CompileVerb{.until = stage_},
                  .case_id = name,
                  .file = *program,
                  .dir = dir->path(),
                  .save_intermediates = true,
                  .target = worker.target().name},
                 record);
  // A worker that ignores `until` may fail in a later stage.
  const auto stage = std::ranges::find(record.stages, stage_, &StageRecord::name);
  if (stage == record.stages.end() || stage->status != Status::kPass) {
    return MakeError(record.status == Status::kUnsupported ? ExitCode::kUnsupported : ExitCode::kBadInput,
                     fmt::format("{}: target {} does not get past stage {}: {}", model.string(), worker.target().name,
                                 record.stage, record.diagnostic));
  }
  const Expected<std::string> text = ReadIntermediate(dir->path(), stage_);
  if (!text) return Unexpected(text.error());
  // Out of the worker's reach, because it continues with the next model while this one is split.
  Expected<harness::ScratchDir> kept = client_->MakeOwnFolder(name, static_cast<int64_t>(text->size()));
  if (!kept) return Unexpected(kept.error());
  dirs_.push_back(std::move(*kept));
  const fs::path file = dirs_.back().path() / (stage_ + ".mlir");
  if (Expected<void> written = WriteFile(file, *text); !written) return Unexpected(written.error());
  return file;
}

}  // namespace opbyop::commands
