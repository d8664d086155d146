// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/trace_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "reports/optrace/clocks.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {
namespace {

using Key = std::pair<std::string, int64_t>;  // a name, and the number of the op among those with this name

std::map<Key, DiffSide> Sides(const Trace& trace) {
  std::vector<std::vector<int64_t>> times(trace.ops.size());
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) times[span.op].push_back(span.dur_ps);
  }
  std::vector<DiffSide> by_op(trace.ops.size());
  const std::vector<std::optional<Clock>> clocks = ExecutionClocks(trace);
  for (const Op& op : trace.ops) {
    DiffSide& side = by_op[op.id];
    side.op = op.id;
    side.clock = clocks[op.id];
    std::vector<int64_t>& sorted = times[op.id];
    if (sorted.empty()) continue;
    std::ranges::sort(sorted);
    side.min_ps = sorted.front();
    side.time_ps = sorted[sorted.size() / 2];
    side.p95_ps = sorted[std::min(sorted.size() - 1, static_cast<size_t>(0.95 * static_cast<double>(sorted.size())))];
  }
  for (const OpRun& run : trace.runs) by_op[run.op].status = run.status;
  for (const OutputCompare& compare : trace.compares) {
    if (compare.mode != CompareMode::kIsolated) continue;
    by_op[compare.op].max_ulp = std::max(by_op[compare.op].max_ulp, compare.comparison.max_ulp);
  }
  std::map<std::string, int64_t> seen;
  std::map<Key, DiffSide> sides;
  for (const Op& op : trace.ops) {
    std::string name = FrameworkPath(op) + "/" + op.hlo;
    const int64_t ordinal = seen[name]++;
    sides.emplace(Key{std::move(name), ordinal}, std::move(by_op[op.id]));
  }
  return sides;
}

bool Overlap(const DiffSide& a, const DiffSide& b) { return a.min_ps <= b.p95_ps && b.min_ps <= a.p95_ps; }

}  // namespace

TraceDiff DiffTraces(const Trace& base, const Trace& candidate) {
  TraceDiff diff;
  std::map<Key, DiffRow> rows;
  for (auto& [key, side] : Sides(base)) {
    diff.base_ps += side.time_ps;
    rows[key].base = side;
  }
  for (auto& [key, side] : Sides(candidate)) {
    diff.candidate_ps += side.time_ps;
    rows[key].candidate = side;
  }
  for (auto& [key, row] : rows) {
    row.name = key.second == 0 ? key.first : fmt::format("{} #{}", key.first, key.second + 1);
    row.delta_ps = (row.candidate ? row.candidate->time_ps : 0) - (row.base ? row.base->time_ps : 0);
    row.other_clocks =
        row.base && row.candidate && row.base->clock && row.candidate->clock && row.base->clock != row.candidate->clock;
    row.noise = row.base && row.candidate && Overlap(*row.base, *row.candidate);
    diff.rows.push_back(std::move(row));
  }
  std::ranges::sort(diff.rows, {}, [](const DiffRow& row) {
    return std::tuple(row.noise || row.other_clocks, -std::abs(row.delta_ps), std::string_view(row.name));
  });
  return diff;
}

}  // namespace opbyop::optrace
