// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference beside a device: what an op's outputs should have been, on the device's own inputs and on its own.
//
//   OpJudge judge(map.module(), plan, recorder, options);
//   Expected<void> judged = judge.Judge(step, run, results);   // comparisons to the recorder, both streams to results
//
// `run` is null where the op could not be given to the device at all. What the comparisons on the device's own inputs
// make of an op is the verdict of harness/worker/verdict.h, as of any case: a pass that proves nothing is inconclusive.
#ifndef OPBYOP_CHAINED_OP_JUDGE_H_
#define OPBYOP_CHAINED_OP_JUDGE_H_

#include <functional>
#include <optional>
#include <vector>

#include "chained/chain.h"
#include "chained/chain_device.h"
#include "chained/chain_recorder.h"
#include "chained/op_step.h"
#include "chained/program_plan.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/evaluator.h"
#include "support/expected.h"

namespace opbyop::chained {

// The verdict on a case that ran, by the comparisons of its outputs (harness/worker/verdict.h), as that of a worker's
// answer.
CaseRecord VerdictOn(const Case& c, std::vector<Comparison> comparisons,
                     const std::vector<reference::InputData>& outputs);

class OpJudge {
 public:
  OpJudge(mlir::ModuleOp module, const ProgramPlan& plan, ChainRecorder& recorder, const ChainOptions& options);

  // Where not, the reference is only asked where the device has no answer.
  void set_comparing(bool comparing) { comparing_ = comparing; }
  bool comparing() const { return comparing_; }

  // Compares the device's outputs with the reference's. Where the device has none, the isolated reference's stand in
  // for them. An error where there are none either.
  Expected<void> Judge(OpStep& step, const DeviceRun* run, StreamsList& results);

  // A constant is what it is in both streams.
  Expected<StreamsList> Constant(mlir::Operation& op);

 private:
  using EvaluateWay = reference::AlternativeResults::Evaluate;

  template <typename Pick>
  Expected<reference::Values> Evaluate(const OpStep& step, reference::Evaluator& evaluator, const Pick& pick);
  Expected<void> JudgeAccumulated(OpStep& step, const DeviceRun* ran, const reference::Values& isolated,
                                  StreamsList& results);
  Expected<void> JudgeOnItsOwn(OpStep& step, const DeviceRun& run);
  reference::Evaluator& IsolatedFor(const OpStep& step) { return step.drawn ? drawn_ : isolated_; }
  void Compare(OpStep& step, optrace::CompareMode mode, const reference::Values& expected,
               const std::vector<reference::InputData>& outputs, StreamsList* shared, const EvaluateWay& evaluate);
  void WarnOfSubstitute(const OpStep& step, const DeviceRun* run);

  const ProgramPlan& plan_;
  ChainRecorder& recorder_;
  const ChainOptions& options_;
  bool comparing_;
  reference::Evaluator isolated_;  // with bounds, on the device's inputs
  reference::Evaluator drawn_;     // with deviations too, which presume inputs that were drawn (docs/numerics.md)
  mlir::ModuleOp module_;
  reference::Evaluator own_;  // on its own
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_OP_JUDGE_H_
