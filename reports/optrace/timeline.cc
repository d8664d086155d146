#include "reports/optrace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {
namespace {

using Place = std::tuple<Section, int64_t, int64_t>;  // section, device, core

// The module path, padded to `depth` parts.
std::vector<std::string> Padded(const Op& op, size_t depth) {
  std::vector<std::string> path = op.path;
  const std::string last = path.empty() ? "<unknown>" : path.back();
  for (int64_t k = 0; path.size() < depth; ++k) path.push_back(fmt::format("{}.projected.{}", last, k));
  return path;
}

// What a level shows: the path down to it, so that equal layers of different parents stay apart.
std::string Prefix(const std::vector<std::string>& path, size_t level) {
  std::string text = path[0];
  for (size_t i = 1; i <= level; ++i) text += "/" + path[i];
  return text;
}

void AddRow(std::vector<TimelineRow>& rows, const Place& place, std::string title,
            const std::vector<Interval>& intervals, int64_t resolution) {
  const auto [section, device, core] = place;
  rows.push_back({section, device, core, std::move(title), Segment(intervals, resolution)});
}

void AddLevels(std::vector<TimelineRow>& rows, const Trace& trace, const Place& place,
               const std::vector<const Span*>& spans, size_t depth, const std::vector<int64_t>& instances) {
  std::vector<std::vector<Interval>> levels(depth);
  std::vector<Interval> framework, hlo;
  for (const Span* span : spans) {
    if (span->op < 0) {
      hlo.push_back({span->start_ps, span->end_ps(), span->name});
      continue;
    }
    const Op& op = trace.ops[span->op];
    const std::vector<std::string> path = Padded(op, depth);
    for (size_t level = 0; level < depth; ++level) {
      levels[level].push_back({span->start_ps, span->end_ps(), Prefix(path, level)});
    }
    framework.push_back({span->start_ps, span->end_ps(), fmt::format("{}.{}", FrameworkPath(op), instances[span->op])});
    hlo.push_back({span->start_ps, span->end_ps(), HloName(op)});
  }
  const int64_t resolution = trace.header.resolution_ps;
  for (size_t level = 0; level < depth; ++level) {
    AddRow(rows, place, fmt::format("level {}", level), levels[level], resolution);
  }
  AddRow(rows, place, "Framework Ops", framework, resolution);
  AddRow(rows, place, "HLO Ops", hlo, resolution);
}

}  // namespace

std::string SectionTitle(Section section) {
  switch (section) {
    case Section::kOverview:
      return "Process Overview";
    case Section::kControl:
      return "Process Control";
    case Section::kExecution:
      return "Process Execution";
    case Section::kDataTransfer:
      return "Process Data Transfer";
    case Section::kCompile:
      return "Process Compile";
    case Section::kCompare:
      return "Process Compare";
  }
  return "";
}

std::vector<TimelineRow> Timeline(const Trace& trace) {
  size_t depth = 1;
  for (const Op& op : trace.ops) depth = std::max(depth, op.path.size());
  const std::vector<int64_t> instances = FrameworkInstances(trace.ops);
  std::map<Place, std::vector<const Span*>> places;
  for (const Span& span : trace.spans) places[{span.section, span.device, span.core}].push_back(&span);
  std::vector<TimelineRow> rows;
  for (const auto& [place, spans] : places) {
    const Section section = std::get<0>(place);
    if (section == Section::kExecution || section == Section::kDataTransfer) {
      AddLevels(rows, trace, place, spans, depth, instances);
      continue;
    }
    std::map<std::string, std::vector<Interval>> by_name;
    for (const Span* span : spans) {
      const std::string label = span->op < 0 ? span->name : HloName(trace.ops[span->op]);
      by_name[span->name].push_back({span->start_ps, span->end_ps(), label});
    }
    for (const auto& [name, intervals] : by_name) {
      AddRow(rows, place, name, intervals, trace.header.resolution_ps);
    }
  }
  return rows;
}

}  // namespace opbyop::optrace
