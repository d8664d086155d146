// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "reports/optrace/insight_rules.h"
#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {
namespace {

constexpr double kLargeShare = 0.25;    // of the time on ops, by one op
constexpr double kCompileOverRun = 10;  // compile time of the model over one run of it
constexpr double kUnstable = 1.5;       // p95 over median
constexpr int64_t kFewestRepeats = 5;   // with fewer, p95 means nothing
constexpr double kCallsCount = 4;       // mean execution over the quickest: below it the cost of a call shows
constexpr double kFarFromRoof = 3;      // over the time that the peaks allow
constexpr int64_t kLongCompile = 1'000'000'000'000;  // ps
constexpr int64_t kCoarseClock = 1'000'000;          // ps: ops are seldom shorter
constexpr double kGap = 0.2;                         // of the whole model's time

// A chained run transfers every intermediate, which no other run of the model does; for it, only the model's own inputs
// count.
Found TransferOverCompute(const InsightFacts& facts) {
  const bool chained = facts.trace.header.mode == RunMode::kChained;
  const int64_t transfer = chained ? facts.inputs : facts.Of(Section::kDataTransfer);
  const int64_t compute = facts.Of(Section::kExecution);
  if (transfer <= compute || compute == 0) return std::nullopt;
  return Insight{
      .title = fmt::format("{} takes longer than computing", chained ? "Uploading the model's inputs" : "Moving data"),
      .condition = fmt::format("{} against {} of execution: {} of both together{}", TimeText(transfer),
                               TimeText(compute), PercentText(Share(transfer, transfer + compute)),
                               chained ? "; intermediates, which only a run op by op moves, are left out" : ""),
      .cause = "the tensors are large for the link, or the work on them is small",
      .action = "keep weights on the device between runs, or raise the batch size",
      .at_stake_ps = transfer};
}

// The shortest time for the op that the device's peaks allow; 0 if they are not known.
double LeastPs(const Trace& trace, const Op& op) {
  if (trace.header.devices.empty()) return 0;
  const TraceDevice& device = trace.header.devices.front();
  if (device.peak_gflops <= 0 || device.peak_gb_per_s <= 0) return 0;
  return 1e3 * std::max(op.flops / device.peak_gflops, op.bytes / device.peak_gb_per_s);
}

Found FewOpsDominate(const InsightFacts& facts) {
  const int64_t total = facts.Of(Section::kExecution);
  if (facts.op_time.size() < 3) return std::nullopt;
  std::vector<int64_t> ops;
  int64_t time = 0;
  for (const Op& op : facts.trace.ops) {
    if (total == 0 || Share(facts.op_time[op.id], total) < kLargeShare) continue;
    ops.push_back(op.id);
    time += facts.op_time[op.id];
  }
  if (ops.empty()) return std::nullopt;
  std::ranges::sort(ops, {}, [&](int64_t op) { return std::pair(-facts.op_time[op], op); });
  std::string condition;
  double slowest = 0;              // relative to what the peaks allow
  bool calls = facts.call_ps > 0;  // whether the call is more than half of the time of every such op
  for (const int64_t op : ops) {
    const double least = LeastPs(facts.trace, facts.trace.ops[op]);
    const double once = static_cast<double>(facts.op_time[op]) / static_cast<double>(facts.op_count[op]);
    calls = calls && once < 2 * static_cast<double>(facts.call_ps);
    condition += fmt::format("{}{}: {} of {} on ops", condition.empty() ? "" : "; ", facts.Name(op),
                             TimeText(facts.op_time[op]), TimeText(total));
    if (least <= 0) continue;
    slowest = std::max(slowest, once / least);
    condition += fmt::format(", {:.3g} times what its work and bytes take at the device's peaks", once / least);
  }
  const std::string first = HloName(facts.trace.ops[ops[0]]);
  return Insight{
      .title = ops.size() == 1
                   ? fmt::format("{} alone takes {} of the time on ops", first, PercentText(Share(time, total)))
                   : fmt::format("{} ops take {} of the time on ops", ops.size(), PercentText(Share(time, total))),
      .condition = condition,
      .cause = calls ? fmt::format("the calls: an op of one element takes {}", TimeText(facts.call_ps))
               : slowest > kFarFromRoof ? "how the target computes it: at the device's peaks it would take far less"
               : slowest > 0            ? "the work itself: it is near what the device can do"
                                        : "its algorithm on this target, or its shape and layout",
      .action = calls
                    ? "profile larger inputs: of times this short nothing is to be learned about the ops"
                    : fmt::format("look at it first: optrace explain {}; alone: opbyop repro with its case id", first),
      .at_stake_ps = time,
      .ops = First(ops)};
}

// It is paid once, and so ranks behind the costs of every run.
Found CompileOverRun(const InsightFacts& facts) {
  const int64_t compile = facts.Of(Section::kCompile);
  const double run = static_cast<double>(facts.Of(Section::kExecution)) / facts.Runs();
  if (run <= 0 || compile < kLongCompile || static_cast<double>(compile) < kCompileOverRun * run) return std::nullopt;
  const auto [stage, time] =
      *std::ranges::max_element(facts.stages, {}, [](const auto& entry) { return entry.second; });
  return Insight{.title = fmt::format("Compiling the ops takes {}, running them once {}", TimeText(compile),
                                      TimeText(static_cast<int64_t>(run))),
                 .condition = fmt::format("{} for {}; {} of it in the stage {}", TimeText(compile),
                                          CountText(facts.compiled.size(), "compiled op"),
                                          PercentText(Share(time, compile)), stage),
                 .cause = "each distinct op is compiled by itself, and every stage has a fixed price",
                 .action = fmt::format("look for what is slow in {}: conformance × time, sorted by that stage", stage)};
}

Found GapToWhole(const InsightFacts& facts) {
  if (!facts.trace.footer || facts.trace.footer->whole_model_ps <= 0) return std::nullopt;
  const int64_t whole = facts.trace.footer->whole_model_ps;
  const auto sum = static_cast<int64_t>(static_cast<double>(facts.Of(Section::kExecution)) / facts.Runs());
  const double gap = Share(std::abs(sum - whole), whole);
  if (gap < kGap) return std::nullopt;
  const double calls = static_cast<double>(facts.call_ps * facts.executions) / facts.Runs();
  const bool is_calls = 2 * calls > static_cast<double>(sum - whole);
  Insight insight = {
      .title = fmt::format("The ops add up to {} of the whole model's time", PercentText(Share(sum, whole))),
      .condition = fmt::format("sum over ops {}, model in one piece {}", TimeText(sum), TimeText(whole)),
      .cause = "in one piece the compiler fuses ops and keeps data in caches",
      .action = "rank ops by these times, but do not add them up to predict the model's",
      .at_stake_ps = std::abs(sum - whole)};
  if (facts.trace.header.overlap && sum > whole) {
    insight.cause =
        "ops that ran at once share the device: each takes longer than alone, and what passed is less than their sum";
  } else if (sum <= whole) {
    insight.cause =
        "in one piece there is work between the ops (copies, allocation, scheduling), or fused ops compute "
        "values again";
  } else if (facts.untimed == facts.executions) {
    insight.cause = "each op's time includes what starting it costs, which the model in one piece pays once";
  } else if (is_calls) {
    insight.cause =
        fmt::format("each op is a call, which costs {} (an op of one element); the model in one piece is one",
                    TimeText(facts.call_ps));
  }
  return insight;
}

Found UnstableTiming(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  int64_t time = 0;
  const OpRun* worst = nullptr;
  const auto spread = [](const OpRun& run) {
    return static_cast<double>(run.p95_ps) / static_cast<double>(run.median_ps);
  };
  for (const OpRun& run : facts.trace.runs) {
    if (run.n < kFewestRepeats || run.median_ps <= 0 || spread(run) <= kUnstable) continue;
    ops.push_back(run.op);
    time += facts.op_time[run.op];
    if (worst == nullptr || spread(run) > spread(*worst)) worst = &run;
  }
  if (ops.empty()) return std::nullopt;
  std::ranges::sort(ops, {}, [&](int64_t op) { return std::pair(-facts.op_time[op], op); });
  return Insight{.title = OfOps(facts.trace, ops.size(), "has an unstable time", "have unstable times"),
                 .condition = fmt::format(
                     "95th percentile more than {} times the median; at worst {} against a median of {}, of {}",
                     kUnstable, TimeText(worst->p95_ps), TimeText(worst->median_ps), facts.Name(worst->op)),
                 .cause = "other work on the machine, changing clock rates, or too few warm-up runs",
                 .action = "measure on an idle machine, with more --warmup; go by medians and minima until then",
                 .at_stake_ps = time,
                 .ops = First(ops)};
}

Found HiddenOps(const InsightFacts& facts) {
  if (facts.bounded == 0) return std::nullopt;
  Insight insight = {.title = fmt::format(
                         "{} of {} known only within bounds", facts.bounded,
                         facts.executions == 1 ? "1 execution is" : fmt::format("{} executions are", facts.executions)),
                     .condition = "their start or duration is `bounded`",
                     .cause = "ops follow each other faster than the clock ticks",
                     .action = "read their times as ranges; the detail pane of the timeline has the bounds"};
  if (facts.overlapped > 0) {
    insight.cause = fmt::format("{} of them overlap others on the same device", facts.overlapped);
  } else if (facts.untimed > 0) {
    insight.cause =
        "the target does not time its runs: a time is that of the stage in which an op ran, with all that "
        "starting it costs";
    insight.action = "have the target report its own times (docs/adding-a-target.md, timing.json)";
  } else if (facts.trace.header.resolution_ps < kCoarseClock) {
    insight.cause = "the target tells how long its runs took, not when in their stage they ran";
    insight.action = "go by the durations; only the places on the timeline are ranges";
  }
  return insight;
}

// The cost of a call: measured, or else the time of the quickest op. nullopt if nothing was timed.
std::optional<int64_t> CallPs(const InsightFacts& facts) {
  if (facts.call_ps > 0) return facts.call_ps;
  std::optional<int64_t> quickest;
  for (const OpRun& run : facts.trace.runs) {
    if (run.n > 0) quickest = std::min(quickest.value_or(run.min_ps), run.min_ps);
  }
  return quickest;
}

// There is nothing to report if most ops take much longer than a call.
Found HostClock(const InsightFacts& facts) {
  const std::optional<int64_t> call = CallPs(facts);
  if (!call || facts.on_host_clock == 0 || facts.executions == 0) return std::nullopt;
  const double mean = static_cast<double>(facts.Of(Section::kExecution)) / static_cast<double>(facts.executions);
  if (static_cast<double>(*call) * kCallsCount < mean) return std::nullopt;
  const std::string known = facts.call_ps > 0
                                ? fmt::format("an op of one element takes {}", TimeText(*call))
                                : fmt::format("no op took less than {}, whatever it did", TimeText(*call));
  return Insight{
      .title = "The ops are as short as the calls that run them",
      .condition = fmt::format("{}; an execution takes {} on average", known, TimeText(std::llround(mean))),
      .cause = fmt::format("{} of {} were timed with the host's clock, around a call", facts.on_host_clock,
                           CountText(facts.executions, "execution")),
      .action = static_cast<double>(*call) < mean
                    ? fmt::format("take up to {} off each op before you compare them, or profile larger inputs",
                                  TimeText(*call))
                    : "do not rank ops by these times, which may all be the call's: profile larger inputs"};
}

constexpr InsightRule kTimeRules[] = {{"transfer-over-compute", TransferOverCompute},
                                      {"one-op-dominates", FewOpsDominate},
                                      {"compile-over-run", CompileOverRun},
                                      {"gap-to-whole-model", GapToWhole},
                                      {"unstable-timing", UnstableTiming},
                                      {"hidden-ops", HiddenOps},
                                      {"host-clock", HostClock}};

}  // namespace

std::span<const InsightRule> TimeRules() { return kTimeRules; }

}  // namespace opbyop::optrace
