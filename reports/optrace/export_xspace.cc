// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export_xspace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <tuple>

#include "reports/optrace/flow.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/timeline.h"
#include "reports/optrace/xplane_builder.h"
#include "support/files/output_file.h"

namespace opbyop::optrace {
namespace {

constexpr uint64_t kProgram = 1;
constexpr uint32_t kSpaceWarnings = 3;
constexpr const char* kGroup = "group_id";  // XProf groups by it if every plane knows it; it must be an int64

// XProf names an op by its path, followed by a colon and its type.
std::string TfOp(const Op& op) { return FrameworkPath(op) + ":" + (op.framework.empty() ? op.hlo : FrameworkName(op)); }

int64_t OpEvent(PlaneBuilder& plane, const Op& op) {
  const std::string name = HloName(op);
  return plane.Event(fmt::format("%{} = {}", name, op.text.empty() ? op.hlo : op.text), name,
                     {{"program_id", kProgram},
                      {"symbol_id", static_cast<uint64_t>(op.id) + 1},
                      {"hlo_category", op.category.empty() ? op.hlo : op.category},
                      {"tf_op", TfOp(op)},
                      {"flops", static_cast<uint64_t>(op.flops)},
                      {"bytes_accessed", static_cast<uint64_t>(op.bytes)},
                      {"source", op.location}});
}

std::vector<const Span*> SpansOf(const Trace& trace, Section section, int64_t device) {
  std::vector<const Span*> spans;
  for (const Span& span : trace.spans) {
    if (span.section == section && span.device == device) spans.push_back(&span);
  }
  std::ranges::sort(spans, {}, [](const Span* span) { return std::pair(span->start_ps, span->id); });
  return spans;
}

// XProf's lines hold events that nest or follow each other. An event that overlaps another in part is drawn after it.
// Its duration stays, and therefore the totals too, and `start_ps` has its real start.
class NestedLine {
 public:
  NestedLine(PlaneBuilder& plane, const Flows& flows) : plane_(plane), flows_(flows) {}

  void Add(int64_t event, const Span& span, Stats stats = {}) {
    int64_t start = std::max(span.start_ps, last_start_);
    while (!open_.empty() && (open_.back() <= start || start + span.dur_ps > open_.back())) {
      start = std::max(start, open_.back());
      open_.pop_back();
    }
    open_.push_back(start + span.dur_ps);
    last_start_ = start;
    stats.push_back({kGroup, span.iteration});
    if (const std::optional<FlowStep> step = flows_.Of(span)) stats.push_back({"flow", FlowStat(*step)});
    if (start != span.start_ps) stats.push_back({"start_ps", span.start_ps});
    plane_.AddEvent(event, start, span.dur_ps, stats);
  }

 private:
  // Two bits for the direction, then the id; the category in the bits above is 0.
  static uint64_t FlowStat(const FlowStep& step) {
    constexpr uint64_t kIn = 1, kOut = 2;
    return (step.first ? 0 : kIn) | (step.last ? 0 : kOut) | static_cast<uint64_t>(step.flow) << 2;
  }

  PlaneBuilder& plane_;
  const Flows& flows_;
  std::vector<int64_t> open_;  // ends of the events around the next one, innermost last
  int64_t last_start_ = 0;
};

// The first and the last moment of each iteration on the device. If iterations overlap, one ends where the next starts.
std::map<int64_t, std::pair<int64_t, int64_t>> Iterations(const Trace& trace, int64_t device) {
  std::map<int64_t, std::pair<int64_t, int64_t>> iterations;
  for (const Span& span : trace.spans) {
    if (span.device != device) continue;
    if (span.section != Section::kExecution && span.section != Section::kDataTransfer) continue;
    const auto [entry, added] = iterations.try_emplace(span.iteration, span.start_ps, span.end_ps());
    entry->second.first = std::min(entry->second.first, span.start_ps);
    entry->second.second = std::max(entry->second.second, span.end_ps());
  }
  std::pair<int64_t, int64_t>* before = nullptr;
  for (auto& [iteration, range] : iterations) {
    if (before != nullptr) before->second = std::clamp(range.first, before->first, before->second);
    before = &range;
  }
  return iterations;
}

// The outcome of an op: its status, and its worst isolated comparison.
struct Outcome {
  std::optional<Status> status;
  std::string stage;
  bool compared = false;
  double max_ulp = 0;
  double pcc = 1;
};

std::vector<Outcome> Outcomes(const Trace& trace) {
  std::vector<Outcome> outcomes(trace.ops.size());
  for (const OpRun& run : trace.runs) {
    outcomes[run.op].status = run.status;
    outcomes[run.op].stage = run.stage;
  }
  for (const OutputCompare& compare : trace.compares) {
    if (compare.mode != CompareMode::kIsolated) continue;
    Outcome& outcome = outcomes[compare.op];
    outcome.compared = true;
    outcome.max_ulp = std::max(outcome.max_ulp, compare.comparison.max_ulp);
    outcome.pcc = std::min(outcome.pcc, compare.comparison.pcc);
  }
  return outcomes;
}

std::string DevicePlane(const Trace& trace, const TraceDevice& device, const Flows& flows) {
  PlaneBuilder plane(device.id, fmt::format("/device:TPU:{}", device.id));
  plane.AddStat("device_type_string", fmt::format("TPU (conformance: {})", device.name));
  plane.AddStat("peak_teraflops_per_second", device.peak_gflops / 1000);
  plane.AddStat("peak_hbm_bw_gigabytes_per_second", device.peak_gb_per_s);
  plane.DeclareStat(kGroup);
  const auto iterations = Iterations(trace, device.id);
  plane.BeginLine("Steps");
  for (const auto& [iteration, range] : iterations) {
    plane.AddEvent(plane.Event(std::to_string(iteration)), range.first, range.second - range.first,
                   {{kGroup, iteration}});
  }
  plane.EndLine();
  plane.BeginLine("XLA Modules");
  const int64_t module = plane.Event(fmt::format("{}({})", trace.header.model, kProgram));
  for (const auto& [iteration, range] : iterations) {
    plane.AddEvent(module, range.first, range.second - range.first, {{kGroup, iteration}});
  }
  plane.EndLine();
  plane.BeginLine("XLA Ops");
  NestedLine ops(plane, flows);
  std::vector<int64_t> events(trace.ops.size());  // 0: not created yet
  const std::vector<Outcome> outcomes = Outcomes(trace);
  for (const Span* span : SpansOf(trace, Section::kExecution, device.id)) {
    if (span->op < 0) continue;
    int64_t& event = events[span->op];
    if (event == 0) event = OpEvent(plane, trace.ops[span->op]);
    Stats stats = {{"exactness", std::string(ToString(span->exactness))},
                   {"clock", std::string(ToString(span->clock))}};
    const Outcome& outcome = outcomes[span->op];
    if (outcome.status) {
      stats.push_back({"status", std::string(ToString(*outcome.status))});
      stats.push_back({"stage_reached", outcome.stage});
    }
    if (outcome.compared) {
      stats.push_back({"max_ulp", outcome.max_ulp});
      stats.push_back({"pcc", outcome.pcc});
    }
    ops.Add(event, *span, std::move(stats));
  }
  plane.EndLine();
  plane.BeginLine("Async XLA Ops");
  NestedLine transfers(plane, flows);
  for (const Span* span : SpansOf(trace, Section::kDataTransfer, device.id)) {
    transfers.Add(plane.Event(span->name), *span, {{"clock", std::string(ToString(span->clock))}});
  }
  plane.EndLine();
  return plane.Finish();
}

// The reference's executions on the host: one event per framework op and execution, as XProf counts them.
std::string HostPlane(const Trace& trace, int64_t id, const Flows& flows) {
  PlaneBuilder plane(id, "/host:CPU");
  plane.DeclareStat(kGroup);
  plane.BeginLine("reference");
  std::vector<const Span*> spans;
  for (const Span& span : trace.spans) {
    if (span.section == Section::kCompare && span.op >= 0) spans.push_back(&span);
  }
  std::ranges::sort(spans, {}, [](const Span* span) { return std::pair(span->start_ps, span->id); });
  NestedLine line(plane, flows);
  for (const Span* span : spans) line.Add(plane.Event(TfOp(trace.ops[span->op])), *span);
  plane.EndLine();
  return plane.Finish();
}

// Writes the rows of our timeline, with a plane per section, device and core. Each plane is written when the next
// starts.
class TimelinePlanes {
 public:
  TimelinePlanes(OutputFile& file, int64_t first_id) : file_(file), next_id_(first_id) {}

  void Begin(const TimelineRow& row) {
    const auto place = std::tuple(row.section, row.device, row.core);
    if (plane_) plane_->EndLine();
    if (plane_ && place != place_) Write();
    if (!plane_) {
      plane_ = std::make_unique<PlaneBuilder>(next_id_++, fmt::format("/device:CUSTOM:{} (device {} core {})",
                                                                      SectionTitle(row.section), row.device, row.core));
      plane_->DeclareStat(kGroup);
      place_ = place;
    }
    plane_->BeginLine(row.title);
  }

  void Add(const Slice& slice) {
    Stats stats;
    if (!slice.single()) stats.push_back({"fused", fmt::format("{}", fmt::join(slice.members, ",\n"))});
    plane_->AddEvent(plane_->Event(slice.name), slice.start, slice.end - slice.start, stats);
  }

  void End() {
    if (!plane_) return;
    plane_->EndLine();
    Write();
  }

 private:
  void Write() {
    file_.Write(plane_->Finish());
    plane_ = nullptr;
  }

  OutputFile& file_;
  int64_t next_id_;
  std::unique_ptr<PlaneBuilder> plane_;
  std::tuple<Section, int64_t, int64_t> place_;
};

}  // namespace

Expected<void> ExportXSpace(const Trace& trace, const std::filesystem::path& path) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  const Flows flows(trace);
  int64_t planes = 0;
  for (const TraceDevice& device : trace.header.devices) {
    (*file)->Write(DevicePlane(trace, device, flows));
    planes = std::max(planes, device.id + 1);
  }
  (*file)->Write(HostPlane(trace, planes++, flows));
  TimelinePlanes rows(**file, planes);
  DrawTimeline(trace, [&](const TimelineRow& row) { rows.Begin(row); }, [&](Slice&& slice) { rows.Add(slice); });
  rows.End();
  std::string warnings;
  for (const Warning& warning : trace.warnings)
    protozero::pbf_writer(warnings).add_string(kSpaceWarnings, warning.text);
  (*file)->Write(warnings);
  return (*file)->Close();
}

}  // namespace opbyop::optrace
