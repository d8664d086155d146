// What happens in a chained run, as records of optrace.ndjson.
//
//   ChainRecorder recorder(plan, sink, start_ns);
//   recorder.Device(op, run, names);          // its stages and pieces as spans
//   recorder.Compared(op, compare);
//   recorder.EndOfOp(op);                     // its op_run and comparisons; of an op in a loop when that ends
//   Expected<void> done = recorder.Finish(whole_model_ps);
//
// The records of an op are handed to the sink when it has ended: a kill costs the op in hand. The first error of the
// sink is kept and returned by Finish.
#ifndef OPBYOP_TOOLS_CHAINED_CHAIN_RECORDER_H_
#define OPBYOP_TOOLS_CHAINED_CHAIN_RECORDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/optrace/optrace.h"
#include "support/expected.h"
#include "tools/chained/chain_device.h"
#include "tools/chained/program_plan.h"

namespace opbyop {

// Takes records in their order, those of an op at once.
using TraceSink = std::function<Expected<void>(std::span<const optrace::Record>)>;

// Nanoseconds of CLOCK_MONOTONIC, which the workers' spans are on too.
int64_t NowNs();

class ChainRecorder {
 public:
  // Hands all ops of the plan to the sink. `sink` may be empty: nothing is recorded then.
  ChainRecorder(const ProgramPlan& plan, TraceSink sink, int64_t start_ns);

  // Something that the host did, from `start_ns` until now or `end_ns`; `op` -1: for no op.
  void Did(int64_t op, optrace::Section section, std::string name, int64_t start_ns);
  void Did(int64_t op, optrace::Section section, std::string name, int64_t start_ns, int64_t end_ns);

  // `input_names[i]`: what the device's input i is where it is one of the model's, else empty.
  void Device(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names);

  void Judged(int64_t op, Status status, const std::string& stage, const std::string& diagnostic);
  void Compared(int64_t op, optrace::OutputCompare compare);
  void EndOfOp(int64_t op);
  void EndOfLoops();
  void EndOfPreparation() { Flush(); }
  void Warn(std::string text);

  Expected<void> Finish(int64_t whole_model_ps);

  // How many ops ended with which status; those never come to are `skipped`.
  const std::map<std::string, int64_t>& totals() const { return totals_; }

 private:
  struct State {
    std::vector<int64_t> times_ps;
    Status status = Status::kPass;
    std::string stage, diagnostic;
    std::map<std::pair<std::string, int64_t>, optrace::OutputCompare> compares;  // worst by mode and output
    bool seen = false, told = false;
    Timing timing;  // where the device told no single times
  };

  void Put(int64_t op, optrace::Section section, std::string name, int64_t start_ns, int64_t end_ns, double bytes = 0,
           std::string clock = "host");
  void PutSpan(optrace::Span span);
  void Execution(int64_t op, const DeviceRun& run);
  void Tell(int64_t op);
  void Write(optrace::Record record);
  void Flush();
  int64_t Ps(int64_t ns) const { return (ns - start_ns_) * 1000; }

  const ProgramPlan& plan_;
  TraceSink sink_;
  int64_t start_ns_;
  int64_t spans_ = 0;
  std::vector<optrace::Record> pending_;
  Expected<void> result_;
  std::vector<State> states_;
  std::vector<int64_t> in_loops_;  // ops whose op_run waits for the end of their loop
  std::map<std::string, int64_t> totals_;
};

}  // namespace opbyop

#endif  // OPBYOP_TOOLS_CHAINED_CHAIN_RECORDER_H_
