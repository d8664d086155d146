#include "reports/optrace/segmentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace opbyop::optrace {
namespace {

struct Edge {
  int64_t at;
  bool begins;
  const std::string* label;
};

// Maximal stretches of a constant active set, gaps among them as slices without members.
std::vector<Slice> Sweep(std::span<const Interval> intervals) {
  std::vector<Edge> edges;
  for (const Interval& interval : intervals) {
    if (interval.end <= interval.start) continue;
    edges.push_back({interval.start, true, &interval.label});
    edges.push_back({interval.end, false, &interval.label});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  std::map<std::string, int> active;
  std::vector<Slice> slices;
  for (size_t i = 0; i < edges.size();) {
    const int64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      int& count = active[*edges[i].label];
      count += edges[i].begins ? 1 : -1;
    }
    std::erase_if(active, [](const auto& entry) { return entry.second == 0; });
    if (i == edges.size()) break;
    std::vector<std::string> members;
    for (const auto& [label, count] : active) members.push_back(label);
    if (!slices.empty() && slices.back().members == members) {
      slices.back().end = edges[i].at;
    } else {
      slices.push_back({at, edges[i].at, std::move(members)});
    }
  }
  return slices;
}

std::vector<Slice> Coalesce(std::vector<Slice> slices, int64_t resolution) {
  std::vector<Slice> result;
  for (size_t i = 0; i < slices.size();) {
    size_t end = i;
    while (end < slices.size() && slices[end].end - slices[end].start < resolution) ++end;
    if (end - i < 2) {
      result.push_back(std::move(slices[i++]));
      continue;
    }
    std::set<std::string> members;
    for (size_t k = i; k < end; ++k) members.insert(slices[k].members.begin(), slices[k].members.end());
    result.push_back({slices[i].start, slices[end - 1].end, {members.begin(), members.end()}, true});
    i = end;
  }
  return result;
}

bool Holds(const Slice& slice, const std::string& label) {
  return std::binary_search(slice.members.begin(), slice.members.end(), label);
}

}  // namespace

std::vector<Slice> Segment(std::span<const Interval> intervals, int64_t resolution) {
  std::vector<Slice> slices = Coalesce(Sweep(intervals), resolution);
  std::erase_if(slices, [](const Slice& slice) { return slice.members.empty(); });
  int64_t fused = 0;
  for (Slice& slice : slices) slice.name = slice.single() ? slice.members[0] : fmt::format("fused_{}", ++fused);
  return slices;
}

std::vector<Occurrence> Occurrences(std::span<const Slice> row) {
  std::vector<Occurrence> occurrences;
  std::map<std::string, size_t> open;  // label -> index of its occurrence so far
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0 && row[i].start != row[i - 1].end) open.clear();
    std::erase_if(open, [&](const auto& entry) { return !Holds(row[i], entry.first); });
    for (const std::string& label : row[i].members) {
      const auto [entry, added] = open.try_emplace(label, occurrences.size());
      if (added) occurrences.push_back({label, i, i});
      occurrences[entry->second].last = i;
    }
  }
  return occurrences;
}

Placement PlaceByView(std::span<const Slice> row, const Occurrence& occurrence) {
  const Slice& first = row[occurrence.first];
  const Slice& last = row[occurrence.last];
  Placement placement;
  placement.start_exact = first.single();
  placement.duration_exact = first.single() && last.single();
  placement.start = first.single() ? Bounds{first.start, first.start} : Bounds{first.start, first.end};
  const Bounds end = last.single() ? Bounds{last.end, last.end} : Bounds{last.start, last.end};
  placement.duration = {std::max<int64_t>(0, end.min_ps - placement.start.max_ps), end.max_ps - placement.start.min_ps};
  return placement;
}

Placement PlaceByClock(std::span<const Slice> row, const Occurrence& occurrence) {
  const Slice& first = row[occurrence.first];
  const Slice& last = row[occurrence.last];
  Placement placement;
  placement.start_exact = !first.window;
  placement.duration_exact = !first.window && !last.window;
  placement.start = first.window ? Bounds{first.start, first.end} : Bounds{first.start, first.start};
  const Bounds end = last.window ? Bounds{last.start, last.end} : Bounds{last.end, last.end};
  placement.duration = {std::max<int64_t>(0, end.min_ps - placement.start.max_ps), end.max_ps - placement.start.min_ps};
  return placement;
}

}  // namespace opbyop::optrace
