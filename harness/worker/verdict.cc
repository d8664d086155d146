// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/worker/outputs.h"
#include "manifests/cases/case_sharding.h"
#include "manifests/results/comparison_verdict.h"
#include "support/dtype.h"

namespace opbyop::harness {
namespace {

bool Declares(const Target& target, std::string_view name) {
  return std::ranges::any_of(target.stages, [&](const Stage& stage) { return stage.name == name; });
}

// Returns an empty text if the comparison could have refused every element of the output.
std::string WhyAnyValuePasses(const Comparison& comparison) {
  if (comparison.random) return "random numbers: only a distribution is right or wrong, not the values";
  // An element that is `weak` was judged by a criterion of its own.
  if (comparison.weak) return {};
  if (comparison.unbounded == 0) return {};
  return fmt::format("{}: {} of {} elements have no finite bound: any value would pass there", NameOfOutput(comparison),
                     comparison.unbounded, comparison.elements);
}

// True if the specification allows no other result than zeros.
bool IsZeroByDefinition(const Case& c) {
  struct Zero {
    std::string_view op;
    std::string_view attribute;
    std::string_view text;  // the start of its text
  };
  constexpr std::array kZeros = {
      Zero{"chlo.constant_like", "value", "0.000000e+00 "},
      Zero{"stablehlo.collective_permute", "source_target_pairs", "dense<>"},  // no process sends
  };
  if (c.op == "stablehlo.imag") return !c.inputs.empty() && !c.inputs[0].dtype.starts_with("complex");
  return std::ranges::any_of(kZeros, [&](const Zero& zero) {
    const auto found = c.attributes.find(std::string(zero.attribute));
    return c.op == zero.op && found != c.attributes.end() && found->second.starts_with(zero.text);
  });
}

// The number of the output among those of all processes (manifests/cases/grid.h); nullopt if the case has no such one.
std::optional<int64_t> NumberOfOutput(const Comparison& comparison, const Case& c) {
  const auto outputs = static_cast<int64_t>(c.outputs.size());
  const int64_t process = comparison.process.value_or(0);
  const bool has_process = comparison.process.has_value() == (c.grid != Grid()) && process < c.grid.processes();
  if (!has_process || comparison.output < 0 || comparison.output >= outputs) return std::nullopt;
  return process * outputs + comparison.output;
}

// Returns an empty text if every comparison is of a different output of the case.
std::string WhyNotOfTheCase(const std::vector<Comparison>& comparisons, const Case& c) {
  const std::string in_all = c.grid == Grid() ? "" : fmt::format(" for each of {} processes", c.grid.processes());
  if (comparisons.size() > c.total_outputs()) {
    return fmt::format("compared {} outputs, the case has {}{}", comparisons.size(), c.outputs.size(), in_all);
  }
  std::set<int64_t> seen;
  for (const Comparison& comparison : comparisons) {
    const std::optional<int64_t> number = NumberOfOutput(comparison, c);
    if (!number) {
      return fmt::format("compared {}, the case has {}{}", NameOfOutput(comparison), c.outputs.size(), in_all);
    }
    if (!seen.insert(*number).second) return fmt::format("compared {} twice", NameOfOutput(comparison));
  }
  return {};
}

bool HasSeveralElements(const TensorType& type) { return NumElements(type).value_or(0) > 1; }

bool IsZeroOutput(const Case& c, const std::filesystem::path& dir, int64_t index) {
  const auto output = static_cast<size_t>(index);
  return output < c.total_outputs() &&
         IsAllZero(dir / fmt::format("output_{}.npy", index), c.outputs[output % c.outputs.size()]);
}

bool HasReason(const Answer& answer) {
  return !answer.diagnostic.empty() ||
         std::ranges::any_of(answer.stages, [](const StageRecord& stage) { return !stage.diagnostic.empty(); });
}

// Returns why an answer is not a pass.
std::string ReasonOf(const Answer& answer) {
  if (!answer.diagnostic.empty()) return answer.diagnostic;
  for (auto stage = answer.stages.rbegin(); stage != answer.stages.rend(); ++stage) {
    if (!stage->diagnostic.empty()) return stage->diagnostic;
  }
  return "the worker gave no reason";
}

void Fail(CaseRecord& record, std::string stage, std::string diagnostic, Status status = Status::kFail) {
  for (StageRecord& known : record.stages) {
    if (known.name != stage) continue;
    known.status = status;
    known.diagnostic = diagnostic;
  }
  record.status = status;
  record.stage = std::move(stage);
  record.diagnostic = std::move(diagnostic);
}

// A failure of the reference says nothing about the target: `status` is skipped or inconclusive, and the record keeps
// how the reference failed.
void SetReferenceFailure(CaseRecord& record, std::string_view stage, Status status, std::string diagnostic,
                         Status reference) {
  Fail(record, std::string(stage), std::move(diagnostic), status);
  record.reference = reference;
  record.signal = 0;
}

// Returns the first of `expected` that a passing record does not have, and what the record says about it instead.
std::pair<std::string, std::string> WhyNoPass(const std::vector<std::string>& expected, const CaseRecord& record) {
  if (record.status != Status::kPass) return {};
  for (const std::string& name : expected) {
    const auto stage = std::ranges::find(record.stages, name, &StageRecord::name);
    if (stage == record.stages.end()) {
      return {name, fmt::format("the worker says pass, but never reported stage {}", name)};
    }
    if (stage->status != Status::kPass) {
      return {name, fmt::format("the worker says pass, but stage {} ended as {}", name, ToString(stage->status))};
    }
  }
  return {};
}

// Returns why an answer to `compare` does not judge the case; empty if it does.
std::string WhyNotJudged(const Answer& answer, const Case& c) {
  const bool judged =
      answer.status == Status::kPass || answer.status == Status::kFail || answer.status == Status::kImprecise;
  if (answer.died || !judged) return ReasonOf(answer);
  if (std::string why = WhyNotOfTheCase(answer.fields.comparisons, c); !why.empty()) {
    return "the reference worker " + why;
  }
  // A failure without numbers says what the target did to the files of the case.
  if (answer.status != Status::kPass) return "";
  const std::vector<Comparison>& comparisons = answer.fields.comparisons;
  if (comparisons.size() == c.total_outputs() || VerdictOf(comparisons).status != Status::kPass) return "";
  return fmt::format("the reference worker says pass, but compared {} of {} outputs", comparisons.size(),
                     c.total_outputs());
}

}  // namespace

bool HasDevice(const Target& target) { return target.device.kind != "none" && Declares(target, kExecuteStage); }

std::vector<std::string> CompileStages(const Target& target) {
  std::vector<std::string> names;
  for (const Stage& stage : target.stages) {
    if (stage.is_compile_stage()) names.push_back(stage.name);
  }
  return names;
}

std::vector<std::string> StagesAfter(const std::string& stage, std::vector<std::string> stages) {
  const auto found = std::ranges::find(stages, stage);
  if (found != stages.end()) stages.erase(stages.begin(), found + 1);
  return stages;
}

std::string FirstStage(const std::vector<std::string>& stages) { return stages.empty() ? "compile" : stages.front(); }

void ApplyAnswer(const Answer& answer, CaseRecord& record) {
  NoteLeftRunning(answer.left, record);
  for (const StageRecord& stage : answer.stages) {
    // Generating inputs is the reference's task: the stage is listed only if it failed.
    if (stage.name == kInputsStage && stage.status == Status::kPass) continue;
    record.stages.push_back(stage);
  }
  record.status = answer.status;
  record.stage = answer.stage;
  if (answer.status == Status::kPass) return;
  record.diagnostic = ReasonOf(answer);
  record.signal = answer.signal;
  record.stderr_tail = answer.log;
}

void ApplyCompile(const Answer& answer, const std::vector<std::string>& stages, CaseRecord& record) {
  ApplyAnswer(answer, record);
  record.peak_rss_kb = std::max(record.peak_rss_kb, answer.peak_rss_kb);
  record.artifact_bytes = answer.fields.artifact_bytes.value_or(0);
  record.cost = answer.fields.cost;
  record.memory = answer.fields.memory;
  record.placements = answer.fields.placements;
  record.partitioning = answer.fields.partitioning;
  RequireStages(stages, record);
}

void ApplyExecute(const Answer& answer, const Target& target, const Case& c, const std::filesystem::path& dir,
                  CaseRecord& record) {
  ApplyAnswer(answer, record);
  record.peak_rss_kb = std::max(record.peak_rss_kb, answer.peak_rss_kb);
  record.artifact_bytes = answer.fields.artifact_bytes.value_or(record.artifact_bytes);
  record.timing = answer.fields.timing;
  std::vector<std::string> stages;
  for (const Stage& stage : target.stages) {
    if (!stage.is_compile_stage()) stages.push_back(stage.name);
  }
  RequireStages(stages, record);
  RequireOutputs(c, dir, record);
}

void ApplyInputs(const Answer& drawn, CaseRecord& record) {
  const bool none = drawn.status == Status::kPass && !drawn.fields.same_as.empty();
  if (drawn.status == Status::kPass && !none) {
    // The inputs exist, but are not those of the policy: keep the reason.
    for (const StageRecord& stage : drawn.stages) {
      if (!stage.diagnostic.empty()) record.stages.push_back(stage);
    }
    return;
  }
  ApplyAnswer(drawn, record);
  if (drawn.status == Status::kSkipped && !drawn.died) return;  // its diagnostic has the reason
  const std::string why =
      none ? fmt::format("the reference worker gave those of {}, which has none", drawn.fields.same_as)
           : ReasonOf(drawn);
  const Status reference = none ? Status::kFail : IsFailure(drawn.status) ? drawn.status : Status::kPass;
  SetReferenceFailure(record, kInputsStage, Status::kSkipped, "compiled, not executed: no inputs: " + why, reference);
}

void RequireInputs(const Case& c, const std::filesystem::path& dir, size_t digests, CaseRecord& record) {
  if (record.status != Status::kPass) return;
  if (std::optional<std::string> fault = FindInputFault(c, dir, digests)) {
    record.stages.push_back({std::string(kInputsStage)});
    SetReferenceFailure(record, kInputsStage, Status::kSkipped, "compiled, not executed: no inputs: " + *fault,
                        Status::kFail);
  }
}

namespace {

// "; process 6 computed [2, 2] of output 0": the worst element of the first output of a sharded case that is not
// accepted. Empty if there is none.
std::string WhoComputedTheWorst(const Case& c, const std::vector<Comparison>& comparisons) {
  for (const Comparison& comparison : comparisons) {
    const auto output = static_cast<size_t>(comparison.output);
    if (comparison.accepted || comparison.worst.empty() || output >= c.outputs.size()) continue;
    const std::vector<int64_t>& index = comparison.worst.front().index;
    const std::vector<int64_t>& shape = c.outputs[output].shape;
    if (!std::ranges::equal(index, shape, [](int64_t i, int64_t size) { return i >= 0 && i < size; })) continue;
    const int64_t process =
        Sharded(c.outputs[output], c.sharding->outputs[output]).DeviceOf(index, c.sharding->partitions);
    return fmt::format("; process {} computed [{}] of output {}", process, fmt::join(index, ", "), output);
  }
  return {};
}

}  // namespace

void ApplyCompare(const Answer& answer, const Case& c, CaseRecord& record) {
  ApplyAnswer(answer, record);
  ApplyComparisons(answer, c, record);
  if (c.sharding && IsFailure(record.status)) record.diagnostic += WhoComputedTheWorst(c, record.comparisons);
  if (const std::string why = WhyNoPass({std::string(kCompareStage)}, record).second; !why.empty()) {
    SetReferenceFailure(record, kCompareStage, Status::kInconclusive, "executed, not compared: " + why, Status::kFail);
  }
}

void ApplyRelease(const Answer& answer, CaseRecord& record) {
  NoteLeftRunning(answer.left, record);
  if (answer.status == Status::kPass || answer.unread) return;
  const Status status = answer.died ? answer.status : Status::kFail;
  const std::string how = fmt::format("{} when its executable was released: {}", ToString(status),
                                      answer.diagnostic.empty() ? "the worker gave no reason" : answer.diagnostic);
  if (IsFailure(record.status)) {
    record.diagnostic += "; " + how;
    return;
  }
  Fail(record, answer.stage, how, status);
  record.signal = answer.signal;
  record.stderr_tail = answer.log;
}

std::string LastTargetStage(const CaseRecord& record) {
  for (auto stage = record.stages.rbegin(); stage != record.stages.rend(); ++stage) {
    if (stage->name != kInputsStage && stage->name != kCompareStage) return stage->name;
  }
  return "";
}

void RequireStages(const std::vector<std::string>& expected, CaseRecord& record) {
  auto [stage, why] = WhyNoPass(expected, record);
  if (!why.empty()) Fail(record, std::move(stage), std::move(why));
}

void RequireOutputs(const Case& c, const std::filesystem::path& dir, CaseRecord& record) {
  if (record.status != Status::kPass) return;
  if (std::optional<std::string> fault = FindOutputFault(c, dir)) {
    Fail(record, std::string(kExecuteStage), std::move(*fault));
  }
}

void RequireSaved(const Answer& answer, const std::string& target, CaseRecord& record) {
  if (record.status != Status::kPass || answer.fields.saved) return;
  Fail(record, record.stage,
       fmt::format("the worker of {} saves no artifacts: it does not know `artifact` of the protocol, or cannot "
                   "serialize what it compiles",
                   target),
       Status::kUnsupported);
}

void RequireLoaded(const Answer& answer, const std::string& target, CaseRecord& record) {
  if (answer.fields.loaded || answer.died) return;
  // A failure in a stage has its own reason. A worker that looked for its own artifact started no stage.
  if (record.status != Status::kPass && !answer.stages.empty()) return;
  if (record.status == Status::kUnsupported) return;
  Fail(record, std::string(kLoadStage),
       fmt::format("the worker of {} loads no artifacts: it does not know `artifact` of the protocol", target),
       Status::kUnsupported);
  record.timing = {};
}

void JudgeUnknown(const Case& c, bool is_ir, CaseRecord& record) {
  if (!c.unknown || is_ir) return;
  const std::string what = c.op + " is of a dialect that is not known here";
  if (record.status == Status::kPass || record.status == Status::kSkipped) {
    record.status = Status::kInconclusive;
    record.diagnostic = "no meaning: " + what;
    return;
  }
  const bool compiles = record.stage != kLoadStage && record.stage != kExecuteStage && record.stage != kCompareStage;
  if (record.status != Status::kFail || !compiles) return;
  Fail(record, record.stage, fmt::format("{}: {}", what, record.diagnostic), Status::kUnsupported);
}

bool HasDevices(const Case& c, const protocol::Hello& hello) {
  return c.processes == 1 && c.devices().processes() <= hello.devices && (!c.sharding || hello.shardings);
}

void RequireDevices(const Case& c, const protocol::Hello& hello, CaseRecord& record) {
  if (HasDevices(c, hello)) return;
  // A compiler that is asked to compile groups of several processes for one may fail.
  const bool is_refused = c.processes > 1 && IsFailure(record.status);
  if (record.status != Status::kPass && !is_refused) return;
  const int64_t needed = c.devices().processes();
  std::string why =
      c.processes > 1 ? fmt::format("names {} processes, and there is no grid on which it runs by itself", c.processes)
      : needed > hello.devices ? fmt::format("needs {} devices, has {}", needed, hello.devices)
                               : "its worker divides no tensors among devices";
  // A whole model can run on one device, and so can the part of an op that one device has.
  if (c.sharding) why += c.is_whole_model() ? "; split with --shards=global" : "; split with --shards=local";
  if (is_refused)
    why += fmt::format("; compiled for one: {} in {}: {}", ToString(record.status), record.stage, record.diagnostic);
  Fail(record, is_refused ? record.stage : std::string(kLoadStage), why, Status::kUnsupported);
}

void ApplyRefusal(const Answer& answer, const std::vector<std::string>& stages, const Breach& breach,
                  CaseRecord& record) {
  ApplyAnswer(answer, record);
  record.peak_rss_kb = std::max(record.peak_rss_kb, answer.peak_rss_kb);
  const std::string what = fmt::format("a program that breaks {}: {}", breach.constraint, breach.rule);
  if (record.status == Status::kPass) {
    return Fail(record, stages.empty() ? FirstStage(stages) : stages.back(), "accepted " + what);
  }
  if (record.status != Status::kFail && record.status != Status::kUnsupported) return;
  if (!HasReason(answer)) return Fail(record, record.stage, fmt::format("refused {}, without a word", what));
  for (StageRecord& stage : record.stages) stage.status = Status::kPass;
  record.status = Status::kPass;
  record.stderr_tail.clear();
}

void RequireValidTwin(const std::string& twin, CaseRecord& record) {
  if (record.status != Status::kPass || twin.empty()) return;
  record.diagnostic =
      fmt::format("refused ({}), but so is the program that breaks nothing: {}", record.diagnostic, twin);
  record.status = Status::kInconclusive;
}

bool MayPassOnRetry(const CaseRecord& record) {
  // A reference may die by chance, for example because the machine is short of memory. A lack of time or memory, in
  // contrast, does not go away.
  if (record.reference == Status::kCrash) return true;
  if (!IsFailure(record.status)) return false;
  return record.status != Status::kFail || record.stage == kLoadStage || record.stage == kExecuteStage ||
         record.stage == kCompareStage;
}

bool DiedOnDevice(const CaseRecord& record) {
  return IsDeath(record.status) && (record.stage == kLoadStage || record.stage == kExecuteStage);
}

bool LosesDeviceWorker(const CaseRecord& record, const Target& target) {
  return target.device.kind == kWorkerDevice && DiedOnDevice(record);
}

void ApplyComparisons(const Answer& answer, const Case& c, CaseRecord& record) {
  record.comparisons = answer.fields.comparisons;
  if (const std::string why = WhyNotJudged(answer, c); !why.empty()) {
    record.comparisons.resize(std::min(record.comparisons.size(), c.total_outputs()));
    const Status reference = answer.status == Status::kPass ? Status::kFail
                             : IsFailure(answer.status)     ? answer.status
                                                            : Status::kPass;
    return SetReferenceFailure(record, kCompareStage, Status::kInconclusive, "executed, not compared: " + why,
                               reference);
  }
  if (record.status != Status::kPass) return;
  if (ComparisonVerdict verdict = VerdictOf(record.comparisons); verdict.status != Status::kPass) {
    Fail(record, std::string(kCompareStage), std::move(verdict.diagnostic), verdict.status);
  }
}

// The rule for constant outputs. An accepted comparison says that the device's values are right. So an output with the
// same value everywhere is suspect only if a device that did nothing would have left it as well: all bytes zero. These
// are not suspect:
//  - predicates (i1): `compare` or `is_finite` may be false everywhere;
//  - single elements, which are always constant;
//  - cases whose inputs are all single elements (such as a broadcast of a zero).
// A case is trusted as soon as one of its outputs is not suspect.
void RequireProof(const Case& c, const std::function<bool(int64_t output)>& is_zero, CaseRecord& record) {
  if (record.status != Status::kPass) return;
  if (c.no_runtime_input) {
    record.status = Status::kInconclusive;
    record.diagnostic = "no run-time input: the compiler may have folded the op away";
    return;
  }
  for (const Comparison& comparison : record.comparisons) {
    std::string why = WhyAnyValuePasses(comparison);
    if (why.empty()) continue;
    record.status = Status::kInconclusive;
    record.diagnostic = std::move(why);
    return;
  }
  if (record.comparisons.empty() || !std::ranges::any_of(c.inputs, HasSeveralElements)) return;
  for (const Comparison& comparison : record.comparisons) {
    if (!comparison.constant || comparison.elements <= 1 || comparison.dtype == "i1") return;
    if (!is_zero(NumberOfOutput(comparison, c).value_or(-1))) return;
  }
  record.status = Status::kInconclusive;
  const bool always = IsZeroByDefinition(c);
  record.diagnostic = fmt::format("every output is zero everywhere{}: a device that did nothing would pass as well",
                                  always ? ", by the specification and whatever the input" : "");
}

void RequireProof(const Case& c, const std::filesystem::path& dir, CaseRecord& record) {
  RequireProof(c, [&](int64_t output) { return IsZeroOutput(c, dir, output); }, record);
}

}  // namespace opbyop::harness
