// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/segmentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace opbyop::optrace {
namespace {

struct Edge {
  int64_t at;
  uint32_t interval;
  bool begins;
};

// Joins runs of slices that the clock cannot distinguish, names the results and drops the gaps.
class Coalescer {
 public:
  Coalescer(int64_t resolution, const std::function<void(Slice&&)>& sink) : resolution_(resolution), sink_(sink) {}

  void Add(Slice&& slice) {
    if (slice.end - slice.start >= resolution_) {
      Flush();
      Emit(std::move(slice));
    } else if (run_++ == 0) {
      window_ = std::move(slice);
    } else {
      if (run_ == 2) union_ = {window_.members.begin(), window_.members.end()};
      union_.insert(slice.members.begin(), slice.members.end());
      window_.end = slice.end;
    }
  }

  void Flush() {
    if (run_ == 0) return;
    if (run_ > 1) {
      window_.members = {union_.begin(), union_.end()};
      window_.window = true;
    }
    run_ = 0;
    Emit(std::move(window_));
    window_ = {};
  }

 private:
  void Emit(Slice&& slice) {
    if (slice.members.empty()) return;
    slice.name = slice.single() ? slice.members[0] : fmt::format("fused_{}", ++fused_);
    sink_(std::move(slice));
  }

  int64_t resolution_;
  const std::function<void(Slice&&)>& sink_;
  Slice window_;
  std::set<std::string> union_;
  int64_t run_ = 0;
  int64_t fused_ = 0;
};

bool Holds(const Slice& slice, const std::string& label) {
  return std::binary_search(slice.members.begin(), slice.members.end(), label);
}

}  // namespace

void Segment(std::span<const Interval> intervals, int64_t resolution, const std::function<void(Slice&&)>& sink) {
  std::vector<Edge> edges;
  edges.reserve(2 * intervals.size());
  for (uint32_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].end <= intervals[i].start) continue;
    edges.push_back({intervals[i].start, i, true});
    edges.push_back({intervals[i].end, i, false});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  // Maximal stretches with a constant set of active labels; gaps are slices without members.
  Coalescer coalescer(resolution, sink);
  std::map<std::string_view, int> active;
  Slice pending;
  bool any = false;
  for (size_t i = 0; i < edges.size();) {
    const int64_t at = edges[i].at;
    for (; i < edges.size() && edges[i].at == at; ++i) {
      active[intervals[edges[i].interval].label] += edges[i].begins ? 1 : -1;
    }
    std::erase_if(active, [](const auto& entry) { return entry.second == 0; });
    if (i == edges.size()) break;
    const bool same = any && std::ranges::equal(active, pending.members, {}, [](const auto& e) { return e.first; });
    if (same) {
      pending.end = edges[i].at;
      continue;
    }
    if (any) coalescer.Add(std::move(pending));
    pending = {at, edges[i].at, {}};
    for (const auto& [label, count] : active) pending.members.emplace_back(label);
    any = true;
  }
  if (any) coalescer.Add(std::move(pending));
  coalescer.Flush();
}

std::vector<Slice> Segment(std::span<const Interval> intervals, int64_t resolution) {
  std::vector<Slice> slices;
  Segment(intervals, resolution, [&](Slice&& slice) { slices.push_back(std::move(slice)); });
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
