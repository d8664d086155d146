// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs one op of a chained run on the device and has the reference judge it.
//
//   OpRunner runner(map, plan, device, recorder, options);
//   runner.Prepare();                                              // compiles all cases
//   runner.BeginIteration(0);
//   Expected<StreamsList> results = runner.Run(op, id, frame);     // id: the op's id in the trace
//
// The walker (chain.h) decides which op comes next.
#ifndef OPBYOP_CHAINED_OP_RUNNER_H_
#define OPBYOP_CHAINED_OP_RUNNER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "chained/chain.h"
#include "chained/chain_device.h"
#include "chained/chain_recorder.h"
#include "chained/op_judge.h"
#include "chained/op_step.h"
#include "chained/program_plan.h"
#include "generator/split/case_map.h"
#include "support/expected.h"

namespace opbyop::chained {

class OpRunner {
 public:
  OpRunner(generator::CaseMap& map, const ProgramPlan& plan, ChainDevice& device, ChainRecorder& recorder,
           const ChainOptions& options);

  // Compiles every case, so that the compiler does not run between the ops.
  void Prepare();

  // Starts one more pass over the program. Only the first is compared with the reference: in the others each op should
  // give the same bits as in the first, and the first op that does not is reported.
  void BeginIteration(int64_t iteration);

  // The op's results in both streams. An error if neither the device nor the reference has a value. `next` is the op
  // that runs after it, or null if that is not known.
  Expected<StreamsList> Run(mlir::Operation& op, int64_t id, const StreamsFrame& frame, mlir::Operation* next);

  Expected<StreamsList> Constant(mlir::Operation& op) { return judge_.Constant(op); }

  // Whether the last Run's results are the device's own.
  bool was_by_device() const { return was_by_device_; }

  // An input of the model, as a value of both streams.
  Streams ModelInput(const reference::Value& value, std::string input) const;

 private:
  std::optional<DeviceRun> Execute(OpStep& step);
  void Announce(mlir::Operation& next, const StreamsFrame& frame);
  bool IsStopped() const;
  void ReportProgress(const ChainProgress& progress) const;
  void CheckRepeats(const OpStep& step, const std::vector<reference::InputData>& outputs);

  generator::CaseMap& map_;
  const ProgramPlan& plan_;
  ChainDevice& device_;
  ChainRecorder& recorder_;
  const ChainOptions& options_;
  OpJudge judge_;
  int64_t iteration_ = 0;
  bool was_by_device_ = false;
  std::vector<size_t> answers_;  // of the first iteration, in order of execution: hashes of the outputs
  size_t next_answer_ = 0;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_OP_RUNNER_H_
