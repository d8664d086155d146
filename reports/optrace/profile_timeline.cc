// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/profile_timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "reports/optrace/flow.h"
#include "reports/optrace/timeline.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

enum Kind { kFused, kWindow, kMerged };

class Encoder {
 public:
  Encoder(const Trace& trace, int64_t most_slices) : flows_(trace) {
    size_t depth = 1;
    for (const Op& op : trace.ops) depth = std::max(depth, op.path.size());
    int64_t slices = 0, end = 0;
    for (const Span& span : trace.spans) {
      slices += IsOfOps(span.section) ? static_cast<int64_t>(depth) + 2 : 1;
      end = std::max(end, span.end_ps());
    }
    // If there is too much to draw, all slices that start within one such interval are drawn as one.
    if (slices > most_slices) quantum_ = std::max<int64_t>(1, end / most_slices * static_cast<int64_t>(depth + 4));
  }

  void Begin(const TimelineRow& row) {
    Finish();
    row_ = {{"section", ToString(row.section)},
            {"sectionTitle", SectionTitle(row.section)},
            {"title", row.title},
            {"device", row.device},
            {"core", row.core}};
    drawn_ = row;
    open_ = true;
  }

  void Add(Slice&& slice) {
    if (quantum_ == 0) {
      slices_.push_back(std::move(slice));
      counts_.push_back(1);
      return;
    }
    if (!slices_.empty() && slices_.back().start / quantum_ == slice.start / quantum_) {
      slices_.back().end = slice.end;
      ++counts_.back();
      ++merged_;
      return;
    }
    slices_.push_back(std::move(slice));
    counts_.push_back(1);
  }

  json Result() {
    Finish();
    json labels = json::array();
    for (const std::string* label : labels_) labels.push_back(*label);
    return {{"labels", labels}, {"merged", merged_}, {"rows", std::move(rows_)}};
  }

 private:
  int64_t Label(const std::string& text) {
    const auto [entry, added] = ids_.try_emplace(text, static_cast<int64_t>(labels_.size()));
    if (added) labels_.push_back(&entry->first);
    return entry->second;
  }

  void Finish() {
    if (!open_) return;
    json starts = json::array(), durations = json::array(), names = json::array(), fused = json::array();
    int64_t before = 0;
    for (size_t i = 0; i < slices_.size(); ++i) {
      const Slice& slice = slices_[i];
      starts.push_back(slice.start - before);
      durations.push_back(slice.end - slice.start);
      before = slice.start;
      if (counts_[i] == 1 && slice.single()) {
        names.push_back(Label(slice.members[0]));
        continue;
      }
      names.push_back(-1 - static_cast<int64_t>(fused.size()));
      json entry = {counts_[i] > 1 ? kMerged : slice.window ? kWindow : kFused};
      if (counts_[i] > 1) {
        entry.push_back(counts_[i]);
      } else {
        for (const std::string& member : slice.members) entry.push_back(Label(member));
      }
      fused.push_back(std::move(entry));
    }
    row_["s"] = std::move(starts);
    row_["d"] = std::move(durations);
    row_["n"] = std::move(names);
    row_["f"] = std::move(fused);
    row_["b"] = quantum_ == 0 ? Bounded() : json::array();
    row_["w"] = quantum_ == 0 ? FlowList() : json::array();
    rows_.push_back(std::move(row_));
    slices_.clear();
    counts_.clear();
    open_ = false;
  }

  // The occurrences whose times are not exact, by the drawn slices or by the clock.
  json Bounded() {
    json bounded = json::array();
    const bool all_single = std::ranges::all_of(slices_, &Slice::single);
    if (all_single) return bounded;
    for (const Occurrence& occurrence : Occurrences(slices_)) {
      const Placement view = PlaceByView(slices_, occurrence), clock = PlaceByClock(slices_, occurrence);
      if (view.start_exact && view.duration_exact && clock.start_exact && clock.duration_exact) continue;
      json entry = {Label(occurrence.label), occurrence.first, occurrence.last};
      for (const Placement& placed : {view, clock}) {
        for (const int64_t value : {int64_t{placed.start_exact}, int64_t{placed.duration_exact}, placed.start.min_ps,
                                    placed.start.max_ps, placed.duration.min_ps, placed.duration.max_ps}) {
          entry.push_back(value);
        }
      }
      bounded.push_back(std::move(entry));
    }
    return bounded;
  }

  // The flow of each slice (of its first span, if these have several), minus that of the slice before; empty if no
  // slice has a flow.
  json FlowList() const {
    json list = json::array();
    bool any = false;
    int64_t before = 0;
    for (const Slice& slice : slices_) {
      const std::vector<FlowStep> steps = flows_.In(drawn_, slice);
      const int64_t flow = steps.empty() ? 0 : steps.front().flow;
      any = any || flow != 0;
      list.push_back(flow - before);
      before = flow;
    }
    return any ? list : json::array();
  }

  Flows flows_;
  TimelineRow drawn_;  // without its slices
  int64_t quantum_ = 0;
  int64_t merged_ = 0;
  std::unordered_map<std::string, int64_t> ids_;
  std::vector<const std::string*> labels_;
  json rows_ = json::array();
  json row_;
  std::vector<Slice> slices_;
  std::vector<int64_t> counts_;  // the number of slices that are drawn as this one
  bool open_ = false;
};

}  // namespace

json TimelineData(const Trace& trace, int64_t most_slices) {
  Encoder encoder(trace, most_slices);
  DrawTimeline(
      trace, [&](const TimelineRow& row) { encoder.Begin(row); },
      [&](Slice&& slice) { encoder.Add(std::move(slice)); });
  return encoder.Result();
}

}  // namespace opbyop::optrace
