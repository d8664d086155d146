// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rules of the insights: each looks at the facts and returns an insight, or nothing.
#ifndef OPBYOP_REPORTS_OPTRACE_INSIGHT_RULES_H_
#define OPBYOP_REPORTS_OPTRACE_INSIGHT_RULES_H_

#include <optional>
#include <span>

#include "reports/optrace/insight_facts.h"
#include "reports/optrace/insights.h"

namespace opbyop::optrace {

using Found = std::optional<Insight>;

struct InsightRule {
  const char* name;  // of the insight
  Found (*apply)(const InsightFacts&);
};

std::span<const InsightRule> TrustRules();  // whether the numbers, and the record, can be relied on
std::span<const InsightRule> TimeRules();   // where the time goes, and how well it is known

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_INSIGHT_RULES_H_
