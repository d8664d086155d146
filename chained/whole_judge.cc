// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/whole_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "chained/op_judge.h"
#include "ir/sharding/product_parts.h"
#include "manifests/targets/target.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/trial.h"
#include "reference/worker/output_judge.h"
#include "reference/worker/whole_model.h"
#include "support/text/count_text.h"

namespace opbyop::chained {
namespace {

using reference::InputData;
using reference::Values;

CaseRecord NotCompared(const Case& c, Status status, const std::string& why) {
  return {.id = c.id,
          .status = status,
          .stage = std::string(kCompareStage),
          .diagnostic = "executed, not compared: " + why};
}

Expected<Values> Evaluate(mlir::ModuleOp module, const std::vector<InputData>& inputs,
                          const reference::EvalOptions& options) {
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  for (const InputData& input : inputs) {
    Expected<reference::Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    arguments.emplace_back(std::move(*tensor));
  }
  return reference::Evaluator(module, options).CallFunction(*entry, std::move(arguments));
}

Expected<int64_t> PartsOfModel(mlir::ModuleOp module, const Case& c) {
  if (!c.sharding) return 1;
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  return ProductParts(llvm::cast<mlir::FunctionOpInterface>(*entry), c.sharding->inputs);
}

}  // namespace

CaseRecord JudgeWhole(mlir::ModuleOp module, const Case& c, const std::vector<InputData>& inputs,
                      const std::vector<InputData>& outputs, const ChainOptions& options) {
  if (const auto reason = reference::TooLarge(reference::EstimateWork(module), reference::kWholeModelLimits)) {
    return NotCompared(c, Status::kSkipped, *reason);
  }
  const Expected<int64_t> parts = PartsOfModel(module, c);
  if (!parts) return NotCompared(c, Status::kInconclusive, parts.error().message);
  const reference::EvalOptions plain{.bounds = true,
                                     .provenance = true,
                                     .arithmetic = options.arithmetic,
                                     .product_parts = *parts,
                                     .hook = reference::GuardOf(module, reference::kWholeModelLimits),
                                     .threads = options.threads};
  const Expected<Values> expected = Evaluate(module, inputs, plain);
  if (!expected) return NotCompared(c, Status::kInconclusive, expected.error().message);
  reference::AlternativeResults alternatives(
      reference::AlternativesOf(options.arithmetic, plain),
      [&](const reference::Alternative& way) { return Evaluate(module, inputs, way.options); });
  if (outputs.size() != expected->size()) {
    return {.id = c.id,
            .status = Status::kFail,
            .stage = std::string(kCompareStage),
            .diagnostic = fmt::format("the device has {}, the model {}", CountText(outputs.size(), "output"),
                                      CountText(expected->size(), "result"))};
  }
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < expected->size(); ++i) {
    if (!(*expected)[i].is_tensor()) continue;
    const reference::Tensor& want = (*expected)[i].tensor();
    reference::OutputCriteria criteria{
        .relaxation = options.policy.For(kWholeModel, reference::NameOf(want.type()), options.target),
        .alternatives = &alternatives,
        .weak = reference::CriterionOf(module)};
    Expected<Comparison> comparison =
        reference::JudgeOutput(static_cast<int64_t>(i), want, outputs[i].shape, outputs[i].bytes, criteria);
    if (!comparison) {
      return {.id = c.id,
              .status = Status::kFail,
              .stage = std::string(kCompareStage),
              .diagnostic = comparison.error().message};
    }
    comparisons.push_back(std::move(*comparison));
  }
  CaseRecord verdict = VerdictOn(c, std::move(comparisons), outputs);
  verdict.stage = kCompareStage;
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
