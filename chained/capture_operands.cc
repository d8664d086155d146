// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/capture_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generator/split/case_map.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/worker/whole_model.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::InputData;
using reference::Values;

InputData Stored(const reference::Tensor& t) { return {t.type(), t.shape(), reference::TensorToBytes(t)}; }

}  // namespace

Expected<std::vector<InputData>> ModelInputs(mlir::ModuleOp module, const CaptureOptions& options) {
  if (const auto reason = reference::TooLarge(reference::EstimateWork(module), reference::LimitsOfMachine())) {
    return MakeError(ExitCode::kUnsupported, "unsupported: " + *reason);
  }
  return reference::MakeModelInputs(module, InputKind::kDomain,
                                    reference::SeedOf("model/" + options.model, options.seed), options.ranges);
}

Expected<int64_t> CaptureOperands(mlir::ModuleOp outer, const CaptureOptions& options, const CaptureSink& sink) {
  Expected<CaseMap> map = CaseMap::Make(outer, options.split);
  if (!map) return Unexpected(map.error());

  // The first op of each case, in order of execution.
  llvm::DenseMap<mlir::Operation*, const CaseMap::Entry*> wanted;
  for (const CaseMap::Entry& entry : map->cases()) wanted[entry.first] = &entry;

  const Expected<std::vector<InputData>> inputs = ModelInputs(map->module(), options);
  if (!inputs) return Unexpected(inputs.error());
  Values arguments;
  for (const InputData& input : *inputs) {
    Expected<reference::Tensor> t = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!t) return Unexpected(t.error());
    arguments.emplace_back(std::move(*t));
  }
  reference::EvalOptions evaluation;
  evaluation.hook = [&](reference::OpContext& context, Values&) -> Expected<bool> {
    const auto found = wanted.find(context.op);
    if (found == wanted.end()) return false;
    std::vector<InputData> operands;
    const generator::CaseInputs needed = map->InputsOf(context.op);
    for (const generator::CaseInputs::Input& input : needed.inputs) {
      if (input.folded) continue;
      const reference::Value* value = context.scope->Find(input.value);
      // An operand that is used here for the last time has moved into the op.
      for (unsigned i = 0; value == nullptr && i < context.op->getNumOperands(); ++i) {
        if (context.op->getOperand(i) == input.value) value = &context.operands[i];
      }
      if (value == nullptr || !value->is_tensor()) break;
      operands.push_back(Stored(value->tensor()));
    }
    const bool complete = operands.size() == static_cast<size_t>(needed.arguments);
    const std::string& hash = found->second->c.hash;
    wanted.erase(found);
    if (complete && !operands.empty()) {
      if (const Expected<void> done = sink(hash, operands); !done) return Unexpected(done.error());
    }
    return false;
  };
  reference::Evaluator evaluator(map->module(), std::move(evaluation));
  const Expected<Values> results = evaluator.Call(options.split.entry, std::move(arguments));
  if (!results) return Unexpected(results.error());
  return static_cast<int64_t>(map->cases().size());
}

}  // namespace opbyop::chained
