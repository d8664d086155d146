// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opbyop::optrace {
namespace {

template <typename... Arguments>
void Note(std::vector<std::string>& notes, size_t count, fmt::format_string<Arguments...> text,
          Arguments&&... arguments) {
  if (count > 0) notes.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
}

void FindDefects(const Trace& trace, std::vector<std::string>& defects) {
  std::set<int64_t> devices, ids;
  for (const TraceDevice& device : trace.header.devices) devices.insert(device.id);
  size_t doubled = 0, foreign = 0, outside = 0, reversed = 0;
  for (const Span& span : trace.spans) {
    doubled += !ids.insert(span.id).second;
    foreign += !devices.contains(span.device);
    outside += span.start_ps < 0 || (trace.footer && span.end_ps() > trace.footer->wall_ps);
    for (const auto& bounds : {span.start_bounds, span.duration_bounds}) {
      reversed += bounds && bounds->min_ps > bounds->max_ps;
    }
  }
  Note(defects, doubled, "{} spans have an id that another has", doubled);
  Note(defects, foreign, "{} spans are on a device that the header does not name", foreign);
  Note(defects, outside, "{} spans lie outside the run's wall time", outside);
  Note(defects, reversed, "{} bounds have a minimum above their maximum", reversed);
  const auto count = static_cast<int64_t>(trace.spans.size());
  if (trace.footer && trace.footer->spans != count) {
    defects.push_back(fmt::format("the footer counts {} spans, the file has {}", trace.footer->spans, count));
  }
}

void FindGaps(const Trace& trace, std::vector<std::string>& gaps) {
  const auto lacks = [&](Section section) {
    return std::ranges::none_of(trace.spans, [&](const Span& span) { return span.section == section; });
  };
  if (trace.ops.empty()) gaps.push_back("no ops: nothing can be attributed");
  if (trace.header.devices.empty()) gaps.push_back("no devices in the header");
  if (lacks(Section::kExecution)) gaps.push_back("no execution spans: operator tables, pies and hierarchy are empty");
  if (lacks(Section::kDataTransfer)) gaps.push_back("no transfer spans: what moving data costs is not known");
  if (lacks(Section::kCompile)) gaps.push_back("no compile spans: the stages' times are not known");
  if (trace.compares.empty()) gaps.push_back("no output comparisons: the view outputs is empty");
  if (trace.runs.empty()) gaps.push_back("no op_run records: status and spread of the ops are not known");
  if (!trace.footer) gaps.push_back("no footer: the run was cut short");
  const auto unlocated = static_cast<size_t>(
      std::ranges::count_if(trace.ops, [](const Op& op) { return op.location.empty() && op.path.empty(); }));
  Note(gaps, unlocated, "{} of {} ops have no location", unlocated, trace.ops.size());
  const auto unclocked = static_cast<size_t>(std::ranges::count_if(
      trace.spans, [](const Span& span) { return span.section == Section::kExecution && span.clock == Clock::kHost; }));
  Note(gaps, unclocked, "{} executions carry the host's clock: the price of the call is in their times", unclocked);
  for (const TraceDevice& device : trace.header.devices) {
    if (device.peak_gflops > 0 && device.peak_gb_per_s > 0) continue;
    gaps.push_back(
        fmt::format("peaks of device {} ({}) are not known: the roofline has no roof", device.id, device.name));
  }
}

}  // namespace

Verification Verify(const Trace& trace) {
  Verification verification;
  FindDefects(trace, verification.defects);
  FindGaps(trace, verification.gaps);
  return verification;
}

}  // namespace opbyop::optrace
