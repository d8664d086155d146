// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/insights.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "reports/optrace/insight_rules.h"

namespace opbyop::optrace {

std::string TimeText(int64_t ps) {
  const auto value = static_cast<double>(ps);
  if (value < 1e3) return fmt::format("{} ps", ps);
  if (value < 1e6) return fmt::format("{:.4g} ns", value / 1e3);
  if (value < 1e9) return fmt::format("{:.4g} µs", value / 1e6);
  if (value < 1e12) return fmt::format("{:.4g} ms", value / 1e9);
  return fmt::format("{:.4g} s", value / 1e12);
}

std::vector<Insight> Insights(const Trace& trace) {
  const InsightFacts facts(trace);
  std::vector<Insight> insights;
  for (const std::span<const InsightRule> rules : {TrustRules(), TimeRules()}) {
    for (const InsightRule& rule : rules) {
      Found found = rule.apply(facts);
      if (!found) continue;
      found->rule = rule.name;
      insights.push_back(std::move(*found));
    }
  }
  std::ranges::sort(insights, {}, [](const Insight& insight) {
    return std::tuple(!insight.wrong, -insight.at_stake_ps, std::string_view(insight.rule));
  });
  return insights;
}

}  // namespace opbyop::optrace
