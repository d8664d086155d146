// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "support/wire_type.h"
#include "support/xspace/executions.h"
#include "support/xspace/planes.h"

namespace opbyop::xspace {
namespace {

constexpr size_t kMostInstructions = 1 << 17;                  // each may name many ops
constexpr int64_t kLongestNs = int64_t{3600} * 1'000'000'000;  // between the first instruction and the last

constexpr std::string_view kHostPlane = "/host:CPU";
constexpr auto kOpLines = std::to_array<std::string_view>({"XLA Ops", "Async XLA Ops"});

struct Value {
  std::string_view text;
  double number = 0;
};
using Stats = std::map<std::string_view, Value>;
using Names = std::map<int64_t, std::string_view>;

struct Kind {
  std::string_view name, display;
  Stats stats;
};

// The names that the events of a plane refer to by number.
struct Tables {
  Names stats;
  std::map<int64_t, Kind> events;
};

// An instruction, with its start in two parts: nanoseconds of the wall clock times 1,000 do not fit an integer.
struct Placed {
  InstructionEvent event;
  int64_t start_ns = 0;
  int64_t rest_ps = 0;
};

void ReadStat(protozero::pbf_message<Stat> stat, const Names& names, Stats& stats) {
  std::string_view name;
  Value value;
  const auto name_of = [&](int64_t id) {
    const auto found = names.find(id);
    return found == names.end() ? std::string_view() : found->second;
  };
  while (stat.next()) {
    switch (stat.tag_and_type()) {
      case Varint(Stat::kMetadataId):
        name = name_of(stat.get_int64());
        break;
      case protozero::tag_and_type(Stat::kDouble, protozero::pbf_wire_type::fixed64):
        value.number = stat.get_double();
        if (!std::isfinite(value.number)) value.number = 0;
        break;
      case Varint(Stat::kUint64):
      case Varint(Stat::kInt64):
        value.number = static_cast<double>(stat.get_int64());
        break;
      case Bytes(Stat::kString):
        value.text = ViewOf(stat.get_view());
        break;
      case Varint(Stat::kReference):
        value.text = name_of(stat.get_int64());
        break;
      default:
        stat.skip();
    }
  }
  if (!name.empty()) stats[name] = value;
}

// Calls `read` with the key and the value of each entry of a map.
template <typename Value>
void ForEachEntry(PlaneMessage plane, Plane field, const auto& read) {
  while (plane.next(field, kBytes)) {
    int64_t key = 0;
    protozero::pbf_message<MapEntry> entry = plane.get_message();
    protozero::data_view value;
    while (entry.next()) {
      switch (entry.tag_and_type()) {
        case Varint(MapEntry::kKey):
          key = entry.get_int64();
          break;
        case Bytes(MapEntry::kValue):
          value = entry.get_view();
          break;
        default:
          entry.skip();
      }
    }
    read(key, protozero::pbf_message<Value>(value));
  }
}

Tables ReadTables(const PlaneMessage& plane) {
  Tables tables;
  ForEachEntry<StatMetadata>(plane, Plane::kStatMetadata, [&](int64_t id, protozero::pbf_message<StatMetadata> value) {
    while (value.next(StatMetadata::kName, kBytes)) tables.stats[id] = ViewOf(value.get_view());
  });
  ForEachEntry<EventMetadata>(plane, Plane::kEventMetadata,
                              [&](int64_t id, protozero::pbf_message<EventMetadata> value) {
                                Kind& kind = tables.events[id];
                                while (value.next()) {
                                  switch (value.tag_and_type()) {
                                    case Bytes(EventMetadata::kName):
                                      kind.name = ViewOf(value.get_view());
                                      break;
                                    case Bytes(EventMetadata::kDisplayName):
                                      kind.display = ViewOf(value.get_view());
                                      break;
                                    case Bytes(EventMetadata::kStats):
                                      ReadStat(value.get_message(), tables.stats, kind.stats);
                                      break;
                                    default:
                                      value.skip();
                                  }
                                }
                              });
  return tables;
}

// Returns nullopt for an event that is no instruction. `all` says that every event of the line is one.
Expected<std::optional<Placed>> ReadEvent(protozero::pbf_message<Event> event, const LineHead& line,
                                          const Tables& tables, int64_t device, bool all) {
  int64_t offset_ps = 0, duration_ps = 0;
  Kind kind;
  Stats stats;
  while (event.next()) {
    switch (event.tag_and_type()) {
      case Varint(Event::kMetadataId): {
        const auto found = tables.events.find(event.get_int64());
        if (found != tables.events.end()) kind = found->second;
        break;
      }
      case Varint(Event::kOffsetPs):
        offset_ps = event.get_int64();
        break;
      case Varint(Event::kDurationPs):
        duration_ps = event.get_int64();
        break;
      case Bytes(Event::kStats):
        ReadStat(event.get_message(), tables.stats, stats);
        break;
      default:
        event.skip();
    }
  }
  stats.merge(kind.stats);
  const std::string_view op = stats["hlo_op"].text;
  if (op.empty() && !all) return std::nullopt;
  if (line.timestamp_ns < 0 || line.timestamp_ns > INT64_MAX / 2 || offset_ps < 0 || duration_ps < 0 ||
      duration_ps / kPsPerNs > kLongestNs) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the trace has an instruction of {} ps that begins {} ps after {} ns", duration_ps,
                                 offset_ps, line.timestamp_ns));
  }
  Placed placed{.start_ns = line.timestamp_ns + offset_ps / kPsPerNs, .rest_ps = offset_ps % kPsPerNs};
  constexpr double kMostDevices = 1 << 20;
  const double ordinal =
      stats.contains("device_ordinal") ? stats["device_ordinal"].number : static_cast<double>(device);
  placed.event = {.device = static_cast<int64_t>(std::clamp(ordinal, 0.0, kMostDevices)),
                  .track = std::string(line.name),
                  .name = std::string(!op.empty()             ? op
                                      : !kind.display.empty() ? kind.display
                                                              : kind.name),
                  .category = std::string(stats["hlo_category"].text),
                  .framework = std::string(stats["tf_op"].text),
                  .duration_ps = duration_ps,
                  .bytes = std::max(stats["bytes_accessed"].number, 0.0)};
  return placed;
}

bool IsOpLine(std::string_view name) { return std::ranges::find(kOpLines, name) != kOpLines.end(); }

Expected<void> ReadPlane(std::string_view name, const PlaneMessage& plane, std::vector<Placed>& found) {
  if (!IsDevice(name) && name != kHostPlane) return {};
  const Tables tables = ReadTables(plane);
  bool has_op_lines = false;
  for (PlaneMessage fields = plane; IsDevice(name) && fields.next(Plane::kLines, kBytes);) {
    has_op_lines |= IsOpLine(HeadOf(fields.get_message()).name);
  }
  int64_t device = 0;
  const std::string_view digits = name.substr(name.rfind(':') + 1);
  std::from_chars(digits.begin(), digits.end(), device);
  for (PlaneMessage fields = plane; fields.next(Plane::kLines, kBytes);) {
    protozero::pbf_message<Line> line = fields.get_message();
    const LineHead head = HeadOf(line);
    if (head.name == kExecutions || (has_op_lines && !IsOpLine(head.name))) continue;
    while (line.next(Line::kEvents, kBytes)) {
      Expected<std::optional<Placed>> event = ReadEvent(line.get_message(), head, tables, device, has_op_lines);
      if (!event) return Unexpected(event.error());
      if (!*event) continue;
      if (found.size() == kMostInstructions) {
        return MakeError(ExitCode::kBadInput,
                         fmt::format("the trace has more than {} instructions", kMostInstructions));
      }
      found.push_back(std::move(**event));
    }
  }
  return {};
}

// Leaves the instructions of the last execution, if the trace has executions of one device.
void KeepLastExecution(std::string_view bytes, std::vector<Placed>& found) {
  const Expected<std::vector<DeviceEvent>> executions = ReadExecutions(bytes);
  if (!executions || executions->empty()) return;
  const DeviceEvent& last = executions->back();
  std::erase_if(found, [&](const Placed& each) {
    return each.start_ns < last.start_ns || each.start_ns > last.start_ns + last.duration_ps / kPsPerNs;
  });
}

}  // namespace

Expected<std::vector<InstructionEvent>> ReadInstructions(std::string_view bytes) {
  Expected<std::vector<Placed>> found = ReadPlanes<std::vector<Placed>>(bytes, ReadPlane);
  if (!found) return Unexpected(found.error());
  KeepLastExecution(bytes, *found);
  if (found->empty()) return std::vector<InstructionEvent>();
  const auto [first, last] = std::ranges::minmax(*found, {}, &Placed::start_ns);
  const int64_t origin_ns = first.start_ns;
  if (last.start_ns - origin_ns > kLongestNs) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the trace has instructions that are {} ns apart", last.start_ns - origin_ns));
  }
  std::vector<InstructionEvent> events;
  events.reserve(found->size());
  for (Placed& each : *found) {
    each.event.start_ps = (each.start_ns - origin_ns) * kPsPerNs + each.rest_ps;
    events.push_back(std::move(each.event));
  }
  std::ranges::sort(events, [](const InstructionEvent& a, const InstructionEvent& b) {
    return std::pair(a.start_ps, -a.duration_ps) < std::pair(b.start_ps, -b.duration_ps);
  });
  const int64_t first_ps = events.front().start_ps;
  for (InstructionEvent& event : events) event.start_ps -= first_ps;
  return events;
}

}  // namespace opbyop::xspace
