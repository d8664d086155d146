// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

// The label of a level: the path down to it, so that equal layers of different parents stay apart.
std::string Prefix(const std::vector<std::string>& path, size_t level) {
  std::string text = path[0];
  for (size_t i = 1; i <= level; ++i) text += "/" + path[i];
  return text;
}

// The names of each op on the rows of a section: a text per level and op, made once.
struct Labels {
  std::vector<std::vector<std::string>> levels;
  std::vector<std::string> framework;
  std::vector<std::string> hlo;
};

Labels LabelsOf(const Trace& trace) {
  size_t depth = 1;
  for (const Op& op : trace.ops) depth = std::max(depth, op.path.size());
  const std::vector<int64_t> instances = FrameworkInstances(trace.ops);
  Labels labels;
  labels.levels.resize(depth);
  for (const Op& op : trace.ops) {
    const std::vector<std::string> path = Padded(op, depth);
    for (size_t level = 0; level < depth; ++level) labels.levels[level].push_back(Prefix(path, level));
    labels.framework.push_back(fmt::format("{}.{}", FrameworkPath(op), instances[op.id]));
    labels.hlo.push_back(HloName(op));
  }
  return labels;
}

class Drawer {
 public:
  Drawer(const Trace& trace, const std::function<void(const TimelineRow&)>& begin,
         const std::function<void(Slice&&)>& add)
      : trace_(trace), labels_(LabelsOf(trace)), begin_(begin), add_(add) {}

  void Levels(const Place& place, const std::vector<const Span*>& spans) {
    for (size_t level = 0; level < labels_.levels.size(); ++level) {
      OpRow(place, fmt::format("level {}", level), spans, labels_.levels[level]);
    }
    OpRow(place, "Framework Ops", spans, labels_.framework);
    OpRow(place, std::string(kHloRow), spans, labels_.hlo, /*others=*/true);
  }

  // One row per name, with the op on which the runtime worked.
  void Names(const Place& place, const std::vector<const Span*>& spans) {
    std::map<std::string_view, std::vector<Interval>> by_name;
    for (const Span* span : spans) {
      const std::string_view label = span->op < 0 ? std::string_view(span->name) : labels_.hlo[span->op];
      by_name[span->name].push_back({span->start_ps, span->end_ps(), label});
    }
    for (const auto& [name, intervals] : by_name) Row(place, std::string(name), intervals);
  }

 private:
  void OpRow(const Place& place, std::string title, const std::vector<const Span*>& spans,
             const std::vector<std::string>& labels, bool others = false) {
    std::vector<Interval> intervals;
    intervals.reserve(spans.size());
    for (const Span* span : spans) {
      if (span->op >= 0) intervals.push_back({span->start_ps, span->end_ps(), labels[span->op]});
      if (span->op < 0 && others) intervals.push_back({span->start_ps, span->end_ps(), span->name});
    }
    Row(place, std::move(title), intervals);
  }

  void Row(const Place& place, std::string title, const std::vector<Interval>& intervals) {
    const auto [section, device, core] = place;
    begin_({section, device, core, std::move(title), {}});
    Segment(intervals, trace_.header.resolution_ps, add_);
  }

  const Trace& trace_;
  Labels labels_;
  const std::function<void(const TimelineRow&)>& begin_;
  const std::function<void(Slice&&)>& add_;
};

}  // namespace

std::string SectionTitle(Section section) {
  switch (section) {
    case Section::kOverview:
      return "Process Overview";
    case Section::kControl:
      return "Process Control";
    case Section::kExecution:
      return "Process Execution";
    case Section::kDevices:
      return "Process Devices";
    case Section::kDataTransfer:
      return "Process Data Transfer";
    case Section::kCompile:
      return "Process Compile";
    case Section::kCompare:
      return "Process Compare";
  }
  return "";
}

void DrawTimeline(const Trace& trace, const std::function<void(const TimelineRow&)>& begin,
                  const std::function<void(Slice&&)>& add) {
  std::map<Place, std::vector<const Span*>> places;
  for (const Span& span : trace.spans) places[{span.section, span.device, span.core}].push_back(&span);
  Drawer drawer(trace, begin, add);
  for (const auto& [place, spans] : places) {
    IsOfOps(std::get<0>(place)) ? drawer.Levels(place, spans) : drawer.Names(place, spans);
  }
}

std::vector<TimelineRow> Timeline(const Trace& trace) {
  std::vector<TimelineRow> rows;
  DrawTimeline(
      trace, [&](const TimelineRow& row) { rows.push_back(row); },
      [&](Slice&& slice) { rows.back().slices.push_back(std::move(slice)); });
  return rows;
}

}  // namespace opbyop::optrace
