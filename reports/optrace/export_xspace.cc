#include "reports/optrace/export_xspace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>

#include "reports/optrace/operator_table.h"
#include "reports/optrace/output_file.h"
#include "reports/optrace/timeline.h"
#include "reports/optrace/xplane_builder.h"

namespace opbyop::optrace {
namespace {

constexpr uint64_t kProgram = 1;
constexpr uint32_t kSpaceWarnings = 3;
constexpr const char* kGroup = "group_id";  // XProf groups by it where every plane knows it; it must be an int64

// XProf knows an op by its path and a type behind the first colon.
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

// From the first to the last moment of each iteration on the device.
std::map<int64_t, std::pair<int64_t, int64_t>> Iterations(const Trace& trace, int64_t device) {
  std::map<int64_t, std::pair<int64_t, int64_t>> iterations;
  for (const Section section : {Section::kExecution, Section::kDataTransfer}) {
    for (const Span* span : SpansOf(trace, section, device)) {
      const auto [entry, added] = iterations.try_emplace(span->iteration, span->start_ps, span->end_ps());
      if (added) continue;
      entry->second.first = std::min(entry->second.first, span->start_ps);
      entry->second.second = std::max(entry->second.second, span->end_ps());
    }
  }
  return iterations;
}

std::string DevicePlane(const Trace& trace, const TraceDevice& device) {
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
  for (const Span* span : SpansOf(trace, Section::kExecution, device.id)) {
    if (span->op < 0) continue;
    plane.AddEvent(OpEvent(plane, trace.ops[span->op]), span->start_ps, span->dur_ps,
                   {{kGroup, span->iteration}, {"exactness", std::string(ToString(span->exactness))}});
  }
  plane.EndLine();
  plane.BeginLine("Async XLA Ops");
  for (const Span* span : SpansOf(trace, Section::kDataTransfer, device.id)) {
    plane.AddEvent(plane.Event(span->name), span->start_ps, span->dur_ps, {{kGroup, span->iteration}});
  }
  plane.EndLine();
  return plane.Finish();
}

// One event per framework op and execution, as XProf counts them.
std::string HostPlane(const Trace& trace, int64_t id) {
  PlaneBuilder plane(id, "/host:CPU");
  plane.DeclareStat(kGroup);
  plane.BeginLine("reference");
  for (const Span& span : trace.spans) {
    if (span.section != Section::kCompare || span.op < 0) continue;
    plane.AddEvent(plane.Event(TfOp(trace.ops[span.op])), span.start_ps, span.dur_ps, {{kGroup, span.iteration}});
  }
  plane.EndLine();
  return plane.Finish();
}

std::vector<std::string> TimelinePlanes(const Trace& trace, int64_t first_id) {
  std::map<std::pair<Section, std::pair<int64_t, int64_t>>, std::unique_ptr<PlaneBuilder>> planes;
  std::vector<std::string> bytes;
  for (const TimelineRow& row : Timeline(trace)) {
    auto& plane = planes[{row.section, {row.device, row.core}}];
    if (!plane) {
      const std::string title =
          fmt::format("/device:CUSTOM:{} (device {} core {})", SectionTitle(row.section), row.device, row.core);
      plane = std::make_unique<PlaneBuilder>(first_id + static_cast<int64_t>(planes.size()), title);
      plane->DeclareStat(kGroup);
    }
    plane->BeginLine(row.title);
    for (const Slice& slice : row.slices) {
      Stats stats;
      if (!slice.single()) stats.push_back({"fused", fmt::format("{}", fmt::join(slice.members, ",\n"))});
      plane->AddEvent(plane->Event(slice.name), slice.start, slice.end - slice.start, stats);
    }
    plane->EndLine();
  }
  for (auto& [key, plane] : planes) bytes.push_back(plane->Finish());
  return bytes;
}

}  // namespace

Expected<void> ExportXSpace(const Trace& trace, const std::filesystem::path& path) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  int64_t planes = 0;
  for (const TraceDevice& device : trace.header.devices) {
    (*file)->Write(DevicePlane(trace, device));
    planes = std::max(planes, device.id + 1);
  }
  (*file)->Write(HostPlane(trace, planes++));
  for (const std::string& plane : TimelinePlanes(trace, planes)) (*file)->Write(plane);
  std::string warnings;
  for (const Warning& warning : trace.warnings)
    protozero::pbf_writer(warnings).add_string(kSpaceWarnings, warning.text);
  (*file)->Write(warnings);
  return (*file)->Close();
}

}  // namespace opbyop::optrace
