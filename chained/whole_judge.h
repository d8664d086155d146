// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges a model that a chained run also ran in one piece, by the criterion of `run --mode=whole` (docs/numerics.md).
//
//   CaseRecord verdict = JudgeWhole(module, c, inputs, run.outputs, options);
//   verdict.status; verdict.diagnostic; verdict.comparisons
#ifndef OPBYOP_CHAINED_WHOLE_JUDGE_H_
#define OPBYOP_CHAINED_WHOLE_JUDGE_H_

#include <string>
#include <vector>

#include "chained/chain.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/inputs/inputs.h"

namespace opbyop::chained {

// `c` is the whole model as a case; `outputs` are the device's results on `inputs`. If nothing was compared, the
// verdict is no pass, but inconclusive or skipped, with the reason.
CaseRecord JudgeWhole(mlir::ModuleOp module, const Case& c, const std::vector<reference::InputData>& inputs,
                      const std::vector<reference::InputData>& outputs, const ChainOptions& options);

// Summarizes a verdict: "pass, error 1.2e-06 of the range", "fail in compare: ...".
std::string WholeText(const CaseRecord& verdict);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_WHOLE_JUDGE_H_
