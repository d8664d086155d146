// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges an op of a chained run: evaluates it in the reference, on the device's inputs and on the reference's own, and
// compares the outputs.
//
//   OpJudge judge(map.module(), plan, recorder, options);
//   Expected<void> judged = judge.Judge(step, run, results);   // comparisons to the recorder, both streams to results
//
// `run` is null if the op could not be given to the device at all. The verdict on an op follows
// harness/worker/verdict.h, from the comparisons on the device's own inputs, as for any case: a pass that proves
// nothing is inconclusive.
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

// The verdict on a case that ran, from the comparisons of its outputs (harness/worker/verdict.h), as for a worker's
// answer.
CaseRecord VerdictOn(const Case& c, std::vector<Comparison> comparisons,
                     const std::vector<reference::InputData>& outputs);

class OpJudge {
 public:
  OpJudge(mlir::ModuleOp module, const ProgramPlan& plan, ChainRecorder& recorder, const ChainOptions& options);

  // If false, the reference runs only the ops that the device cannot.
  void set_comparing(bool comparing) { comparing_ = comparing; }
  bool comparing() const { return comparing_; }

  // Compares the device's outputs with the reference's. If the device has none, the reference's outputs on the device's
  // inputs replace them. An error if the reference has none either.
  Expected<void> Judge(OpStep& step, const DeviceRun* run, StreamsList& results);

  // A constant has the same value in both streams.
  Expected<StreamsList> Constant(mlir::Operation& op);

 private:
  using EvaluateWay = reference::AlternativeResults::Evaluate;

  template <typename Pick>
  Expected<reference::Values> Evaluate(const OpStep& step, reference::Evaluator& evaluator, const Pick& pick);
  Expected<void> JudgeAccumulated(OpStep& step, const DeviceRun* ran, const reference::Values& isolated,
                                  StreamsList& results);
  Expected<void> JudgeOnDrawnInputs(OpStep& step, const DeviceRun& run);
  reference::Evaluator& IsolatedFor(const OpStep& step);
  void Compare(OpStep& step, optrace::CompareMode mode, const reference::Values& expected,
               const std::vector<reference::InputData>& outputs, StreamsList* shared, const EvaluateWay& evaluate);
  void WarnOfSubstitute(const OpStep& step, const DeviceRun* run);

  const ProgramPlan& plan_;
  ChainRecorder& recorder_;
  const ChainOptions& options_;
  bool comparing_;
  reference::Evaluator isolated_;                // on the device's inputs, with bounds
  reference::Evaluator drawn_;                   // with deviations too, which presume random inputs (docs/numerics.md)
  std::optional<reference::Evaluator> divided_;  // for the current op, whose sums devices have parts of
  mlir::ModuleOp module_;
  reference::Evaluator own_;  // on the reference's own inputs
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_OP_JUDGE_H_
