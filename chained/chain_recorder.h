// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What happens in a chained run, as records of optrace.ndjson.
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
// What is costly (printing elements, JSON, writing) is done in Flush, which the caller calls while the device is busy
// with the next op: a kill costs the current op, and the one before where that was not handed over yet. The first error
// of the sink is kept and returned by Finish.
#ifndef OPBYOP_CHAINED_CHAIN_RECORDER_H_
#define OPBYOP_CHAINED_CHAIN_RECORDER_H_

#include <cstdint>
#include <functional>
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

// Takes records in their order, those of an op at once.
using TraceSink = std::function<Expected<void>(std::span<const optrace::Record>)>;

// Nanoseconds of CLOCK_MONOTONIC, which the workers' spans are on too.
int64_t NowNs();

// Why an op that a whole run did not come to has no result.
inline constexpr std::string_view kNotTaken = "a branch that was not taken";

class ChainRecorder {
 public:
  // Prints the first elements of a comparison into its record.
  using Show = std::function<void(optrace::OutputCompare&)>;

  // All ops of the plan come first. `sink` may be empty: nothing is recorded then.
  ChainRecorder(const ProgramPlan& plan, TraceSink sink, int64_t start_ns);

  bool recording() const { return static_cast<bool>(sink_); }

  void BeginIteration(int64_t iteration) { iteration_ = iteration; }

  // The spans from here to FinishOp are of one execution of an op: they share a flow.
  void BeginOp() { flow_ = ++flows_; }

  // Something that the host did, from `start_ns` until now or `end_ns`; `op` -1: for no op.
  void RecordHost(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns);
  void RecordHost(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns, int64_t end_ns);

  // `input_names[i]`: what the device's input i is where it is one of the model's, else empty.
  void Device(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names);

  void Judged(int64_t op, Status status, const std::string& stage, const std::string& diagnostic);
  void Compared(int64_t op, optrace::OutputCompare compare, Show show);
  void FinishOp(int64_t op);
  void FinishLoops();
  void Warn(std::string text);  // once

  // Why the device's own clock did not measure `first`, where `why` says; of a whole run the first such reason.
  void TellClock(std::string_view first, const std::string& why);

  // Hands all that is known to the sink.
  void Flush();

  // The model in one piece: its time (0: not known), and how it ended, where that was looked at.
  struct WholeRun {
    int64_t ps = 0;
    optrace::Clock clock = optrace::Clock::kHost;
    std::optional<Status> status;
    std::string verdict;
  };
  // `not_reached` is why ops have no result that the run did not come to.
  Expected<void> Finish(const WholeRun& whole, std::string_view not_reached = kNotTaken);

  // After Finish: how many ops ended with which status; those never come to are `skipped`.
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
    bool written = false;  // its op_run
    bool changed = false;  // since then
  };

  void RecordSpan(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns, int64_t end_ns);
  void RecordPiece(int64_t op, optrace::Section section, std::string_view name, const DevicePiece& piece);
  optrace::Span SpanOf(int64_t op, optrace::Section section, std::string_view name, int64_t start_ns,
                       int64_t end_ns) const;
  void WriteSpan(optrace::Span span);
  void Transfers(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names);
  void Execution(int64_t op, const DeviceRun& run);
  void WriteOpRun(int64_t op);
  void Write(optrace::Record record);
  int64_t Ps(int64_t ns) const { return (ns - start_ns_) * 1000; }

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
  std::vector<int64_t> ended_;     // ops to tell with the next Flush
  std::vector<int64_t> in_loops_;  // ops whose op_run waits for the end of their loop
  std::set<std::string> warned_;
  bool told_clock_ = false;  // why times are of the host's clock
  std::map<std::string, int64_t> totals_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_RECORDER_H_
