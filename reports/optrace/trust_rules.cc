// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "manifests/results/weak_criterion.h"
#include "manifests/status/counts.h"
#include "reports/optrace/insight_rules.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {
namespace {

constexpr double kAccumulates = 2;  // accumulated error over isolated error
constexpr double kInf = std::numeric_limits<double>::infinity();

Found CutShort(const InsightFacts& facts) {
  if (facts.trace.footer) return std::nullopt;
  return Insight{.title = "The run was cut short",
                 .condition = "the trace has no footer",
                 .cause = "the run was killed, or is still going on",
                 .action = "read shares as of what was recorded; run it again to its end",
                 .wrong = true};
}

// The ops that were run and ended with a given status.
struct Ended {
  std::vector<int64_t> ops;
  int64_t time_ps = 0;
  std::string first;  // how the first of them ended
};

template <typename Fits>
Ended FindEnded(const InsightFacts& facts, Fits fits) {
  Ended ended;
  const OpRun* first = nullptr;
  for (const OpRun& run : facts.trace.runs) {
    if (!run.status || !fits(*run.status)) continue;
    if (first == nullptr || run.op < first->op) first = &run;
    ended.ops.push_back(run.op);
    ended.time_ps += facts.op_time[run.op];
  }
  if (first == nullptr) return ended;
  std::ranges::sort(ended.ops);
  ended.first = fmt::format("the first is {}: {} in {}{}{}", facts.Name(first->op), StatusText(first->status),
                            first->stage, first->diagnostic.empty() ? "" : ": ", first->diagnostic);
  return ended;
}

bool IsEstimate(const InsightFacts& facts) { return facts.trace.header.mode == RunMode::kEstimate; }

// If nothing was executed, an unsupported op has no time, and is counted like the others without a time.
Found FailingOps(const InsightFacts& facts) {
  const Ended ended = FindEnded(facts, [&](Status status) {
    return status != Status::kPass && (IsEstimate(facts) ? status != Status::kSkipped : !IsUnjudged(status));
  });
  if (ended.ops.empty()) return std::nullopt;
  return Insight{.title = OfOps(facts.trace, ended.ops.size(), "does not pass", "do not pass"),
                 .condition = ended.first,
                 .cause = IsEstimate(facts) ? "the compiler cannot do them, so it has no estimate of their time"
                                            : "what follows the first wrong op computes with its wrong output",
                 .action = IsEstimate(facts) ? "the sum over the ops is without them"
                                             : "fix the first; until then the accumulated errors after it mean nothing",
                 .at_stake_ps = ended.time_ps,
                 .wrong = true,
                 .ops = First(ended.ops)};
}

// Unsupported and inconclusive ops. A skipped op belongs to a branch that was not taken.
Found UnjudgedOps(const InsightFacts& facts) {
  if (IsEstimate(facts)) return std::nullopt;
  const Ended ended = FindEnded(facts, [](Status status) { return IsUnjudged(status) && status != Status::kSkipped; });
  if (ended.ops.empty()) return std::nullopt;
  return Insight{.title = OfOps(facts.trace, ended.ops.size(), "is not judged", "are not judged"),
                 .condition = ended.first,
                 .cause = "the target does not support them, or their results would look the same if they were wrong",
                 .action = "read their times as those of any op, but do not count them as right",
                 .at_stake_ps = ended.time_ps,
                 .ops = First(ended.ops)};
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
  return Insight{.title = OfOps(facts.trace, ops.size(), "has no location", "have no location"),
                 .condition = fmt::format("they take {} of the time on ops and stand under <unknown>",
                                          PercentText(Share(time, facts.Of(Section::kExecution)))),
                 .cause = "the exporter stripped debug info, or a pass made the ops without giving them a location",
                 .action = "export the model with locations",
                 .at_stake_ps = time,
                 .ops = First(ops)};
}

// The least error from an op's inputs that deserves attention, as a share of the range of an output's values.
double NotableShare(std::string_view dtype) {
  const std::optional<WeakCriterion> criterion = WeakCriterionOf(dtype);
  return criterion ? criterion->share : kInf;
}

// ULP is no measure here: for an expected 0, a rounding error of the op before is 1e39 ULP.
Found ErrorAccumulates(const InsightFacts& facts) {
  std::map<int64_t, double> isolated;
  for (const OutputCompare& compare : facts.trace.compares) {
    double& worst = isolated[compare.op];
    if (compare.mode == CompareMode::kIsolated) worst = std::max(worst, compare.comparison.range_error);
  }
  const OutputCompare* worst = nullptr;
  const OutputCompare* first = nullptr;
  for (const OutputCompare& compare : facts.trace.compares) {
    const double share = compare.comparison.range_error;
    if (compare.mode != CompareMode::kAccumulated || share <= NotableShare(compare.comparison.dtype)) continue;
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
                               PercentText(NotableShare(first->comparison.dtype)), facts.Name(first->op)),
      .cause = "an op before it rounds more coarsely than the reference, or amplifies what came in",
      .action = fmt::format("follow the accumulated error under outputs upwards from {}",
                            HloName(facts.trace.ops[first->op])),
      .ops = {first->op}};
  if (worst->op != first->op) insight.ops.push_back(worst->op);
  return insight;
}

Found UntimedOps(const InsightFacts& facts) {
  std::vector<int64_t> ops;
  for (size_t i = 0; i < facts.op_count.size(); ++i) {
    if (facts.op_count[i] == 0) ops.push_back(static_cast<int64_t>(i));
  }
  if (ops.empty() || facts.trace.ops.empty()) return std::nullopt;
  return Insight{.title = OfOps(facts.trace, ops.size(), "has no time", "have no time"),
                 .condition = fmt::format("no execution span names them; the first is {}", facts.Name(ops[0])),
                 .cause = facts.trace.header.mode == RunMode::kEstimate
                              ? "the compiler gave no estimate for them, or does not compile them"
                              : "they did not reach the device, were folded away, or the run was cut short before them",
                 .action = "their status says where they stopped: conformance × time, sorted by stage",
                 .wrong = ops.size() == facts.trace.ops.size(),
                 .ops = First(ops)};
}

constexpr InsightRule kTrustRules[] = {{"cut-short", CutShort},
                                       {"failing-ops", FailingOps},
                                       {"unjudged-ops", UnjudgedOps},
                                       {"missing-locations", MissingLocations},
                                       {"error-accumulates", ErrorAccumulates},
                                       {"untimed-ops", UntimedOps}};

}  // namespace

std::span<const InsightRule> TrustRules() { return kTrustRules; }

}  // namespace opbyop::optrace
