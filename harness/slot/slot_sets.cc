// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a compiled case on each of its sets of inputs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "harness/bundle/compiled_run.h"
#include "harness/inputs/fresh_draw.h"
#include "harness/inputs/twins.h"
#include "harness/slot/kept_folder.h"
#include "harness/slot/slot_attempt.h"
#include "harness/worker/outputs.h"
#include "harness/worker/own_folder.h"
#include "harness/worker/verdict.h"
#include "manifests/results/set_name.h"

namespace opbyop::harness {
namespace {

using protocol::Repeat;
using protocol::Request;

// A larger program is executed once on each set, for it takes too long.
constexpr int64_t kMostBytesAgain = int64_t{16} << 20;

using Digests = std::vector<std::string>;

// Sets after the first are not measured: they are executed once.
constexpr Repeat kOnce = {};

// True if the reference has no time or no memory for the case. That does not depend on the inputs.
bool IsTooMuch(Status reference) { return reference == Status::kTimeout || reference == Status::kOutOfMemory; }

// True if a set has the same inputs as one of these. Inputs without digests never count as the same.
bool IsKnown(const std::vector<Digests>& executed, const Digests& digests) {
  return !digests.empty() && std::ranges::find(executed, digests) != executed.end();
}

// Returns the numbers of the sets in the order in which they run: those of a made twin last, for the case's own program
// is not loaded any more then. The last number is that of the second draw.
std::vector<size_t> OrderOfSets(const std::vector<RunPolicy>& policies, bool has_made_twin) {
  std::vector<size_t> order, last;
  for (size_t k = 0; k <= policies.size(); ++k) {
    const bool on_twin = has_made_twin && k > 0 && k < policies.size() && policies[k].IsShownByTwin();
    (on_twin ? last : order).push_back(k);
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

}  // namespace

Slot::Attempt Slot::MakeSet(const Attempt& attempt, const RunPolicy& policy, std::string name) const {
  Attempt set = MakeAttempt(attempt.c);
  set.dir = attempt.dir;
  set.policy = &policy;
  set.set = std::move(name);
  set.record.status = Status::kPass;
  return set;
}

void Slot::TakeInputs(const Answer& drawn, Attempt& set) const {
  set.AddReferenceUse(drawn);
  set.input_digests = drawn.fields.input_digests;
  ApplyInputs(drawn, set.record);
  if (settings_.target->device.own_inputs) return;
  RequireInputs(set.c, set.dir, set.input_digests.size(), set.record);
}

void Slot::RunSets(Attempt& attempt, Answer drawn, Permit& permit) {
  RequireDevices(attempt.c, target_.hello(), attempt.record);
  if (!attempt.passing()) return permit.Release();
  const std::vector<RunPolicy>& policies = settings_.policies;
  // Without inputs, or if the target draws them itself, a case does the same every time.
  const bool varies = !attempt.c.inputs.empty() && !settings_.target->device.own_inputs;
  const bool is_model = attempt.c.is_judged_as_model();
  const std::string twin = is_model ? "" : SmallerTwinOf(attempt.c, settings_.twins);
  std::unique_ptr<Twin> made = varies && twin.empty() ? MakeTwinOf(attempt) : nullptr;
  std::unique_ptr<Twin> instead = varies && !is_model ? TwinInsteadOf(attempt, drawn) : nullptr;
  const bool replaced = instead != nullptr;
  if (replaced) made = std::move(instead);
  std::vector<Digests> executed;
  // True after a set that rules out further ones: the case cannot be executed again, or the reference has no time or
  // memory for it.
  bool ended = false;
  for (const size_t k : OrderOfSets(policies, made != nullptr && !replaced)) {
    const bool second_draw = k == policies.size();
    if (k > 0 && !varies) break;
    if (second_draw && !(settings_.second_draw && !is_model && executed.size() == 1 && twin.empty() && made == nullptr))
      continue;
    const RunPolicy& policy = policies[second_draw ? 0 : k];
    Attempt set = MakeSet(attempt, policy, SetName(policy, second_draw));
    // Then this set equals the first set of a run with the next seed.
    if (second_draw) set.record.seed = InputSeed(attempt.c.id, settings_.seed + 1);
    if (k > 0 && !twin.empty() && !replaced && set.policy->IsShownByTwin()) {
      attempt.record.sets.push_back({set.set, set.record.seed, Status::kSkipped, std::string(kInputsStage),
                                     fmt::format("judged on the same program with smaller shapes: {}", twin)});
      attempt.record.sets.back().twin = twin;
      continue;
    }
    const std::span earlier = std::span(policies).first(second_draw ? 0 : k);
    if (made != nullptr && (replaced || (k > 0 && policy.IsShownByTwin()))) {
      permit.Release();
      if (RunOnTwin(policy, earlier, *made, attempt, permit)) {
        ended = IsDeath(attempt.record.status) || attempt.record.status == Status::kMissing;
        if (ended) break;
        continue;
      }
      made.reset();
    }
    if (k > 0) {
      permit.Release();
      ClearForNextSet(attempt);
      drawn = Draw(set, earlier);
    }
    attempt.set = set.set;  // its tensors are in the folder
    if (std::ranges::find(earlier, drawn.fields.same_as, &RunPolicy::name) != earlier.end()) continue;
    TakeInputs(drawn, set);
    if (set.passing()) {
      if (IsKnown(executed, set.input_digests)) {
        ClearInputs(attempt.c, attempt.dir);
        continue;
      }
      executed.push_back(set.input_digests);
      RunSet(set, k == 0 ? settings_.repeat : kOnce, permit);
      if (k == 0) ExecuteAgain(set, permit);
      attempt.unread = k == 0 && set.unread;
    }
    const bool ends_case = IsDeath(set.record.status) || set.record.status == Status::kMissing;
    const bool too_much = IsTooMuch(set.record.reference);
    const bool decides = JoinSet(set.record, set.set, attempt.record);
    set.PutReferenceUse(attempt.record.sets.back());
    if (decides) attempt.record.differential = RunOnSecondTarget(set);
    // The other sets need the same artifact: if the worker died, another compilation would make another one.
    ended = ends_case || too_much;
    if (too_much && !ends_case) SkipSetsAfter(k, set.set, attempt);
    if (ended) break;
  }
  // A smaller twin that is judged on `edge` covers the further draw too.
  if (!ended && varies && !is_model && (twin.empty() || replaced)) {
    const bool on_twin = made != nullptr && made->compiled;
    RunFreshDraw(on_twin ? made->attempt : attempt, attempt, on_twin ? made->executed : executed, permit);
    if (on_twin && FreshSeedOf(attempt.record.sets.back().policy)) attempt.record.sets.back().twin = made->made.shapes;
  }
  permit.Release();
  const InputSetRecord* deciding = DecidingSet(attempt.record);
  if (!keeps_folders() || deciding == nullptr || deciding->policy == attempt.set || !deciding->twin.empty()) return;
  MoveTensors(attempt.dir, attempt.dir / attempt.set);
  MoveTensors(attempt.dir / deciding->policy, attempt.dir);
  std::error_code error;
  std::filesystem::remove(attempt.dir / deciding->policy, error);
}

void Slot::RunFreshDraw(const Attempt& program, Attempt& attempt, std::vector<Digests>& executed, Permit& permit) {
  const RunPolicy* const policy = FreshPolicy(settings_.policies);
  if (policy == nullptr || !start_.fresh_seed) return;
  const bool is_large = ElementsOf(program.c) > kFreshElements;
  if (is_large && !IsFreshInTurn(attempt.c.id, *start_.fresh_seed, kLargePerFresh)) return;
  Attempt set = MakeSet(program, *policy, FreshSetName(policy->name, *start_.fresh_seed));
  set.record.seed = InputSeed(program.c.id, *start_.fresh_seed);
  permit.Release();
  ClearForNextSet(program);
  const Answer drawn = Draw(set);
  if (&program == &attempt) attempt.set = set.set;
  TakeInputs(drawn, set);
  if (set.passing()) {
    // If there are few possible values every draw is the same.
    if (IsKnown(executed, set.input_digests)) return ClearInputs(program.c, program.dir);
    RunSet(set, kOnce, permit);
  }
  const bool was = attempt.record.fixed.status != Status::kMissing;
  JoinFreshDraw(set.record, set.set, attempt.record);
  set.PutReferenceUse(attempt.record.sets.back());
  if (!was && attempt.record.fixed.status != Status::kMissing) {
    attempt.record.differential = RunOnSecondTarget(set);
  }
}

void Slot::SkipSetsAfter(size_t last, const std::string& name, Attempt& attempt) const {
  const bool varies = !attempt.c.inputs.empty() && !settings_.target->device.own_inputs;
  for (size_t k = last + 1; varies && k < settings_.policies.size(); ++k) {
    attempt.record.sets.push_back({.policy = SetName(settings_.policies[k], false),
                                   .seed = attempt.record.seed,
                                   .status = Status::kSkipped,
                                   .stage = std::string(kInputsStage),
                                   .diagnostic = fmt::format("not tried: under {} the reference ended with {}", name,
                                                             ToString(attempt.record.reference)),
                                   .judged_nothing = true});
  }
}

void Slot::RunSet(Attempt& set, const Repeat& repeat, Permit& permit) {
  permit.Acquire();
  Execute(set, repeat);
  permit.Release();
  if (set.passing()) Compare(set);
  RequireProof(set.c, set.dir, set.record);
}

void Slot::ExecuteAgain(Attempt& set, Permit& permit) {
  if (set.c.devices().processes() == 1 || set.c.total_bytes() > kMostBytesAgain || !set.passing()) return;
  const std::string right = DigestOfOutputs(set.c, set.dir);
  for (int number = 2; number <= settings_.executions; ++number) {
    Attempt again = MakeSet(set, *set.policy, set.set);
    again.record.seed = set.record.seed;
    again.input_digests = set.input_digests;
    permit.Acquire();
    Execute(again, kOnce);
    permit.Release();
    if (again.passing() && DigestOfOutputs(set.c, set.dir) == right) continue;
    if (again.passing()) Compare(again);
    if (again.passing()) continue;
    const std::string where =
        fmt::format("; execution {} of {}, those before it were right", number, settings_.executions);
    again.record.diagnostic += where;
    if (!again.record.stages.empty()) again.record.stages.back().diagnostic += where;
    again.record.timing = set.record.timing;
    set.record = std::move(again.record);
    set.unread = again.unread;
    return;
  }
}

Answer Slot::Draw(const Attempt& set, std::span<const RunPolicy> earlier) {
  const auto request = [&] {
    protocol::InputsVerb inputs;
    for (const RunPolicy& policy : earlier) inputs.earlier.push_back(policy.named());
    return MakeRequest(set, std::move(inputs), *settings_.target);
  };
  if (!reference_.Ready()) (void)reference_.Start();  // it may have died on the previous set
  reference_.Send(request(), kInputsStage);
  return AwaitAnswer(reference_, request, kInputsStage);
}

// No file of the previous set may be used for the next.
void Slot::ClearForNextSet(const Attempt& last) const {
  if (keeps_folders()) MoveTensors(last.dir, last.dir / last.set);
  ClearInputs(last.c, last.dir);
  ClearOutputs(last.c, last.dir);
}

void Slot::Execute(Attempt& attempt, const Repeat& repeat) {
  const DeviceHold hold(settings_.target->device, shared_.device);
  CaseRecord& record = attempt.record;
  if (const auto lost = LostDevice()) {
    record.status = Status::kMissing;
    record.diagnostic = lost->message;
    return;
  }
  ClearOutputs(attempt.c, attempt.dir);
  protocol::ExecuteVerb execute{.repeat = repeat};
  if (settings_.compiled != nullptr) execute.artifact = settings_.compiled->artifacts().PathIn(attempt.dir);
  const Answer executed = target_.Call(MakeRequest(attempt, std::move(execute), *settings_.target), kLoadStage);
  GrantOwnerAccess(attempt.dir);  // so that the next case can use the folder
  attempt.unread = executed.unread;
  ApplyExecute(executed, *settings_.target, attempt.c, attempt.dir, record);
  if (settings_.compiled != nullptr) RequireLoaded(executed, settings_.target->name, record);
}

// The request comes from this run, not from what the device claims that it was asked.
Request Slot::MakeCompareRequest(const Attempt& attempt, const Target& target) const {
  protocol::CompareVerb compare{.own_inputs = target.device.own_inputs};
  if (!compare.own_inputs) compare.input_digests = attempt.input_digests;
  return MakeRequest(attempt, std::move(compare), target);
}

void Slot::Compare(Attempt& attempt) {
  const Answer compared = reference_.Call(MakeCompareRequest(attempt, *settings_.target), kCompareStage);
  attempt.AddReferenceUse(compared);
  ApplyCompare(compared, attempt.c, attempt.record);
}

// Runs the case on the other target, in a separate folder with the same inputs.
Differential Slot::RunOnSecondTarget(const Attempt& attempt) {
  Differential opinion;
  const CaseRecord& first = attempt.record;
  const bool on_device = first.stage == kExecuteStage || first.stage == kCompareStage;
  if (!second_ || replaying_ || !IsFailure(first.status) || !on_device) return opinion;
  const Target& target = *settings_.second->target;
  opinion.target = target.name;
  if (const Expected<void> started = second_->Start(); !started) {
    opinion.diagnostic = started.error().message;
    return opinion;
  }
  if (const std::string& why = second_->hello().compile_only; !why.empty()) {
    opinion.diagnostic = "not executed: " + why;
    return opinion;
  }
  if (!HasDevices(attempt.c, second_->hello())) {
    opinion.diagnostic = "not executed: it has too few devices";
    return opinion;
  }
  std::error_code error;
  Attempt second{attempt.c, attempt.policy, attempt.dir / "differential", {}};
  second.record.id = first.id;
  second.record.seed = first.seed;
  std::filesystem::create_directories(second.dir, error);
  for (size_t i = 0; i < attempt.c.total_inputs(); ++i) {
    const std::string name = fmt::format("input_{}.npy", i);
    std::filesystem::remove(second.dir / name, error);
    std::filesystem::create_hard_link(attempt.dir / name, second.dir / name, error);
  }
  second.input_digests = attempt.input_digests;
  second_->Compile(MakeRequest(second, protocol::CompileVerb{}, target), second.record);
  if (second.passing()) second_->Execute(second.c, MakeRequest(second, protocol::ExecuteVerb{}, target), second.record);
  // The reference may have died on the first target's outputs.
  if (second.passing() && !reference_.Start()) return opinion;
  if (second.passing()) {
    ApplyCompare(reference_.Call(MakeCompareRequest(second, target), kCompareStage), second.c, second.record);
  }
  opinion.status = second.record.status;
  opinion.stage = second.record.stage;
  opinion.diagnostic = second.record.diagnostic;
  opinion.comparisons = std::move(second.record.comparisons);
  for (Comparison& comparison : opinion.comparisons) comparison.policy = attempt.set;
  return opinion;
}

}  // namespace opbyop::harness
