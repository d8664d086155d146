#include "tools/chained/chain_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "manifests/target.h"
#include "reports/optrace/operator_table.h"

namespace opbyop {
namespace {

using optrace::Section;

constexpr double kPsPerUs = 1e6;

int64_t NsOf(double ms) { return std::llround(ms * 1e6); }

// Worse comparisons replace better ones of the same op in another trip of a loop.
bool Worse(const Comparison& a, const Comparison& b) {
  if (a.accepted != b.accepted) return !a.accepted;
  return std::pair(a.bound_ratio, a.max_ulp) > std::pair(b.bound_ratio, b.max_ulp);
}

}  // namespace

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ChainRecorder::ChainRecorder(const ProgramPlan& plan, TraceSink sink, int64_t start_ns)
    : plan_(plan), sink_(std::move(sink)), start_ns_(start_ns), states_(plan.ops().size()) {
  for (const optrace::Op& op : plan.ops()) Write(op);
  Flush();
}

void ChainRecorder::Write(optrace::Record record) {
  if (sink_ && result_) pending_.push_back(std::move(record));
}

void ChainRecorder::Flush() {
  if (pending_.empty()) return;
  result_ = sink_(pending_);
  pending_.clear();
}

void ChainRecorder::PutSpan(optrace::Span span) {
  span.id = spans_++;
  Write(std::move(span));
}

void ChainRecorder::Put(int64_t op, Section section, std::string name, int64_t start_ns, int64_t end_ns, double bytes,
                        std::string clock) {
  optrace::Span span = {.op = op, .section = section, .name = std::move(name)};
  span.start_ps = std::max<int64_t>(Ps(start_ns), 0);
  span.dur_ps = std::max<int64_t>(Ps(end_ns) - span.start_ps, 0);
  span.clock = std::move(clock);
  span.bytes = bytes;
  PutSpan(std::move(span));
}

void ChainRecorder::Did(int64_t op, Section section, std::string name, int64_t start_ns) {
  if (sink_) Put(op, section, std::move(name), start_ns, NowNs());
}

void ChainRecorder::Did(int64_t op, Section section, std::string name, int64_t start_ns, int64_t end_ns) {
  if (sink_) Put(op, section, std::move(name), start_ns, end_ns);
}

void ChainRecorder::Device(int64_t op, const DeviceRun& run, const std::vector<std::string>& input_names) {
  if (!sink_) return;
  if (run.handover_end_ns > 0) {
    Put(op, Section::kControl, "hand over inputs", run.handover_start_ns, run.handover_end_ns);
  }
  int64_t compile_begin = 0, compile_end = 0;
  for (const DeviceStage& stage : run.stages) {
    const std::string& name = stage.record.name;
    if (name == kLoadStage || name == kExecuteStage) continue;
    const int64_t end = stage.start_ns + NsOf(stage.record.ms);
    Put(op, Section::kCompile, name, stage.start_ns, end);
    if (compile_begin == 0) compile_begin = stage.start_ns;
    compile_end = end;
  }
  if (compile_end > 0) Put(-1, Section::kOverview, "Compile", compile_begin, compile_end);
  const auto told = [&](std::string_view kind) {
    return std::ranges::any_of(run.pieces, [&](const DevicePiece& piece) { return piece.kind == kind; });
  };
  for (const DeviceStage& stage : run.stages) {
    if (stage.record.name != kLoadStage || told("load")) continue;
    Put(op, Section::kControl, "load", stage.start_ns, stage.start_ns + NsOf(stage.record.ms));
  }
  int64_t in_begin = 0, in_end = 0, out_begin = 0, out_end = 0;
  for (const DevicePiece& piece : run.pieces) {
    const auto bytes = static_cast<double>(piece.bytes);
    if (piece.kind == "transfer_in") {
      const auto index = static_cast<size_t>(piece.index);
      const std::string name = index < input_names.size() ? input_names[index] : "";
      const bool own = name.empty();  // not one of the model's inputs
      Put(own ? op : -1, Section::kDataTransfer, own ? "host to device" : name, piece.start_ns, piece.end_ns(), bytes,
          piece.clock);
      if (in_begin == 0) in_begin = piece.start_ns;
      in_end = piece.end_ns();
    } else if (piece.kind == "transfer_out") {
      Put(op, Section::kDataTransfer, "device to host", piece.start_ns, piece.end_ns(), bytes, piece.clock);
      if (out_begin == 0) out_begin = piece.start_ns;
      out_end = piece.end_ns();
    } else if (piece.kind != "execute") {
      Put(op, Section::kControl, piece.kind, piece.start_ns, piece.end_ns(), bytes, piece.clock);
    }
  }
  if (in_end > 0) Put(-1, Section::kOverview, "DMA Busy", in_begin, in_end);
  Execution(op, run);
  if (out_end > 0) Put(-1, Section::kOverview, "DMA Busy", out_begin, out_end);
}

// The timeline has one execution of the op: the one that took the median time.
void ChainRecorder::Execution(int64_t op, const DeviceRun& run) {
  const std::string name = optrace::HloName(plan_.ops()[static_cast<size_t>(op)]);
  State& state = states_[static_cast<size_t>(op)];
  for (const int64_t ns : run.runs_ns) state.times_ps.push_back(ns * 1000);
  const auto piece = std::ranges::find(run.pieces, "execute", &DevicePiece::kind);
  if (piece != run.pieces.end()) {
    if (run.runs_ns.empty()) state.times_ps.push_back(piece->dur_ns * 1000);
    Put(op, Section::kExecution, name, piece->start_ns, piece->end_ns(), 0, piece->clock);
    Put(-1, Section::kOverview, "Compute Busy", piece->start_ns, piece->end_ns());
    return;
  }
  const auto stage = std::ranges::find_if(run.stages, [](const DeviceStage& s) {
    return s.record.name == kExecuteStage && s.record.status == Status::kPass;
  });
  if (stage == run.stages.end()) return;
  // The device only told when the stage began and ended: somewhere in between it ran.
  const int64_t whole = NsOf(stage->record.ms) * 1000;
  state.timing = run.timing;
  optrace::Span span = {.op = op, .section = Section::kExecution, .name = name};
  span.start_ps = std::max<int64_t>(Ps(stage->start_ns), 0);
  span.dur_ps = run.timing.n > 0 ? std::min(std::llround(run.timing.median_us * kPsPerUs), whole + 0LL) : whole;
  span.exactness = optrace::Exactness::kBounded;
  span.start_bounds = optrace::Bounds{span.start_ps, span.start_ps + whole - span.dur_ps};
  span.duration_bounds = optrace::Bounds{run.timing.n > 0 ? std::llround(run.timing.min_us * kPsPerUs) : 0, whole};
  if (span.duration_bounds->min_ps > whole) span.duration_bounds->min_ps = whole;
  Put(-1, Section::kOverview, "Compute Busy", stage->start_ns, stage->start_ns + NsOf(stage->record.ms));
  PutSpan(std::move(span));
}

void ChainRecorder::Judged(int64_t op, Status status, const std::string& stage, const std::string& diagnostic) {
  State& state = states_[static_cast<size_t>(op)];
  // The first that did not pass is what is told of the op.
  if (state.seen && state.status != Status::kPass) return;
  state.seen = true;
  state.status = status;
  state.stage = stage;
  state.diagnostic = diagnostic;
}

void ChainRecorder::Compared(int64_t op, optrace::OutputCompare compare) {
  auto& compares = states_[static_cast<size_t>(op)].compares;
  const std::pair key(compare.mode, compare.comparison.output);
  const auto found = compares.find(key);
  if (found == compares.end() || Worse(compare.comparison, found->second.comparison)) {
    compares.insert_or_assign(key, std::move(compare));
  }
}

void ChainRecorder::EndOfOp(int64_t op) {
  if (!plan_.InLoop(op)) {
    Tell(op);
  } else if (std::ranges::find(in_loops_, op) == in_loops_.end()) {
    in_loops_.push_back(op);
  }
  Flush();
}

void ChainRecorder::EndOfLoops() {
  for (const int64_t op : in_loops_) Tell(op);
  in_loops_.clear();
  Flush();
}

void ChainRecorder::Tell(int64_t op) {
  State& state = states_[static_cast<size_t>(op)];
  if (state.told) return;
  state.told = true;
  ++totals_[std::string(ToString(state.status))];
  optrace::OpRun run = {.op = op, .status = std::string(ToString(state.status)), .stage = state.stage};
  run.diagnostic = state.diagnostic;
  if (!state.times_ps.empty()) {
    std::vector<int64_t>& times = state.times_ps;
    std::ranges::sort(times);
    const size_t n = times.size();
    run.n = static_cast<int64_t>(n);
    run.min_ps = times.front();
    run.median_ps = n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
    run.p95_ps = times[std::min(n - 1, (n * 95 + 99) / 100 - 1)];
    run.max_ps = times.back();
  } else if (state.timing.n > 0) {
    run.n = state.timing.n;
    run.min_ps = std::llround(state.timing.min_us * kPsPerUs);
    run.median_ps = std::llround(state.timing.median_us * kPsPerUs);
    run.p95_ps = run.max_ps = std::llround(state.timing.p95_us * kPsPerUs);
  }
  Write(std::move(run));
  for (auto& [key, compare] : state.compares) Write(std::move(compare));
  state.compares.clear();
}

void ChainRecorder::Warn(std::string text) {
  Write(optrace::Warning{std::move(text)});
  Flush();
}

Expected<void> ChainRecorder::Finish(int64_t whole_model_ps) {
  EndOfLoops();
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].seen) continue;
    Judged(static_cast<int64_t>(i), Status::kSkipped, "", "the run did not come to it: a branch that was not taken");
    Tell(static_cast<int64_t>(i));
  }
  Write(optrace::Footer{Ps(NowNs()), spans_, whole_model_ps});
  Flush();
  return result_;
}

}  // namespace opbyop
