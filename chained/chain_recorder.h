// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records a chained run as optrace.ndjson.
//
//   ChainRecorder recorder(plan, sink, start_ns);
//   recorder.BeginIteration(0);
//   recorder.BeginOp();
//   recorder.Device(op, run, names);          // its stages and pieces as spans
//   recorder.Compared(op, compare, show);
//   recorder.FinishOp(op);                     // its op_run and comparisons; of an op in a loop when that ends
//   recorder.Flush();                         // to the sink
//   Expected<void> done = recorder.Finish({whole_model_ps});
//
// The costly work (printing elements, JSON, writing) is done in Flush, which the caller calls while the device is busy
// with the next op. A kill therefore loses the current op, and also the one before it if that was not flushed yet. The
// first error of the sink is kept and returned by Finish.
#ifndef OPBYOP_CHAINED_CHAIN_RECORDER_H_
#define OPBYOP_CHAINED_CHAIN_RECORDER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chained/chain_device.h"
#include "chained/program_plan.h"
#include "chained/run_times.h"
#include "manifests/optrace/optrace.h"
#include "support/expected.h"

namespace opbyop::chained {

// Receives records in order; those of one op in one call.
using TraceSink = std::function<Expected<void>(std::span<const optrace::Record>)>;

// Nanoseconds of CLOCK_MONOTONIC, the clock of the workers' spans.
int64_t NowNs();

// Why an op that a complete run did not reach has no result.
inline constexpr std::string_view kNotTaken = "a branch that was not taken";

class ChainRecorder {
 public:
  // Prints the first elements of a comparison into its record.
  using Show = std::function<void(optrace::OutputCompare&)>;

  // Writes all ops of the plan first. If `sink` is empty, nothing is recorded.
  ChainRecorder(const ProgramPlan& plan, TraceSink sink, int64_t start_ns);

  bool recording() const { return static_cast<bool>(sink_); }

  void BeginIteration(int64_t iteration) { iteration_ = iteration; }

  // The spans from here to FinishOp belong to one execution of an op: they share a flow.
  void BeginOp() { flow_ = ++flows_; }

  // Records what the host did, from `start_ns` until now or `end_ns`. `op` is -1 if it was not for an op.
  void RecordHost(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns);
  void RecordHost(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns, int64_t end_ns);

  // `input_names[i]` names the model's input that the device's input i is; it is empty if i is none.
  void Device(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names);

  void Judged(int64_t op, Status status, const std::string& stage, const std::string& diagnostic);
  void Compared(int64_t op, optrace::OutputCompare compare, Show show);
  void FinishOp(int64_t op);
  void FinishLoops();
  void Warn(std::string text);  // once
  void Record(optrace::Instruction instruction) {
    if (sink_) Write(std::move(instruction));
  }

  // Warns that the device's own clock did not measure `first`, with the reason `why`; does nothing if `why` is empty.
  // Only the first such warning of a run is written.
  void WarnOfHostClock(std::string_view first, const std::string& why);

  // Hands all that was recorded to the sink.
  void Flush();

  // The run of the model in one piece: its time (0: not known), and its verdict if it was judged.
  struct WholeRun {
    int64_t ps = 0;
    optrace::Clock clock = optrace::Clock::kHost;
    std::optional<Status> status;
    std::string verdict;
  };
  // `not_reached` says why the ops that the run did not reach have no result.
  Expected<void> Finish(const WholeRun& whole, std::string_view not_reached = kNotTaken);

  // After Finish: the number of ops by status. Ops that were never reached are `skipped`.
  const std::map<std::string, int64_t>& totals() const { return totals_; }

 private:
  struct Judgement {
    optrace::OutputCompare compare;
    Show show;
  };
  struct State {
    RunTimes times;
    Status status = Status::kPass;
    std::string stage, diagnostic;
    std::map<std::pair<optrace::CompareMode, int64_t>, Judgement> compares;  // worst by mode and output
    bool seen = false;
    bool written = false;  // whether its op_run was written
    bool changed = false;  // whether it changed since then
  };

  void RecordSpan(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns, int64_t end_ns);
  void RecordPiece(int64_t op, optrace::Section section, std::string_view name, const protocol::Span& piece);
  optrace::Span SpanOf(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns,
                       int64_t end_ns) const;
  void WriteSpan(optrace::Span span);
  void Transfers(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names);
  void Execution(int64_t op, const DeviceRun& run);
  void Processes(int64_t op, const DeviceRun& run);
  void WriteOpRun(int64_t op);
  void Write(optrace::Record record);
  // The time since the trace began, within what a trace can hold: a worker may report any time.
  int64_t Ps(int64_t ns) const {
    constexpr int64_t kPsPerNs = 1000;
    return std::clamp<int64_t>(ns - start_ns_, 0, std::numeric_limits<int64_t>::max() / kPsPerNs) * kPsPerNs;
  }

  const ProgramPlan& plan_;
  TraceSink sink_;
  int64_t start_ns_;
  int64_t spans_ = 0;
  int64_t iteration_ = 0;
  int64_t flow_ = 0;   // of the current execution; 0: of none
  int64_t flows_ = 0;  // so far
  std::vector<optrace::Record> pending_;
  Expected<void> result_;
  std::vector<State> states_;
  std::vector<int64_t> ended_;     // ops to write with the next Flush
  std::vector<int64_t> in_loops_;  // ops whose op_run waits for the end of their loop
  std::set<std::string> warned_;
  bool warned_of_clock_ = false;  // whether the warning of WarnOfHostClock was written
  std::map<std::string, int64_t> totals_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_RECORDER_H_
