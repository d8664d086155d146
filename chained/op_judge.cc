// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/op_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/worker/verdict.h"
#include "ir/sharding/product_parts.h"
#include "reference/eval/alternatives.h"
#include "reference/worker/output_judge.h"
#include "reports/optrace/operator_table.h"
#include "support/dtype.h"

namespace opbyop::chained {
namespace {

using generator::CaseInputs;
using harness::Answer;
using optrace::CompareMode;
using optrace::Section;
using reference::InputData;
using reference::Tensor;
using reference::Value;
using reference::Values;

const void* Memory(const Tensor& t) {
  return reference::WithStorage(t.kind(), [&]<typename T>() { return static_cast<const void*>(t.data<T>().data()); });
}

// Whether both are one tensor: such values are equal, whatever the elements are.
bool IsSame(const Value& a, const Value& b) {
  return a.is_tensor() && b.is_tensor() && a.tensor().size() == b.tensor().size() &&
         Memory(a.tensor()) == Memory(b.tensor());
}

Value WithoutBound(Value value) {
  if (value.is_tensor()) value.tensor().set_bound(nullptr);
  return value;
}

// The greatest finite value minus the least; for a single value its magnitude. 0 if there are no reals.
double RangeOf(const Tensor& t) {
  if (t.kind() != reference::ElementKind::kFloat) return 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : t.data<double>()) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high > low ? high - low : high == low ? std::fabs(high) : 0;
}

// No bound applies to an accumulated error: the metrics stay, the verdict is removed.
void ClearVerdict(Comparison& comparison) {
  comparison.rule = "accumulated: reported, not judged";
  comparison.accepted = true;
  comparison.mismatches = 0;
  comparison.bound_ratio = 0;
  comparison.precision_ratio = 0;
  comparison.relaxed.clear();
  for (Comparison::Element& element : comparison.worst) element.bound_ratio = 0;
}

// The device's value of an input, or the constant itself if it is folded into the case.
const Value& DevicePick(const CaseInputs::Input& input, const Streams& value) {
  return input.folded && value.own ? *value.own : value.device;
}

// Prints the first elements of both with as many digits as distinguish them. Only records that are written need this.
ChainRecorder::Show Shown(const Tensor& want, const InputData& output, size_t most) {
  const auto stored = static_cast<size_t>(*DtypeBytes(reference::NameOf(want.type())));
  const auto count = static_cast<int64_t>(std::min(most, static_cast<size_t>(want.size())));
  auto got = reference::TensorFromBytes(output.type, {count},
                                        std::span(output.bytes).first(static_cast<size_t>(count) * stored));
  if (!got) return {};
  return [want, got = std::move(*got), count](optrace::OutputCompare& record) {
    for (int64_t i = 0; i < count; ++i) {
      record.cpu.push_back(reference::ElementText(want, i));
      record.device.push_back(reference::ElementText(got, i));
    }
  };
}

// The devices that may each have a part of a sum of the op.
int64_t PartsOfSums(const OpStep& step) {
  if (step.c == nullptr || !step.c->sharding) return 1;
  std::vector<Division> operands;
  for (const mlir::Value operand : step.op.getOperands()) {
    const auto input = std::ranges::find(step.inputs.inputs, operand, &CaseInputs::Input::value);
    const bool is_given = input != step.inputs.inputs.end() && !input->folded;
    operands.push_back(is_given ? step.c->sharding->inputs[static_cast<size_t>(input->argument)] : Division());
  }
  return ProductParts(&step.op, operands);
}

}  // namespace

CaseRecord VerdictOn(const Case& c, std::vector<Comparison> comparisons, const std::vector<InputData>& outputs) {
  Answer answer{.stage = std::string(kCompareStage)};
  answer.fields.comparisons = std::move(comparisons);
  CaseRecord record{.id = c.id};
  ApplyAnswer(answer, record);
  harness::ApplyComparisons(answer, c, record);
  harness::RequireProof(
      c,
      [&](int64_t output) {
        return std::ranges::all_of(outputs[static_cast<size_t>(output)].bytes,
                                   [](std::byte byte) { return byte == std::byte{0}; });
      },
      record);
  return record;
}

OpJudge::OpJudge(mlir::ModuleOp module, const ProgramPlan& plan, ChainRecorder& recorder, const ChainOptions& options)
    : plan_(plan),
      recorder_(recorder),
      options_(options),
      comparing_(options.compare),
      isolated_(module, {.bounds = true, .arithmetic = options.arithmetic, .threads = options.threads}),
      drawn_(module,
             {.bounds = true, .deviations = true, .arithmetic = options.arithmetic, .threads = options.threads}),
      module_(module),
      own_(module, {.threads = options.threads}) {}

Expected<StreamsList> OpJudge::Constant(mlir::Operation& op) {
  const int64_t begin = NowNs();
  const llvm::StringRef name = op.getName().getStringRef();
  reference::OpContext context{&op, {name.data(), name.size()}, {}, own_, nullptr};
  Expected<Values> values = own_.Evaluate(context);
  if (!values) return Unexpected(values.error());
  StreamsList results;
  for (const Value& value : *values) {
    results.push_back({value, comparing_ ? std::optional<Value>(value) : std::nullopt, ""});
  }
  recorder_.RecordHost(-1, Section::kControl, "constant", begin);
  return results;
}

// Evaluates the op in the reference, on the values that `pick` takes from each of its inputs.
template <typename Pick>
Expected<Values> OpJudge::Evaluate(const OpStep& step, reference::Evaluator& evaluator, const Pick& pick) {
  reference::Scope scope;
  for (const CaseInputs::Input& input : step.inputs.inputs) {
    const Streams* value = step.frame.Find(input.value);
    if (value == nullptr) return MakeError(ExitCode::kBadInput, "an operand has no value here");
    scope.Set(input.value, pick(input, *value));
  }
  reference::OpContext context{&step.op, step.name(), {}, evaluator, &scope};
  for (const mlir::Value operand : step.op.getOperands()) context.operands.push_back(*scope.Find(operand));
  return evaluator.Evaluate(context);
}

reference::Evaluator& OpJudge::IsolatedFor(const OpStep& step) {
  reference::Evaluator& whole = step.drawn ? drawn_ : isolated_;
  reference::EvalOptions options = whole.options();
  options.product_parts = PartsOfSums(step);
  return options.product_parts == 1 ? whole : divided_.emplace(module_, std::move(options));
}

Expected<void> OpJudge::Judge(OpStep& step, const DeviceRun* run, StreamsList& results) {
  const bool ran = run && run->passed() && run->inputs.empty();
  if (run && run->passed() && !ran) {
    if (auto done = JudgeOnDrawnInputs(step, *run); !done) return done;
  }
  const int64_t begin = NowNs();
  Expected<Values> isolated = Evaluate(step, ran ? IsolatedFor(step) : isolated_, &DevicePick);
  recorder_.RecordHost(step.id, Section::kCompare, "reference on the device's inputs", begin);
  if (!isolated && !ran) {
    return MakeError(ExitCode::kPartial,
                     fmt::format("{}: {} on the device ({}), and the reference has no value either: {}",
                                 Named(&step.op), ToString(step.status), step.diagnostic, isolated.error().message));
  }
  if (!isolated) {
    step.End(Status::kInconclusive, "compare", "executed, not compared: " + isolated.error().message);
    recorder_.Warn(fmt::format("{}: not compared, the reference cannot evaluate it: {}", Named(&step.op),
                               isolated.error().message));
    return {};
  }
  if (ran) {
    Compare(step, CompareMode::kIsolated, *isolated, run->outputs, &results, [&](const reference::Alternative& way) {
      reference::Evaluator evaluator(module_, way.options);
      return Evaluate(step, evaluator, &DevicePick);
    });
  } else {
    WarnOfSubstitute(step, run);
    for (size_t i = 0; i < results.size(); ++i) results[i].device = WithoutBound((*isolated)[i]);
  }
  return JudgeAccumulated(step, ran ? run : nullptr, *isolated, results);
}

// `ran` is null if the device has no output of its own.
Expected<void> OpJudge::JudgeAccumulated(OpStep& step, const DeviceRun* ran, const Values& isolated,
                                         StreamsList& results) {
  bool same = true, known = comparing_;
  for (const CaseInputs::Input& input : step.inputs.inputs) {
    const Streams& value = *step.frame.Find(input.value);  // Evaluate found it
    known = known && value.own;
    same = same && value.own && IsSame(DevicePick(input, value), *value.own);
  }
  if (!known) return {};
  Values own;
  if (same) {
    for (const Value& value : isolated) own.push_back(WithoutBound(value));
  } else {
    const int64_t begin = NowNs();
    Expected<Values> evaluated =
        Evaluate(step, own_, [](const auto&, const Streams& value) -> const Value& { return *value.own; });
    recorder_.RecordHost(step.id, Section::kCompare, "reference on its own inputs", begin);
    if (!evaluated) {
      recorder_.Warn(fmt::format("{}: accumulated errors end here, the reference cannot evaluate it: {}",
                                 Named(&step.op), evaluated.error().message));
      return {};
    }
    own = std::move(*evaluated);
  }
  if (ran != nullptr) Compare(step, CompareMode::kAccumulated, own, ran->outputs, nullptr, {});
  for (size_t i = 0; i < results.size(); ++i) results[i].own = std::move(own[i]);
  return {};
}

void OpJudge::WarnOfSubstitute(const OpStep& step, const DeviceRun* run) {
  const std::string name = optrace::HloName(plan_.ops()[static_cast<size_t>(step.id)]);
  recorder_.Warn(run && run->passed()
                     ? fmt::format("{}: the device ran on inputs of its own and is judged on these: what follows uses "
                                   "the reference's value",
                                   name)
                     : fmt::format("{}: {} in {} on the device ({}): what follows uses the reference's value", name,
                                   ToString(step.status), step.stage, step.diagnostic));
}

// Judges the device by the reference on the inputs that the device drew itself.
Expected<void> OpJudge::JudgeOnDrawnInputs(OpStep& step, const DeviceRun& run) {
  std::vector<Value> used;
  for (const InputData& input : run.inputs) {
    Expected<Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    used.emplace_back(std::move(*tensor));
  }
  const int64_t begin = NowNs();
  const auto pick = [&](const CaseInputs::Input& input, const Streams& value) -> const Value& {
    return input.folded ? DevicePick(input, value) : used[static_cast<size_t>(input.argument)];
  };
  const Expected<Values> expected = Evaluate(step, isolated_, pick);
  recorder_.RecordHost(step.id, Section::kCompare, "reference on the device's inputs", begin);
  if (!expected) return {};  // the caller's own evaluation reports the error
  StreamsList none(step.op.getNumResults());
  Compare(step, CompareMode::kIsolated, *expected, run.outputs, &none, [&](const reference::Alternative& way) {
    reference::Evaluator evaluator(module_, way.options);
    return Evaluate(step, evaluator, pick);
  });
  return {};
}

// `shared` receives the expected tensors whose bytes equal the device's.
void OpJudge::Compare(OpStep& step, CompareMode mode, const Values& expected, const std::vector<InputData>& outputs,
                      StreamsList* shared, const EvaluateWay& evaluate) {
  const int64_t begin = NowNs();
  reference::EvalOptions plain = isolated_.options();
  plain.product_parts = PartsOfSums(step);
  reference::AlternativeResults alternatives(reference::AlternativesOf(options_.arithmetic, plain), evaluate);
  const bool isolated = shared != nullptr;
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < expected.size() && i < outputs.size(); ++i) {
    if (!expected[i].is_tensor()) continue;
    const Tensor& want = expected[i].tensor();
    reference::OutputCriteria criteria;
    if (isolated) criteria.relaxation = options_.policy.For(step.name(), NameOf(want.type()), options_.target);
    if (isolated) criteria.alternatives = &alternatives;
    Expected<Comparison> comparison =
        reference::JudgeOutput(static_cast<int64_t>(i), want, outputs[i].shape, outputs[i].bytes, criteria);
    if (!comparison) {
      step.End(Status::kFail, kCompareStage, comparison.error().message);
      continue;
    }
    if (const double range = RangeOf(want); range > 0) comparison->range_error = comparison->max_abs / range;
    if (isolated) {
      comparisons.push_back(*comparison);
    } else {
      ClearVerdict(*comparison);
    }
    optrace::OutputCompare record = {.op = step.id, .mode = mode, .comparison = std::move(*comparison)};
    if (recorder_.recording()) {
      recorder_.Compared(step.id, std::move(record), Shown(want, outputs[i], options_.shown_elements));
    }
    if (isolated && reference::TensorToBytes(want) == outputs[i].bytes) (*shared)[i].device = WithoutBound(expected[i]);
  }
  if (isolated && step.status == Status::kPass) {
    const CaseRecord verdict = VerdictOn(*step.c, std::move(comparisons), outputs);
    step.End(verdict.status, kCompareStage, verdict.diagnostic);
    step.stage = kCompareStage;
  }
  recorder_.RecordHost(step.id, Section::kCompare, "compare", begin);
}

}  // namespace opbyop::chained
