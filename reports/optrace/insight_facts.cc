// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/insight_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {

InsightFacts::InsightFacts(const Trace& trace_)
    : trace(trace_), op_time(trace_.ops.size()), op_count(trace_.ops.size()) {
  for (const Span& span : trace.spans) {
    if (span.section == Section::kOverview || span.section == Section::kControl) continue;
    time[span.section] += span.dur_ps;
    if (span.section == Section::kDataTransfer && span.op < 0) inputs += span.dur_ps;
    if (span.section == Section::kCompile) {
      stages[span.name] += span.dur_ps;
      compiled.insert(span.op);
    }
    if (span.section != Section::kExecution || span.op < 0) continue;
    op_time[span.op] += span.dur_ps;
    ++op_count[span.op];
    ++executions;
    bounded += span.exactness == Exactness::kBounded;
    on_host_clock += span.clock == Clock::kHost;
  }
}

int64_t InsightFacts::Of(Section section) const {
  const auto entry = time.find(section);
  return entry == time.end() ? 0 : entry->second;
}

double InsightFacts::Runs() const { return static_cast<double>(std::max<int64_t>(1, trace.header.iterations)); }

std::string InsightFacts::Name(int64_t op) const {
  return fmt::format("{} ({})", HloName(trace.ops[op]), FrameworkPath(trace.ops[op]));
}

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::vector<int64_t> First(const std::vector<int64_t>& ops) {
  constexpr size_t kNamed = 10;
  return {ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(std::min(ops.size(), kNamed))};
}

}  // namespace opbyop::optrace
