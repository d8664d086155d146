// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/top_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/optrace/clocks.h"
#include "reports/optrace/insights.h"

namespace opbyop::optrace {
std::string TopTable(const Trace& trace, Grouping grouping, size_t count) {
  const std::vector<OperatorRow> rows = OperatorTable(trace, grouping);
  if (rows.empty()) return "";
  std::string text =
      fmt::format("share of the time on ops, by device and core, {}\n{:>7} {:>12} {:>6} {:>12} {:<8} {:<10} {:<8} {}\n",
                  ClockText(trace), "%", "time", "count", "average", "clock", "status", "bound by", "op");
  for (size_t i = 0; i < std::min(rows.size(), count); ++i) {
    const OperatorRow& row = rows[i];
    text += fmt::format("{:>7.2f} {:>12} {:>6} {:>12} {:<8} {:<10} {:<8} {}\n", row.percent, TimeText(row.time_ps),
                        row.occurrences, TimeText(row.average_ps), ClockName(row.clock), StatusText(row.status),
                        row.bound_by, row.name);
  }
  return text;
}

std::string SlowestOps(const Trace& trace, size_t count) {
  const std::vector<int64_t> times = ExecutionTimes(trace);
  const std::vector<int64_t> executions = ExecutionCounts(trace);
  const int64_t total = std::reduce(times.begin(), times.end());
  if (total == 0) return "";
  std::vector<const Op*> slowest;
  slowest.reserve(trace.ops.size());
  for (const Op& op : trace.ops) slowest.push_back(&op);
  std::ranges::sort(slowest, {}, [&](const Op* op) { return std::pair(-times[op->id], op->id); });
  slowest.resize(std::min(slowest.size(), count));
  const TraceDevice* device = trace.header.devices.empty() ? nullptr : &trace.header.devices.front();
  std::string text;
  for (const Op* op : slowest) {
    const std::string_view bound =
        device == nullptr ? "" : BoundBy(op->flops, op->bytes, times[op->id], executions[op->id], *device);
    text += fmt::format(
        "{:>7.2f} % {:>12} {}{}  {} in {}\n", 100.0 * static_cast<double>(times[op->id]) / static_cast<double>(total),
        TimeText(times[op->id]), bound.empty() ? "" : "bound by ", bound, HloName(*op), FrameworkPath(*op));
  }
  const double runs = static_cast<double>(std::max<int64_t>(1, trace.header.iterations));
  const auto sum = static_cast<int64_t>(static_cast<double>(total) / runs);
  text += fmt::format("ops add up to {}, {}", TimeText(sum), ClockText(trace));
  if (trace.footer && trace.footer->whole_model_ps > 0) {
    const int64_t whole = trace.footer->whole_model_ps;
    text += fmt::format("; the model in one piece takes {} ({:+.1f} %)", TimeText(whole),
                        100.0 * static_cast<double>(whole - sum) / static_cast<double>(sum));
    if (trace.footer->whole_model_clock == Clock::kDevice) text += " by the device's own clock";
  }
  if (trace.footer && !trace.footer->whole_model_verdict.empty()) {
    text += "\nthe model in one piece: " + trace.footer->whole_model_verdict;
  }
  return text + "\n";
}

std::string InsightsText(const Trace& trace) {
  std::string text;
  for (const Insight& insight : Insights(trace)) {
    text += fmt::format("\n{}\n  {}\n  cause: {}\n  do: {}\n", insight.title, insight.condition, insight.cause,
                        insight.action);
  }
  return text;
}

}  // namespace opbyop::optrace
