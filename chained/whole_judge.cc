#include "chained/whole_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "chained/op_judge.h"
#include "reference/bounds/compare.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/trial.h"
#include "reference/worker/whole_model.h"

namespace opbyop::chained {
namespace {

using reference::InputData;
using reference::Values;

CaseRecord NotCompared(const Case& c, Status status, const std::string& why) {
  return {.id = c.id, .status = status, .stage = "compare", .diagnostic = "executed, not compared: " + why};
}

Expected<Values> Evaluate(mlir::ModuleOp module, const std::vector<InputData>& inputs, const ChainOptions& options) {
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  for (const InputData& input : inputs) {
    Expected<reference::Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    arguments.emplace_back(std::move(*tensor));
  }
  reference::Evaluator evaluator(module, {.bounds = true,
                                          .precision = options.precision,
                                          .hook = reference::GuardOf(module, reference::kWholeModelLimits),
                                          .threads = options.threads});
  return evaluator.CallFunction(*entry, std::move(arguments));
}

}  // namespace

CaseRecord JudgeWhole(mlir::ModuleOp module, const Case& c, const std::vector<InputData>& inputs,
                      const std::vector<InputData>& outputs, const ChainOptions& options) {
  if (const auto reason = reference::TooLarge(reference::EstimateWork(module), reference::kWholeModelLimits)) {
    return NotCompared(c, Status::kSkipped, *reason);
  }
  const Expected<Values> expected = Evaluate(module, inputs, options);
  if (!expected) return NotCompared(c, Status::kInconclusive, expected.error().message);
  const reference::WeakCriterion criterion = reference::CriterionOf(module);
  harness::Answer answer;
  for (size_t i = 0; i < expected->size() && i < outputs.size(); ++i) {
    if (!(*expected)[i].is_tensor()) continue;
    const reference::Tensor& want = (*expected)[i].tensor();
    const Policy::Applied applied = options.policy.For(kWholeModel, reference::NameOf(want.type()), options.target);
    Expected<Comparison> comparison =
        want.shape() != outputs[i].shape
            ? MakeError(ExitCode::kBadInput, fmt::format("output {}: has another shape than the reference's", i))
            : reference::CompareOutput(static_cast<int64_t>(i), want, outputs[i].bytes,
                                       {.factor = applied.factor, .reason = applied.reason});
    if (!comparison) {
      return {.id = c.id, .status = Status::kFail, .stage = "compare", .diagnostic = comparison.error().message};
    }
    reference::JudgeWholeModel(want, outputs[i].bytes, criterion, applied.factor, *comparison);
    AddComparison(*comparison, answer);
  }
  CaseRecord verdict = VerdictOf(answer, c, outputs);
  verdict.stage = "compare";
  return verdict;
}

std::string WholeText(const CaseRecord& verdict) {
  std::string text(ToString(verdict.status));
  const auto is_weak = [](const Comparison& comparison) { return comparison.weak; };
  if (verdict.status == Status::kPass && std::ranges::any_of(verdict.comparisons, is_weak)) text += " (weak)";
  if (verdict.status != Status::kPass) return fmt::format("{} in {}: {}", text, verdict.stage, verdict.diagnostic);
  double error = 0;
  for (const Comparison& comparison : verdict.comparisons) error = std::max(error, comparison.range_error);
  return text + fmt::format(", error {:.2g} of the range", error);
}

}  // namespace opbyop::chained
