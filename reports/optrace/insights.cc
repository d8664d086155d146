#include "reports/optrace/insights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "reports/optrace/insight_facts.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {
namespace {

constexpr double kLargeShare = 0.25;      // of the time on ops, by one op
constexpr double kCompileOverRun = 10;    // compile time of the model over one run of it
constexpr double kUnstable = 1.5;         // p95 over median
constexpr int64_t kFewestRepeats = 5;     // below it p95 says nothing
constexpr double kHostClockLimit = 10e6;  // ps: calls take as long as ops shorter than this
constexpr double kAccumulates = 2;        // accumulated over isolated error
constexpr double kGap = 0.2;              // of the whole model's time
constexpr size_t kNamed = 10;
constexpr double kInf = std::numeric_limits<double>::infinity();

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::vector<int64_t> First(const std::vector<int64_t>& ops) {
  return {ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(std::min(ops.size(), kNamed))};
}

using Found = std::optional<Insight>;

Found TransferOverCompute(const InsightFacts& facts) {
  const int64_t transfer = facts.Of(Section::kDataTransfer), compute = facts.Of(Section::kExecution);
  if (transfer <= compute || compute == 0) return std::nullopt;
  return Insight{
      .title = "Moving data takes longer than computing",
      .condition = fmt::format("transfers take {} of {} of transfers and execution together ({} against {})",
                               PercentText(Share(transfer, transfer + compute)), TimeText(transfer + compute),
                               TimeText(transfer), TimeText(compute)),
      .cause = "op by op every input is uploaded and every output read back; or the tensors are too small for the link",
      .action = "keep weights and intermediates on the device between ops, or raise the batch size; then profile again",
      .at_stake_ps = transfer};
}

Found OneOpDominates(const InsightFacts& facts) {
  const int64_t total = facts.Of(Section::kExecution);
  const auto top = std::ranges::max_element(facts.op_time);
  if (top == facts.op_time.end() || facts.op_time.size() < 3 || Share(*top, total) < kLargeShare) return std::nullopt;
  const int64_t op = top - facts.op_time.begin();
  return Insight{.title = fmt::format("{} alone takes {} of the time on ops", HloName(facts.trace.ops[op]),
                                      PercentText(Share(*top, total))),
                 .condition = fmt::format("{}: {} of {} on ops, in {} executions", facts.Name(op), TimeText(*top),
                                          TimeText(total), facts.op_count[op]),
                 .cause = "its algorithm on this target, or its shape and layout",
                 .action = fmt::format("look at it first: optrace explain {}", HloName(facts.trace.ops[op])),
                 .at_stake_ps = *top,
                 .ops = {op}};
}

Found CompileOverRun(const InsightFacts& facts) {
  const int64_t compile = facts.Of(Section::kCompile);
  const double run = static_cast<double>(facts.Of(Section::kExecution)) / facts.Runs();
  if (run <= 0 || static_cast<double>(compile) < kCompileOverRun * run) return std::nullopt;
  return Insight{
      .title = fmt::format("Compiling takes {:.0f} times as long as running", static_cast<double>(compile) / run),
      .condition = fmt::format("compile stages take {}, one run of all ops {}", TimeText(compile),
                               TimeText(static_cast<int64_t>(run))),
      .cause = "each op is compiled by itself, and its stages have a fixed price",
      .action = "cache compiled ops between runs; see which stage costs most under conformance × time",
      .at_stake_ps = compile};
}

Found UntimedOps(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  for (size_t i = 0; i < facts.op_count.size(); ++i) {
    if (facts.op_count[i] == 0) ops.push_back(static_cast<int64_t>(i));
  }
  if (ops.empty() || facts.trace.ops.empty()) return std::nullopt;
  return Insight{.title = fmt::format("{} of {} ops have no time", ops.size(), facts.trace.ops.size()),
                 .condition = fmt::format("no execution span names them; the first is {}", facts.Name(ops[0])),
                 .cause = "they did not reach the device, were folded away, or the run was cut short before them",
                 .action = "their status says where they stopped: conformance × time, sorted by stage",
                 .wrong = ops.size() == facts.trace.ops.size(),
                 .ops = First(ops)};
}

Found HiddenOps(const InsightFacts& facts) {
  if (facts.bounded == 0) return std::nullopt;
  return Insight{
      .title = fmt::format("{} of {} executions are known only within bounds", facts.bounded, facts.executions),
      .condition = "their start or duration is `bounded`",
      .cause = "ops overlap on parallel engines, or follow each other faster than the clock ticks",
      .action = "read their times as ranges; the detail pane of the timeline has the bounds"};
}

Found MissingLocations(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  int64_t time = 0;
  for (const Op& op : facts.trace.ops) {
    if (!op.location.empty() || !op.path.empty() || !op.framework.empty()) continue;
    ops.push_back(op.id);
    time += facts.op_time[op.id];
  }
  if (ops.empty()) return std::nullopt;
  return Insight{.title = fmt::format("{} of {} ops have no location", ops.size(), facts.trace.ops.size()),
                 .condition = fmt::format("they take {} of the time on ops and stand under <unknown>",
                                          PercentText(Share(time, facts.Of(Section::kExecution)))),
                 .cause = "the exporter stripped debug info, or a pass made the ops without giving them a location",
                 .action = "export the model with locations",
                 .at_stake_ps = time,
                 .ops = First(ops)};
}

Found UnstableTiming(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  int64_t time = 0;
  for (const OpRun& run : facts.trace.runs) {
    if (run.n < kFewestRepeats || static_cast<double>(run.p95_ps) <= kUnstable * static_cast<double>(run.median_ps)) {
      continue;
    }
    ops.push_back(run.op);
    time += facts.op_time[run.op];
  }
  if (ops.empty()) return std::nullopt;
  return Insight{.title = fmt::format("The times of {} ops are unstable", ops.size()),
                 .condition = fmt::format("95th percentile more than {} times the median; the first is {}", kUnstable,
                                          facts.Name(ops[0])),
                 .cause = "other work on the machine, changing clock rates, or too few warm-up runs",
                 .action = "measure on an idle machine with more warm-up; compare minima until then",
                 .at_stake_ps = time,
                 .ops = First(ops)};
}

Found HostClock(const InsightFacts& facts) {
  if (facts.on_host_clock == 0 || facts.executions == 0) return std::nullopt;
  const double mean = static_cast<double>(facts.Of(Section::kExecution)) / static_cast<double>(facts.executions);
  if (mean > kHostClockLimit) return std::nullopt;
  return Insight{
      .title = "Short ops were timed with the host's clock",
      .condition = fmt::format("{} of {} executions carry the host's clock; an execution takes {} on average",
                               facts.on_host_clock, facts.executions, TimeText(std::llround(mean))),
      .cause = "the device reports no times of its own",
      .action = "read them as upper bounds: the price of the call is in them"};
}

Found FailingOps(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  int64_t time = 0;
  const OpRun* first = nullptr;
  for (const OpRun& run : facts.trace.runs) {
    if (run.status == "pass" || run.status.empty()) continue;
    if (first == nullptr || run.op < first->op) first = &run;
    ops.push_back(run.op);
    time += facts.op_time[run.op];
  }
  if (ops.empty()) return std::nullopt;
  std::ranges::sort(ops);
  return Insight{.title = fmt::format("{} of {} ops do not pass", ops.size(), facts.trace.ops.size()),
                 .condition = fmt::format("the first is {}: {} in {}{}{}", facts.Name(ops[0]), first->status,
                                          first->stage, first->diagnostic.empty() ? "" : ": ", first->diagnostic),
                 .cause = "what follows the first wrong op computes with its wrong output",
                 .action = "fix the first; accumulated errors behind it say nothing before that",
                 .at_stake_ps = time,
                 .wrong = true,
                 .ops = First(ops)};
}

// Beyond what share of the range of an output's values an error that came in with its inputs is worth a look: as for
// whole models (reference/whole_model.h), by what its type can hold.
double WorthALook(std::string_view dtype) {
  constexpr double kWide = 1e-3;
  constexpr std::pair<std::string_view, double> kNarrow[] = {{"f16", 0.02}, {"bf16", 0.05}};
  for (const auto& [name, share] : kNarrow) {
    if (dtype == name) return share;
  }
  return dtype == "f32" || dtype == "f64" ? kWide : kInf;
}

// ULP would not do here: beside an expected 0 a rounding error of the op before is 1e39 of them.
Found ErrorAccumulates(const InsightFacts& facts) {
  std::map<int64_t, double> isolated;
  for (const OutputCompare& compare : facts.trace.compares) {
    double& worst = isolated[compare.op];
    if (compare.mode == "isolated") worst = std::max(worst, compare.comparison.range_error);
  }
  const OutputCompare* worst = nullptr;
  const OutputCompare* first = nullptr;
  for (const OutputCompare& compare : facts.trace.compares) {
    const double share = compare.comparison.range_error;
    if (compare.mode != "accumulated" || share <= WorthALook(compare.comparison.dtype)) continue;
    if (share <= kAccumulates * isolated[compare.op]) continue;
    if (worst == nullptr || share > worst->comparison.range_error) worst = &compare;
    if (first == nullptr || compare.op < first->op) first = &compare;
  }
  if (worst == nullptr) return std::nullopt;
  Insight insight = {
      .title =
          fmt::format("Errors add up to {} of the range of the values", PercentText(worst->comparison.range_error)),
      .condition = fmt::format("{}: {:.3g} apart from the reference's own run, of which the op itself adds {:.2g} %; "
                               "the first beyond {} of its range is {}",
                               facts.Name(worst->op), worst->comparison.max_abs,
                               100 * isolated[worst->op] / worst->comparison.range_error,
                               PercentText(WorthALook(first->comparison.dtype)), facts.Name(first->op)),
      .cause = "an op before it rounds more coarsely than the reference, or amplifies what came in",
      .action = fmt::format("follow the accumulated error under outputs upwards from {}",
                            HloName(facts.trace.ops[first->op])),
      .ops = {first->op}};
  if (worst->op != first->op) insight.ops.push_back(worst->op);
  return insight;
}

Found GapToWhole(const InsightFacts& facts) {
  if (!facts.trace.footer || facts.trace.footer->whole_model_ps <= 0) return std::nullopt;
  const int64_t whole = facts.trace.footer->whole_model_ps;
  const auto sum = static_cast<int64_t>(static_cast<double>(facts.Of(Section::kExecution)) / facts.Runs());
  const double gap = Share(std::abs(sum - whole), whole);
  if (gap < kGap) return std::nullopt;
  return Insight{
      .title = fmt::format("The ops add up to {} of the whole model's time", PercentText(Share(sum, whole))),
      .condition = fmt::format("sum over ops {}, model in one piece {}", TimeText(sum), TimeText(whole)),
      .cause = sum > whole
                   ? "in one piece the compiler fuses ops and keeps data in caches"
                   : "in one piece there is work between the ops (copies, allocation, scheduling), or fused ops "
                     "compute values again",
      .action = "rank ops by these times, but do not add them up to predict the model's",
      .at_stake_ps = std::abs(sum - whole)};
}

Found CutShort(const InsightFacts& facts) {
  if (facts.trace.footer) return std::nullopt;
  return Insight{.title = "The run was cut short",
                 .condition = "the trace has no footer",
                 .cause = "the run was killed, or is still going on",
                 .action = "read shares as of what was recorded; run it again to its end",
                 .wrong = true};
}

struct Rule {
  const char* name;
  Found (*apply)(const InsightFacts&);
};

constexpr Rule kRules[] = {{"cut-short", CutShort},
                           {"failing-ops", FailingOps},
                           {"transfer-over-compute", TransferOverCompute},
                           {"one-op-dominates", OneOpDominates},
                           {"compile-over-run", CompileOverRun},
                           {"gap-to-whole-model", GapToWhole},
                           {"unstable-timing", UnstableTiming},
                           {"missing-locations", MissingLocations},
                           {"error-accumulates", ErrorAccumulates},
                           {"untimed-ops", UntimedOps},
                           {"hidden-ops", HiddenOps},
                           {"host-clock", HostClock}};

}  // namespace

std::string TimeText(int64_t ps) {
  const auto value = static_cast<double>(ps);
  if (value < 1e3) return fmt::format("{} ps", ps);
  if (value < 1e6) return fmt::format("{:.4g} ns", value / 1e3);
  if (value < 1e9) return fmt::format("{:.4g} us", value / 1e6);
  if (value < 1e12) return fmt::format("{:.4g} ms", value / 1e9);
  return fmt::format("{:.4g} s", value / 1e12);
}

std::vector<Insight> Insights(const Trace& trace) {
  const InsightFacts facts(trace);
  std::vector<Insight> insights;
  for (const Rule& rule : kRules) {
    Found found = rule.apply(facts);
    if (!found) continue;
    found->rule = rule.name;
    insights.push_back(std::move(*found));
  }
  std::ranges::sort(insights, {}, [](const Insight& insight) {
    return std::tuple(!insight.wrong, -insight.at_stake_ps, std::string_view(insight.rule));
  });
  return insights;
}

}  // namespace opbyop::optrace
