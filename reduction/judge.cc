// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "generator/program/case_writer.h"
#include "harness/worker/verdict.h"
#include "ir/first_error.h"
#include "manifests/policies/policy.h"
#include "reference/inputs/captured.h"
#include "reference/inputs/trial.h"
#include "reference/worker/whole_model.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/files/project_folder.h"
#include "support/process/process.h"

namespace opbyop::reduction {
namespace {

namespace fs = std::filesystem;

using harness::RunPolicy;

}  // namespace

Expected<std::unique_ptr<Judge>> Judge::Start(Target target, Case c, std::vector<RunPolicy> policies, uint64_t seed,
                                              std::optional<uint64_t> fresh_seed) {
  AdoptOrphans();
  Expected<std::unique_ptr<harness::Scratch>> scratch = harness::Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  std::unique_ptr<Judge> judge(
      new Judge(std::move(target), std::move(c), std::move(policies), seed, fresh_seed, std::move(*scratch)));
  if (const Expected<void> made = judge->MakeFolder(); !made) return Unexpected(made.error());
  judge->start_.compile_only = harness::HasDevice(judge->target_) ? harness::WhyAbsent(judge->target_) : "";
  judge->StartSlot();
  if (const Expected<void> ready = judge->slot_->StartWorkers(); !ready) return Unexpected(ready.error());
  // A worker without its device only compiles.
  if (const std::string& why = judge->slot_->target_hello().compile_only; !why.empty()) {
    judge->start_.compile_only = why;
  }
  return judge;
}

Judge::Judge(Target target, Case c, std::vector<RunPolicy> policies, uint64_t seed, std::optional<uint64_t> fresh_seed,
             std::unique_ptr<harness::Scratch> scratch)
    : target_(std::move(target)), case_(std::move(c)), scratch_(std::move(scratch)) {
  settings_.policies = std::move(policies);
  settings_.second_draw = !case_.is_judged_as_model();
  settings_.seed = seed;
  start_.fresh_seed = fresh_seed;
  settings_.reference_worker = harness::ReferenceWorkerSpec(ProgramFolder().string());
  if (!case_.is_judged_as_model()) return;
  for (Stage& stage : target_.stages) harness::WidenForModel(stage.limits);
  harness::WidenForModel(settings_.reference_worker.fallback);
}

Judge::~Judge() { slot_.reset(); }

Expected<void> Judge::MakeFolder() {
  Expected<harness::ScratchDir> folder = scratch_->Make("reduction", 0);
  if (!folder) return Unexpected(folder.error());
  folder_.emplace(std::move(*folder));
  settings_.manifest_folder = folder_->path();
  return {};
}

void Judge::StartSlot() {
  settings_.target = &target_;
  shared_.scratch = scratch_.get();
  shared_.device = &device_state_;
  settings_.retries = 0;
  settings_.target_worker = harness::TargetWorkerSpec(target_, ProgramFolder().string(), ProjectFolder().string());
  settings_.target_worker.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1";
  slot_ = std::make_unique<harness::Slot>(0, settings_, start_, shared_);
}

void Judge::Narrow(RunPolicy policy, uint64_t seed) {
  settings_.policies = {std::move(policy)};
  settings_.second_draw = false;
  start_.fresh_seed.reset();
  settings_.seed = seed;
}

void Judge::LimitStages(const CaseRecord& record, double factor) {
  constexpr double kLeastS = 10;
  for (Stage& stage : target_.stages) {
    const auto ran = std::ranges::find(record.stages, stage.name, &StageRecord::name);
    const double took_s = ran == record.stages.end() ? 0 : ran->ms / 1000;
    stage.limits.timeout_s = std::min(stage.limits.timeout_s, std::max(kLeastS, factor * took_s));
  }
  // A worker keeps the limits that it was started with.
  Renew();
}

void Judge::Renew() {
  slot_.reset();
  StartSlot();
}

Expected<CaseRecord> Judge::Run(const Program& program) {
  const fs::path& folder = folder_->path();
  Case c = CaseOf(program, case_);
  // A new name for each program: the reference caches what it read under a name.
  c.file = fmt::format("cases/{}.mlir", runs_++);
  const fs::path file = folder / c.file;
  if (const auto written = WriteFile(file, generator::CaseText(program.module.get(), {.id = c.id})); !written)
    return Unexpected(written.error());
  if (program.inputs) {
    if (const Expected<void> stored = StoreFixedInputs(program, c.id, folder); !stored)
      return Unexpected(stored.error());
  }
  Expected<CaseRecord> record = slot_->Run(c);
  std::error_code error;
  fs::remove(file, error);
  fs::remove_all(folder / "captured", error);
  return record;
}

Expected<std::vector<reference::InputData>> Judge::Outputs(const Program& program) {
  const auto keep_in = [&](const fs::path& folder) {
    slot_.reset();
    settings_.keep = folder;
    StartSlot();
  };
  const fs::path kept = folder_->path() / "kept";
  keep_in(kept);
  const Expected<CaseRecord> record = Run(program);
  keep_in("");
  if (!record) return Unexpected(record.error());
  std::vector<reference::InputData> outputs;
  for (const auto& [k, type] : llvm::enumerate(CaseOf(program, case_).outputs)) {
    const Expected<NpyFile> file = ReadNpy(kept / case_.id / fmt::format("output_{}.npy", k));
    const auto element = reference::ParseElementType(type.dtype);
    if (!file || !element) {
      return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: the device left no result {}", k));
    }
    outputs.push_back({*element, file->shape(), {file->bytes().begin(), file->bytes().end()}});
  }
  std::error_code error;
  fs::remove_all(kept, error);
  return outputs;
}

Expected<std::vector<reference::InputData>> Judge::Draw(const Program& program) const {
  const FirstError silent(*program.module.get().getContext());
  const RunPolicy& policy = settings_.policies.front();
  const uint64_t seed = harness::InputSeed(case_.id, settings_.seed);
  mlir::ModuleOp module = program.module.get();
  Expected<reference::GeneratedInputs> drawn =
      case_.is_judged_as_model()
          ? reference::GenerateModelInputs(module, policy.inputs, case_.id, seed, CaseOf(program, case_).input_ranges)
          : reference::GenerateInputs(module, policy.inputs, case_.id, seed, reference::WorkLimits());
  if (!drawn) return Unexpected(drawn.error());
  if (!drawn->unfit.empty()) return MakeError(ExitCode::kUnsupported, drawn->unfit);
  return std::move(drawn->inputs);
}

Expected<RunPolicy> FixedInputs(const RunPolicy& policy, const fs::path& file) {
  Expected<RunPolicy> fixed = harness::FindPolicy("captured");
  if (!fixed || policy.file.empty()) return fixed;
  const Expected<Policy> from = LoadPolicy(policy.file);
  if (!from) return Unexpected(from.error());
  if (from->relax.empty()) return fixed;
  nlohmann::json json = {{"schema", kPolicySchema}, {"name", "captured"}, {"inputs", "captured"}};
  for (const Relaxation& each : from->relax) {
    json["relax"].push_back({{"op", each.op},
                             {"dtype", each.dtype},
                             {"target", each.target},
                             {"factor", each.factor},
                             {"reason", each.reason}});
  }
  if (const Expected<void> written = WriteFile(file, json.dump(1) + "\n"); !written) return Unexpected(written.error());
  return harness::FindPolicy(file.string());
}

Expected<void> StoreFixedInputs(const Program& program, const std::string& case_id, const fs::path& folder) {
  Expected<reference::CapturedIndex> index = reference::CapturedIndex::Load(folder);
  if (!index) return Unexpected(index.error());
  std::vector<std::string> names;
  for (const reference::InputData& input : *program.inputs) {
    Expected<reference::Stored> stored = reference::StoreCaptured(index->folder(), input);
    if (!stored) return Unexpected(stored.error());
    names.push_back(std::move(stored->name));
  }
  index->Set(case_id, std::move(names));
  return index->Save();
}

}  // namespace opbyop::reduction
