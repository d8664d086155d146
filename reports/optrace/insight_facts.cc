// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/insight_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {
namespace {

// The number of bounded executions that overlap another one on the same device.
int64_t Overlapped(const Trace& trace) {
  std::map<int64_t, std::vector<const Span*>> devices;
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) devices[span.device].push_back(&span);
  }
  int64_t count = 0;
  for (auto& [device, spans] : devices) {
    std::ranges::sort(spans, {}, [](const Span* span) { return std::pair(span->start_ps, span->id); });
    int64_t end = 0;  // of all spans before
    for (size_t i = 0; i < spans.size(); ++i) {
      const bool beside =
          (i > 0 && spans[i]->start_ps < end) || (i + 1 < spans.size() && spans[i + 1]->start_ps < spans[i]->end_ps());
      count += beside && spans[i]->exactness == Exactness::kBounded;
      end = std::max(end, spans[i]->end_ps());
    }
  }
  return count;
}

}  // namespace

InsightFacts::InsightFacts(const Trace& trace_)
    : trace(trace_), op_time(trace_.ops.size()), op_count(trace_.ops.size()) {
  std::vector<bool> timed(trace.ops.size());
  for (const OpRun& run : trace.runs) timed[run.op] = run.n > 0;
  for (const Span& span : trace.spans) {
    if (span.section == Section::kOverview || span.section == Section::kControl || span.section == Section::kDevices) {
      continue;
    }
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
    untimed += !timed[span.op];
    on_host_clock += span.clock == Clock::kHost;
  }
  if (bounded > 0) overlapped = Overlapped(trace);
  if (!trace.header.devices.empty()) call_ps = trace.header.devices.front().call_ps;
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

std::string OfOps(const Trace& trace, size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} of {} {}", count, CountText(trace.ops.size(), "op"), count == 1 ? one : more);
}

std::vector<int64_t> First(const std::vector<int64_t>& ops) {
  constexpr size_t kNamed = 10;
  return {ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(std::min(ops.size(), kNamed))};
}

}  // namespace opbyop::optrace
