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

namespace opbyop {
namespace {

CaseRecord NotCompared(const Case& c, Status status, const std::string& why) {
  return {.id = c.id, .status = status, .stage = "compare", .diagnostic = "executed, not compared: " + why};
}

Expected<Values> Evaluate(mlir::ModuleOp module, const std::vector<InputData>& inputs, const ChainOptions& options) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  for (const InputData& input : inputs) {
    Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    arguments.emplace_back(std::move(*tensor));
  }
  Evaluator evaluator(module, {.bounds = true,
                               .precision = options.precision,
                               .hook = GuardOf(module, kWholeModelLimits),
                               .threads = options.threads});
  return evaluator.CallFunction(*entry, std::move(arguments));
}

}  // namespace

CaseRecord JudgeWhole(mlir::ModuleOp module, const Case& c, const std::vector<InputData>& inputs,
                      const std::vector<InputData>& outputs, const ChainOptions& options) {
  if (const auto reason = TooLarge(EstimateWork(module), kWholeModelLimits)) {
    return NotCompared(c, Status::kSkipped, *reason);
  }
  const Expected<Values> expected = Evaluate(module, inputs, options);
  if (!expected) return NotCompared(c, Status::kInconclusive, expected.error().message);
  const WeakCriterion criterion = CriterionOf(module);
  Answer answer;
  for (size_t i = 0; i < expected->size() && i < outputs.size(); ++i) {
    if (!(*expected)[i].is_tensor()) continue;
    const Tensor& want = (*expected)[i].tensor();
    const Policy::Applied applied = options.policy.For(kWholeModel, NameOf(want.type()), options.target);
    Expected<Comparison> comparison =
        want.shape() != outputs[i].shape
            ? MakeError(ExitCode::kBadInput, fmt::format("output {}: has another shape than the reference's", i))
            : CompareOutput(static_cast<int64_t>(i), want, outputs[i].bytes,
                            {.factor = applied.factor, .reason = applied.reason});
    if (!comparison) {
      return {.id = c.id, .status = Status::kFail, .stage = "compare", .diagnostic = comparison.error().message};
    }
    JudgeWholeModel(want, outputs[i].bytes, criterion, applied.factor, *comparison);
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

}  // namespace opbyop
