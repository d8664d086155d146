// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges policies of a large case on a smaller program that is made of its own.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "harness/inputs/input_set.h"
#include "harness/inputs/made_twin.h"
#include "harness/slot/slot_attempt.h"
#include "harness/worker/outputs.h"
#include "harness/worker/verdict.h"
#include "support/files/file.h"

namespace opbyop::harness {

std::unique_ptr<Slot::Twin> Slot::MakeTwinOf(const Attempt& attempt) const {
  const auto shown = [](const RunPolicy& policy) { return policy.IsShownByTwin(); };
  const auto& policies = settings_.policies;
  if (!MakesTwin(attempt.c, settings_) || std::none_of(policies.begin() + 1, policies.end(), shown)) return nullptr;
  const Expected<std::string> text = ReadFile(settings_.manifest_folder / attempt.c.file);
  std::optional<MadeTwin> made = text ? MakeTwin(attempt.c, *text) : std::nullopt;
  return made ? HouseTwin(std::move(*made), attempt) : nullptr;
}

std::unique_ptr<Slot::Twin> Slot::TwinInsteadOf(const Attempt& attempt, const Answer& drawn) const {
  const protocol::SmallerProgram& smaller = drawn.fields.smaller;
  // An artifact that was compiled elsewhere is that of the case itself.
  if (drawn.status != Status::kSkipped || smaller.program.empty() || settings_.compiled != nullptr) return nullptr;
  return HouseTwin(TwinOfLoop(attempt.c, smaller, drawn.diagnostic), attempt);
}

std::unique_ptr<Slot::Twin> Slot::HouseTwin(MadeTwin made, const Attempt& attempt) const {
  if (shared_.scratch == nullptr) return nullptr;
  // Not in the slot's folder: a target could change the program there between its run and its comparison.
  Expected<ScratchDir> folder = shared_.scratch->Make("twin-" + name_, static_cast<int64_t>(made.program.size()));
  if (!folder) return nullptr;
  const std::filesystem::path file = folder->path() / (made.c.id + ".mlir");
  const std::filesystem::path dir = attempt.dir / "twin";
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error || !WriteFile(file, made.program)) return nullptr;
  if (keeps_folders() && !WriteFile(dir / "program.mlir", made.program)) return nullptr;
  made.c.file = file.string();
  return std::make_unique<Twin>(std::move(made), std::move(*folder), attempt.policy, dir);
}

bool Slot::RunOnTwin(const RunPolicy& policy, std::span<const RunPolicy> earlier, Twin& twin, Attempt& attempt,
                     Permit& permit) {
  Attempt set = MakeSet(twin.attempt, policy, SetName(policy, false));
  if (!twin.loads) {
    set.record.status = Status::kSkipped;
    set.record.stage = kInputsStage;
    set.record.diagnostic = "not tried: the program did not compile";
    JoinTwinSet(set, twin, attempt);
    return true;
  }
  ClearForNextSet(twin.attempt);
  const Answer drawn = Draw(set, earlier);
  if (std::ranges::find(earlier, drawn.fields.same_as, &RunPolicy::name) != earlier.end()) return true;
  TakeInputs(drawn, set);
  if (!set.passing()) {
    if (!twin.compiled && twin.made.replaces.empty()) return false;
    JoinTwinSet(set, twin, attempt);
    return true;
  }
  if (!set.input_digests.empty() && std::ranges::find(twin.executed, set.input_digests) != twin.executed.end()) {
    ClearInputs(set.c, set.dir);
    return true;
  }
  twin.executed.push_back(set.input_digests);
  twin.attempt.set = set.set;
  if (!twin.compiled) {
    twin.compiled = true;
    permit.Acquire();
    Release(attempt);
    const auto request = [&] { return MakeRequest(set, protocol::CompileVerb{}, *settings_.target); };
    const std::vector<std::string> stages = CompileStagesOf(set.c);
    target_.Send(request(), FirstStage(stages));
    CaseRecord compiled = set.record;
    ApplyCompile(AwaitAnswer(target_, request, FirstStage(stages)), stages, compiled);
    // The stages of the record are those of the case itself.
    twin.loads = compiled.status == Status::kPass;
    if (!twin.loads) set.record = std::move(compiled);
    permit.Release();
  }
  if (set.passing()) RunSet(set, {}, permit);
  JoinTwinSet(set, twin, attempt);
  return true;
}

void Slot::JoinTwinSet(Attempt& set, const Twin& twin, Attempt& attempt) {
  if (!set.passing() && !set.record.diagnostic.empty()) {
    set.record.diagnostic =
        fmt::format("on the same program with shapes {}: {}", twin.made.shapes, set.record.diagnostic);
  }
  const bool decides = JoinSet(set.record, set.set, attempt.record);
  set.PutReferenceUse(attempt.record.sets.back());
  attempt.record.sets.back().twin = twin.made.shapes;
  if (!twin.made.replaces.empty() && attempt.record.status == Status::kPass && attempt.record.diagnostic.empty()) {
    attempt.record.diagnostic =
        fmt::format("judged on the same program with shapes {}: {}", twin.made.shapes, twin.made.replaces);
  }
  if (decides) attempt.record.differential = RunOnSecondTarget(set);
}

}  // namespace opbyop::harness
