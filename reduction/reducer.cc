// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "manifests/results/set_name.h"
#include "manifests/targets/target.h"
#include "reference/tensor/tensor.h"
#include "support/text/count_text.h"

namespace opbyop::reduction {
namespace {

// How often the row is run before anything is removed, and how often a candidate of a flaky row must fail.
constexpr int kFirstRuns = 2;
constexpr int kFlakyTries = 6;
constexpr int kFlakyEndings = 2;

// The time limit of a candidate's stage, as a multiple of the row's time. It limits the cost of a candidate that hangs.
constexpr double kStageFactor = 5;

// The most elements of fixed inputs.
constexpr int64_t kMostElements = int64_t{1} << 22;

}  // namespace

Reducer::Reducer(Judge& judge, ReducerOptions options) : judge_(judge), options_(std::move(options)) {}

bool Reducer::Over() { return error_ || options_.stop() || Clock::now() >= deadline_; }

Expected<Reduction> Reducer::Reduce(Program program) {
  deadline_ = Clock::now() + options_.time_limit;
  best_.program = std::move(program);
  best_.op = judge_.c().op;
  if (const Expected<void> found = FindEnding(); !found) return Unexpected(found.error());
  best_.from = best_.to = SizeOf(best_.program);
  best_.policy = judge_.policies().front().given;
  if (const Expected<void> kept = options_.keep(best_); !kept) return Unexpected(kept.error());
  options_.say(fmt::format("{}: {}", best_.ending.Text(), best_.from.Text()));
  if (best_.ending.status != Status::kTimeout) judge_.LimitStages(best_.record, kStageFactor);

  Sweep(&CallEdits);
  while (!Over() && ShortenRun()) {
  }
  Sweep([](const Program&) { return Edits{{"without what nothing uses", [](Program&) { return true; }}}; });
  Sweep(&ResultEdits);
  Sweep(&OpEdits);
  TryJudgingAsOp();
  // Values that are drawn again may differ: if the failure depends on the values, they are kept.
  FixInputs();
  trail_.push_back(best_.program.Clone());
  for (bool changed = true; changed && !Over();) {
    changed = ReduceOnce();
    if (!options_.stop() && !error_) changed |= ReturnToReproducing();
  }
  if (error_) return Unexpected(*error_);
  best_.complete = !Over();
  if (const Expected<void> kept = options_.keep(best_); !kept) return Unexpected(kept.error());
  return std::move(best_);
}

// Uses the policies of a run, then only the one with the failure.
Expected<void> Reducer::FindEnding() {
  for (int run = 0; run < kFirstRuns; ++run) {
    Expected<CaseRecord> record = judge_.Run(best_.program);
    if (!record) return Unexpected(record.error());
    const Ending ending = EndingOf(*record, judge_.c());
    const bool is_first = best_.ending.status == Status::kMissing;
    if (!is_first && ending == best_.ending) continue;
    best_.flaky |= run > 0;
    if (!is_first || !IsFailure(ending.status)) {
      best_.record = is_first ? std::move(*record) : best_.record;
      continue;
    }
    NarrowPolicy(*record);
    best_.ending = ending;
    best_.record = std::move(*record);
  }
  if (IsFailure(best_.ending.status)) return {};
  return MakeError(ExitCode::kNothingToDo, fmt::format("{}: ends as {} here: there is no failure to reduce",
                                                       judge_.c().id, ToString(best_.record.status)));
}

// A failure that needed all policies is repeated with only the policy under which it was seen.
void Reducer::NarrowPolicy(const CaseRecord& record) {
  const std::vector<harness::RunPolicy>& policies = judge_.policies();
  const std::string given = harness::ReproPolicyOf(record, policies);
  const auto found = std::ranges::find(policies, given, &harness::RunPolicy::given);
  harness::RunPolicy policy = found == policies.end() ? policies.front() : *found;
  const InputSetRecord* deciding = harness::DecidingSet(record);
  const bool second = deciding != nullptr && deciding->policy == harness::SetName(policy, true);
  // Captured operands are kept if the row fails only on them; otherwise inputs are drawn again.
  if (policy.inputs != InputKind::kCaptured) best_.program.inputs.reset();
  const std::optional<uint64_t> fresh = deciding == nullptr ? std::nullopt : FreshSeedOf(deciding->policy);
  judge_.Narrow(std::move(policy), fresh.value_or(judge_.seed() + (second ? 1 : 0)));
}

bool Reducer::HasSameEnding(const Program& candidate, CaseRecord& record) {
  const int tries = best_.flaky ? kFlakyTries : 1;
  int wanted = best_.flaky ? kFlakyEndings : 1;
  for (int i = 0; i < tries && wanted > 0; ++i) {
    ++best_.candidates;
    if (best_.fresh) judge_.Renew();
    Expected<CaseRecord> ran = judge_.Run(candidate);
    if (!ran) {
      error_ = ran.error();
      return false;
    }
    // An interruption may have ended the worker too.
    if (options_.stop()) return false;
    if (EndingOf(*ran, judge_.c()) == best_.ending) {
      --wanted;
      record = std::move(*ran);
    }
  }
  return wanted == 0;
}

bool Reducer::Accept(Program candidate, CaseRecord record) {
  best_.program = std::move(candidate);
  best_.record = std::move(record);
  best_.to = SizeOf(best_.program);
  if (!trail_.empty() && !best_.fresh) trail_.push_back(best_.program.Clone());
  if (const Expected<void> kept = options_.keep(best_); !kept) {
    error_ = kept.error();
    return false;
  }
  return true;
}

bool Reducer::HasSameEndingAlone(const Program& program, CaseRecord& record) {
  judge_.Renew();
  return HasSameEnding(program, record);
}

// Returns to the last program that ends in the same way in fresh workers, by steps that double. False if that is the
// current one.
bool Reducer::ReturnToReproducing() {
  if (best_.fresh) return false;
  std::vector<Program> trail = std::exchange(trail_, {});
  CaseRecord record;
  const bool holds = (alone_ && trail.size() == 1) || HasSameEndingAlone(best_.program, record);
  alone_ = true;
  if (!holds && !options_.stop() && !error_) {
    options_.say("it does not end so alone: each candidate in workers of its own from here on");
    best_.fresh = true;
    seen_.clear();
    size_t at = trail.size() - 1;
    for (size_t step = 1; at > 0; step *= 2) {
      at -= std::min(step, at);
      if (at == 0 || HasSameEnding(trail[at], record)) break;
    }
    if (options_.stop() || error_) return false;
    // The first program is the last that can be returned to.
    if (at == 0 && !HasSameEnding(trail[at], record)) {
      best_.flaky = true;
      record = best_.record;
    }
    Accept(trail[at].Clone(), std::move(record));
  }
  trail_.push_back(best_.program.Clone());
  return !holds;
}

bool Reducer::Try(const Edit& edit) {
  Program candidate = best_.program.Clone();
  if (!edit.apply(candidate)) return false;
  if (!CleanUp(candidate) || !LoopsMayEnd(candidate)) {
    ++best_.invalid;
    return false;
  }
  if (!seen_.insert(DigestOf(candidate, judge_.c().op)).second) return false;
  options_.say(fmt::format("{} candidates, {} so far; {}", best_.candidates, best_.to.Text(), edit.what));
  CaseRecord record;
  return HasSameEnding(candidate, record) && Accept(std::move(candidate), std::move(record));
}

// Tries each edit once. After one is accepted, the others are proposed again, from the same position on.
bool Reducer::Sweep(const Enumerate& enumerate) {
  bool changed = false;
  Edits edits = enumerate(best_.program);
  for (size_t i = 0; i < edits.size() && !Over();) {
    if (Try(edits[i])) {
      changed = true;
      edits = enumerate(best_.program);
    } else {
      ++i;
    }
  }
  return changed;
}

// Removes a half, then a quarter, and so on, first at the end and then at the beginning.
bool Reducer::ShortenRun() {
  bool changed = false;
  for (const bool at_end : {true, false}) {
    for (int64_t chunk = RunLength(best_.program) / 2; chunk >= 1 && !Over();) {
      const int64_t length = RunLength(best_.program);
      if (chunk < length && Try(at_end ? RunEdit(0, length - chunk) : RunEdit(chunk, length))) {
        changed = true;
        chunk = std::min(chunk, RunLength(best_.program) / 2);
      } else {
        chunk /= 2;
      }
    }
  }
  return changed;
}

bool Reducer::ReduceOnce() {
  bool changed = Sweep([this](const Program& program) { return ShapeEdits(program, Wrong()); });
  changed |= Sweep(&TypeEdits);
  changed |= Sweep(&ResultEdits);
  changed |= Sweep(&LoopEdits);
  changed |= Sweep(&OpEdits);
  changed |= Sweep(&AttributeEdits);
  changed |= Sweep(&ValueEdits);
  return changed;
}

// The rest of a model is judged by the bounds of single ops if it fails by them too: its inputs can then be fixed.
void Reducer::TryJudgingAsOp() {
  if (!judge_.c().is_judged_as_model() || Over()) return;
  const std::string before = judge_.c().op;
  std::string op;
  for (mlir::Operation& each : best_.program.body()) {
    if (op.empty() && IsComputation(&each)) op = each.getName().getStringRef().str();
  }
  if (op.empty()) return;
  judge_.set_op(op);
  CaseRecord record;
  if (HasSameEnding(best_.program, record) && Accept(best_.program.Clone(), std::move(record))) {
    best_.op = op;
  } else {
    judge_.set_op(before);
  }
}

// Returns false if inputs cannot be fixed, or if the failure disappears with them.
bool Reducer::FixInputs() {
  const auto refuse = [this](std::string why) {
    best_.inputs_why = std::move(why);
    return false;
  };
  if (Over()) return false;
  if (best_.program.inputs) return true;  // captured: it fails only on these
  const bool on_device = best_.ending.stage == kExecuteStage || best_.ending.stage == kCompareStage;
  if (!on_device) return refuse("it ends before the device");
  if (judge_.target().device.own_inputs) return refuse("the target draws its inputs itself");
  if (judge_.c().is_judged_as_model()) return refuse("those of a model or of a part of it are not stored");
  // The criterion of the promised precision presumes random inputs.
  if (best_.ending.status == Status::kImprecise) return refuse("the criterion of precision presumes drawn inputs");
  Program fixed = best_.program.Clone();
  Expected<std::vector<reference::InputData>> inputs = judge_.Draw(fixed);
  if (!inputs) return refuse(inputs.error().message);
  int64_t elements = 0;
  for (const reference::InputData& input : *inputs) elements += reference::SizeOf(input.shape);
  if (inputs->empty()) return refuse("there are none");
  if (elements > kMostElements) return refuse(fmt::format("they have {} elements", Grouped(elements)));
  fixed.inputs = std::move(*inputs);
  const harness::RunPolicy drawn = judge_.policies().front();
  Expected<harness::RunPolicy> policy = FixedInputs(drawn, options_.policy_file);
  if (!policy) return refuse(policy.error().message);
  best_.policy = policy->given;
  judge_.Narrow(std::move(*policy), judge_.seed());
  CaseRecord record;
  if (HasSameEnding(fixed, record) && Accept(std::move(fixed), std::move(record))) return true;
  best_.policy = drawn.given;
  judge_.Narrow(drawn, judge_.seed());
  return refuse("with the same values from a file it does not end so");
}

std::vector<int64_t> Reducer::Wrong() const {
  for (const Comparison& comparison : best_.record.comparisons) {
    if (!comparison.accepted && !comparison.worst.empty()) return comparison.worst.front().index;
  }
  return {};
}

}  // namespace opbyop::reduction
