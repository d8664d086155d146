// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/profile_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/optrace/clocks.h"
#include "reports/optrace/insights.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/profile_data.h"
#include "reports/page/page_resource.h"
#include "reports/page/web_page.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

// Without JavaScript the page still names the slowest operators.
constexpr size_t kSummaryRows = 20;

std::string Summary(const Trace& trace) {
  const std::string clock = ClockText(trace);
  std::string text =
      fmt::format("{} on {}: {}, {}{}{}\n", trace.header.model, trace.header.target, CountText(trace.ops.size(), "op"),
                  CountText(trace.spans.size(), "span"), clock.empty() ? "" : "; times ", clock);
  size_t rows = 0;
  for (const OperatorRow& row : OperatorTable(trace, Grouping::kHlo)) {
    if (++rows > kSummaryRows) break;
    text += fmt::format("{:>8.2f} %  {:>10}  {} x {}\n", row.percent, TimeText(row.time_ps), row.occurrences, row.name);
  }
  return text;
}

}  // namespace

std::string ProfilePage(const Trace& trace, const Trace* base) {
  const std::string data =
      reports::ScriptSafe(ProfileData(trace, base).dump(-1, ' ', false, json::error_handler_t::replace));
  return reports::MakeWebPage(
      {.title = fmt::format("{} on {} - opbyop profile", trace.header.model, trace.header.target),
       .summary = Summary(trace),
       .needed_for = "views",
       .style = reports::kProfileStyle,
       .script = reports::kProfileScript,
       .data = data});
}

}  // namespace opbyop::optrace
