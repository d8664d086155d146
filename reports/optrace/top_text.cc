#include "reports/optrace/top_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/optrace/insights.h"

namespace opbyop::optrace {

std::string TopTable(const Trace& trace, Grouping grouping, size_t count) {
  const std::vector<OperatorRow> rows = OperatorTable(trace, grouping);
  if (rows.empty()) return "";
  std::string text =
      fmt::format("share of the time on ops, by device and core\n{:>7} {:>12} {:>6} {:>12} {:<10} {:<8} {}\n", "%",
                  "time", "count", "average", "status", "bound by", "op");
  for (size_t i = 0; i < std::min(rows.size(), count); ++i) {
    const OperatorRow& row = rows[i];
    text += fmt::format("{:>7.2f} {:>12} {:>6} {:>12} {:<10} {:<8} {}\n", row.percent, TimeText(row.time_ps),
                        row.occurrences, TimeText(row.average_ps), row.status, row.bound_by, row.name);
  }
  return text;
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
