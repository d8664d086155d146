// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/xplane_builder.h"

#include <protozero/pbf_writer.hpp>

namespace opbyop::optrace {
namespace {

using protozero::pbf_writer;

enum SpaceField : uint32_t { kPlanes = 1 };
enum PlaneField : uint32_t { kPlaneId = 1, kPlaneName, kLines, kEventMetadata, kStatMetadata, kPlaneStats };
enum MapField : uint32_t { kKey = 1, kValue };
enum LineField : uint32_t { kLineId = 1, kLineName, kTimestampNs, kEvents };
enum EventField : uint32_t { kEventMetadataId = 1, kOffsetPs, kDurationPs, kEventStats };
enum StatField : uint32_t { kStatMetadataId = 1, kDouble, kUint64, kInt64, kString };
enum MetadataField : uint32_t { kMetadataId = 1, kMetadataName, kMetadataDisplay = 4, kMetadataStats = 5 };

// XProf treats a line that starts at 0 as one without a time.
constexpr int64_t kLineStartNs = 1000;

}  // namespace

PlaneBuilder::PlaneBuilder(int64_t id, const std::string& name) {
  pbf_writer plane(plane_);
  plane.add_int64(kPlaneId, id);
  plane.add_string(kPlaneName, name);
}

int64_t PlaneBuilder::StatId(const std::string& name) {
  const auto [entry, added] = stat_ids_.try_emplace(name, static_cast<int64_t>(stat_ids_.size()) + 1);
  if (added) {
    pbf_writer plane(plane_);
    pbf_writer map(plane, kStatMetadata);
    map.add_int64(kKey, entry->second);
    pbf_writer metadata(map, kValue);
    metadata.add_int64(kMetadataId, entry->second);
    metadata.add_string(kMetadataName, name);
  }
  return entry->second;
}

std::string PlaneBuilder::Encode(const std::pair<std::string, StatValue>& stat) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int64(kStatMetadataId, StatId(stat.first));
  struct Adder {
    pbf_writer& writer;
    void operator()(double value) const { writer.add_double(kDouble, value); }
    void operator()(uint64_t value) const { writer.add_uint64(kUint64, value); }
    void operator()(int64_t value) const { writer.add_int64(kInt64, value); }
    void operator()(const std::string& value) const { writer.add_string(kString, value); }
  };
  std::visit(Adder{writer}, stat.second);
  return bytes;
}

void PlaneBuilder::AddStat(const std::string& name, const StatValue& value) {
  const std::string bytes = Encode({name, value});
  pbf_writer(plane_).add_message(kPlaneStats, bytes);
}

int64_t PlaneBuilder::Event(const std::string& name, const std::string& display, const Stats& stats) {
  const auto [entry, added] = event_ids_.try_emplace({name, display}, static_cast<int64_t>(event_ids_.size()) + 1);
  if (added) {
    std::string bytes;
    pbf_writer metadata(bytes);
    metadata.add_int64(kMetadataId, entry->second);
    metadata.add_string(kMetadataName, name);
    if (!display.empty()) metadata.add_string(kMetadataDisplay, display);
    for (const auto& stat : stats) metadata.add_message(kMetadataStats, Encode(stat));
    pbf_writer plane(plane_);
    pbf_writer map(plane, kEventMetadata);
    map.add_int64(kKey, entry->second);
    map.add_message(kValue, bytes);
  }
  return entry->second;
}

void PlaneBuilder::BeginLine(const std::string& name) {
  line_.clear();
  pbf_writer line(line_);
  line.add_int64(kLineId, ++lines_);
  line.add_string(kLineName, name);
  line.add_int64(kTimestampNs, kLineStartNs);
}

void PlaneBuilder::AddEvent(int64_t event, int64_t start_ps, int64_t dur_ps, const Stats& stats) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int64(kEventMetadataId, event);
  writer.add_int64(kOffsetPs, start_ps);
  writer.add_int64(kDurationPs, dur_ps);
  for (const auto& stat : stats) writer.add_message(kEventStats, Encode(stat));
  pbf_writer(line_).add_message(kEvents, bytes);
}

void PlaneBuilder::EndLine() { pbf_writer(plane_).add_message(kLines, line_); }

std::string PlaneBuilder::Finish() {
  std::string space;
  pbf_writer(space).add_message(kPlanes, plane_);
  return space;
}

}  // namespace opbyop::optrace
