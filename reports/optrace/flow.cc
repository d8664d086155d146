// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/flow.h"

#include <algorithm>
#include <utility>

namespace opbyop::optrace {
namespace {

// Work of the runtime around an execution (hand over, load, repeat) is not part of the data flow.
bool Flowing(const Span& span) {
  return span.flow != 0 && (span.section == Section::kExecution || span.section == Section::kDataTransfer ||
                            span.section == Section::kCompare);
}

auto Time(const Span* span) { return std::pair(span->start_ps, span->id); }

}  // namespace

Flows::Flows(const Trace& trace) {
  for (const Span& span : trace.spans) {
    if (!Flowing(span)) continue;
    Ends& ends = ends_.try_emplace(span.flow, Ends{&span, &span}).first->second;
    if (Time(&span) < Time(ends.first)) ends.first = &span;
    if (Time(&span) > Time(ends.last)) ends.last = &span;
  }
  std::erase_if(ends_, [](const auto& entry) { return entry.second.first == entry.second.last; });
  for (const Span& span : trace.spans) {
    if (!Flowing(span) || !ends_.contains(span.flow)) continue;
    const std::string_view title = IsOfOps(span.section) ? kHloRow : std::string_view(span.name);
    rows_[{span.section, span.device, span.core, title}].push_back(&span);
  }
  for (auto& [row, spans] : rows_) std::ranges::sort(spans, {}, &Time);
}

std::optional<FlowStep> Flows::Of(const Span& span) const {
  const auto ends = Flowing(span) ? ends_.find(span.flow) : ends_.end();
  if (ends == ends_.end()) return std::nullopt;
  return FlowStep{span.flow, ends->second.first == &span, ends->second.last == &span};
}

std::vector<FlowStep> Flows::In(const TimelineRow& row, const Slice& slice) const {
  const auto spans = rows_.find({row.section, row.device, row.core, row.title});
  if (spans == rows_.end()) return {};
  std::vector<FlowStep> steps;
  const auto start = [](const Span* span) { return span->start_ps; };
  for (auto it = std::ranges::lower_bound(spans->second, slice.start, {}, start);
       it != spans->second.end() && (*it)->start_ps < slice.end; ++it) {
    steps.push_back(*Of(**it));
  }
  return steps;
}

}  // namespace opbyop::optrace
