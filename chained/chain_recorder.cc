// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/chain_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "chained/process_pieces.h"
#include "manifests/targets/target.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::chained {
namespace {

using optrace::Section;

constexpr double kPsPerUs = 1e6;

int64_t NsOf(double ms) { return std::llround(ms * 1e6); }

// Whether `a` is worse than `b`: the worst comparison of an op over the trips of its loop is kept.
bool Worse(const Comparison& a, const Comparison& b) {
  if (a.accepted != b.accepted) return !a.accepted;
  return std::pair(a.bound_ratio, a.max_ulp) > std::pair(b.bound_ratio, b.max_ulp);
}

// The timing of a device that reports one execution and no figures.
Timing OneRun(int64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  return {.n = 1, .min_us = us, .median_us = us, .p95_us = us};
}

}  // namespace

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ChainRecorder::ChainRecorder(const ProgramPlan& plan, TraceSink sink, int64_t start_ns)
    : plan_(plan), sink_(std::move(sink)), start_ns_(start_ns), states_(plan.ops().size()) {
  for (const optrace::Op& op : plan.ops()) Write(op);
}

void ChainRecorder::Write(optrace::Record record) {
  if (sink_ && result_) pending_.push_back(std::move(record));
}

void ChainRecorder::Flush() {
  for (const int64_t op : ended_) WriteOpRun(op);
  ended_.clear();
  if (pending_.empty()) return;
  result_ = sink_(pending_);
  pending_.clear();
}

void ChainRecorder::WriteSpan(optrace::Span span) {
  span.id = spans_++;
  span.iteration = iteration_;
  if (span.section != Section::kOverview) span.flow = flow_;
  Write(std::move(span));
}

optrace::Span ChainRecorder::SpanOf(int64_t op, Section section, std::string_view name, int64_t start_ns,
                                    int64_t end_ns) const {
  optrace::Span span = {.op = op, .section = section, .name = std::string(name)};
  span.start_ps = Ps(start_ns);
  span.dur_ps = std::max<int64_t>(Ps(end_ns) - span.start_ps, 0);
  return span;
}

void ChainRecorder::RecordSpan(int64_t op, Section section, std::string_view name, int64_t start_ns, int64_t end_ns) {
  WriteSpan(SpanOf(op, section, name, start_ns, end_ns));
}

void ChainRecorder::RecordPiece(int64_t op, Section section, std::string_view name, const protocol::Span& piece) {
  optrace::Span span = SpanOf(op, section, name, piece.start_ns, piece.end_ns());
  span.clock = piece.device_clock ? optrace::Clock::kDevice : optrace::Clock::kHost;
  span.bytes = static_cast<double>(piece.bytes);
  if (section == Section::kDevices) span.device = piece.process;
  if (piece.slack_ns > 0) {
    span.exactness = optrace::Exactness::kBounded;
    span.start_bounds = optrace::Bounds{span.start_ps, span.start_ps + piece.slack_ns * 1000};
    span.duration_bounds = optrace::Bounds{span.dur_ps, span.dur_ps};
  }
  WriteSpan(std::move(span));
}

void ChainRecorder::RecordHost(int64_t op, Section section, std::string_view name, int64_t start_ns) {
  if (sink_) RecordSpan(op, section, name, start_ns, NowNs());
}

void ChainRecorder::RecordHost(int64_t op, Section section, std::string_view name, int64_t start_ns, int64_t end_ns) {
  if (sink_) RecordSpan(op, section, name, start_ns, end_ns);
}

void ChainRecorder::Device(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names) {
  if (!sink_) return;
  if (run.handover_end_ns > 0) {
    RecordSpan(op, Section::kControl, "hand over inputs", run.handover_start_ns, run.handover_end_ns);
  }
  const bool told_load = std::ranges::find(run.pieces, "load", &protocol::Span::kind) != run.pieces.end();
  int64_t compile_begin = 0, compile_end = 0;
  for (const DeviceStage& stage : run.stages) {
    const std::string& name = stage.record.name;
    const int64_t end = stage.start_ns + NsOf(stage.record.ms);
    if (name == kLoadStage && !told_load) RecordSpan(op, Section::kControl, name, stage.start_ns, end);
    if (name == kLoadStage || name == kExecuteStage) continue;
    RecordSpan(op, Section::kCompile, name, stage.start_ns, end);
    if (compile_begin == 0) compile_begin = stage.start_ns;
    compile_end = end;
  }
  if (compile_end > 0) RecordSpan(-1, Section::kOverview, "Compile", compile_begin, compile_end);
  Transfers(op, run, input_names);
  Execution(op, run);
  Processes(op, run);
  WarnOfHostClock(optrace::HloName(plan_.ops()[static_cast<size_t>(op)]), run.why_host_clock);
}

void ChainRecorder::WarnOfHostClock(std::string_view first, const std::string& why) {
  if (why.empty() || warned_of_clock_) return;
  warned_of_clock_ = true;
  Warn(fmt::format("times by the host's clock, of {} at first: {}", first, why));
}

void ChainRecorder::Transfers(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names) {
  struct Busy {
    int64_t begin = 0, end = 0;
    void Add(const protocol::Span& piece) {
      if (begin == 0) begin = piece.start_ns;
      end = std::max(end, piece.end_ns());
    }
  } ahead, in, out;
  for (const protocol::Span& piece : run.pieces) {
    if (piece.kind == "transfer_in") {
      const auto index = static_cast<size_t>(piece.index);
      const std::string_view name = index < input_names.size() ? input_names[index] : std::string_view();
      const bool own = name.empty();  // not one of the model's inputs
      RecordPiece(own ? op : -1, Section::kDataTransfer, own ? "host to device" : name, piece);
      // If the device knew of this op early, it may have transferred the input while the op before was running.
      (piece.start_ns < run.handover_end_ns ? ahead : in).Add(piece);
    } else if (piece.kind == "transfer_out") {
      RecordPiece(op, Section::kDataTransfer, "device to host", piece);
      out.Add(piece);
    } else if (piece.kind != kExecutePiece && piece.kind != optrace::kCollectiveName) {
      RecordPiece(op, Section::kControl, piece.kind, piece);
    }
  }
  for (const Busy& busy : {ahead, in, out}) {
    if (busy.end > 0) RecordSpan(-1, Section::kOverview, "DMA Busy", busy.begin, busy.end);
  }
}

// The timeline has one execution of the op: the one that took the median time.
void ChainRecorder::Execution(int64_t op, const DeviceRun& run) {
  const std::string name = optrace::HloName(plan_.ops()[static_cast<size_t>(op)]);
  State& state = states_[static_cast<size_t>(op)];
  const auto piece = std::ranges::find_if(
      run.pieces, [](const protocol::Span& each) { return each.kind == kExecutePiece && each.process < 0; });
  if (piece != run.pieces.end()) {
    state.times.Add(run.timing.n > 0 ? run.timing : OneRun(piece->dur_ns), run.longest_ns);
    RecordPiece(op, Section::kExecution, name, *piece);
    RecordPiece(-1, Section::kOverview, "Compute Busy", *piece);
    return;
  }
  const auto stage = std::ranges::find_if(run.stages, [](const DeviceStage& s) {
    return s.record.name == kExecuteStage && s.record.status == Status::kPass;
  });
  if (stage == run.stages.end()) return;
  // The device reported only when the stage started and ended; the op ran at some time in between.
  const int64_t whole = NsOf(stage->record.ms) * 1000;
  state.times.Add(run.timing, run.longest_ns);
  optrace::Span span = {.op = op, .section = Section::kExecution, .name = name};
  span.start_ps = Ps(stage->start_ns);
  span.dur_ps = run.timing.n > 0 ? std::min(std::llround(run.timing.median_us * kPsPerUs), whole + 0LL) : whole;
  span.exactness = optrace::Exactness::kBounded;
  span.start_bounds = optrace::Bounds{span.start_ps, span.start_ps + whole - span.dur_ps};
  span.duration_bounds = optrace::Bounds{run.timing.n > 0 ? std::llround(run.timing.min_us * kPsPerUs) : 0, whole};
  if (span.duration_bounds->min_ps > whole) span.duration_bounds->min_ps = whole;
  RecordSpan(-1, Section::kOverview, "Compute Busy", stage->start_ns, stage->start_ns + NsOf(stage->record.ms));
  WriteSpan(std::move(span));
}

void ChainRecorder::Processes(int64_t op, const DeviceRun& run) {
  for (const protocol::Span& piece : ProcessPieces(run.pieces)) RecordPiece(op, Section::kDevices, piece.kind, piece);
}

void ChainRecorder::Judged(int64_t op, Status status, const std::string& stage, const std::string& diagnostic) {
  State& state = states_[static_cast<size_t>(op)];
  state.changed = true;
  // The first verdict that is no pass is the op's verdict.
  if (state.seen && (state.status != Status::kPass || status == Status::kPass)) return;
  state.seen = true;
  state.status = status;
  state.stage = stage;
  state.diagnostic = diagnostic;
}

void ChainRecorder::Compared(int64_t op, optrace::OutputCompare compare, Show show) {
  auto& compares = states_[static_cast<size_t>(op)].compares;
  const std::pair key(compare.mode, compare.comparison.output);
  const auto found = compares.find(key);
  if (found == compares.end() || Worse(compare.comparison, found->second.compare.comparison)) {
    compares.insert_or_assign(key, Judgement{std::move(compare), std::move(show)});
  }
}

void ChainRecorder::FinishOp(int64_t op) {
  flow_ = 0;
  std::vector<int64_t>& list = plan_.InLoop(op) ? in_loops_ : ended_;
  if (std::ranges::find(list, op) == list.end()) list.push_back(op);
}

void ChainRecorder::FinishLoops() {
  ended_.insert(ended_.end(), in_loops_.begin(), in_loops_.end());
  in_loops_.clear();
}

void ChainRecorder::WriteOpRun(int64_t op) {
  State& state = states_[static_cast<size_t>(op)];
  if (state.written) return;
  state.written = true;
  state.changed = false;
  optrace::OpRun run = {.op = op, .status = state.status, .stage = state.stage};
  run.diagnostic = state.diagnostic;
  state.times.Fill(run);
  Write(std::move(run));
  for (auto& [key, judgement] : state.compares) {
    if (judgement.show) judgement.show(judgement.compare);
    Write(std::move(judgement.compare));
  }
  state.compares.clear();
}

void ChainRecorder::Warn(std::string text) {
  if (warned_.insert(text).second) Write(optrace::Warning{std::move(text)});
}

Expected<void> ChainRecorder::Finish(const WholeRun& whole, std::string_view not_reached) {
  FinishLoops();
  Flush();
  for (size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    const auto op = static_cast<int64_t>(i);
    if (!state.seen) {
      Judged(op, Status::kSkipped, "", fmt::format("the run did not come to it: {}", not_reached));
    }
    // This op_run of a later iteration replaces that of the first.
    if (state.changed) state.written = false;
    WriteOpRun(op);
    ++totals_[std::string(ToString(state.status))];
  }
  Write(optrace::Footer{Ps(NowNs()), spans_, whole.ps, whole.clock, whole.status, whole.verdict});
  Flush();
  return result_;
}

}  // namespace opbyop::chained
