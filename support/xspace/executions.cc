// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/executions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <protozero/pbf_message.hpp>
#include <string>

#include "support/wire_type.h"
#include "support/xspace/space_fields.h"

namespace opbyop::xspace {
namespace {

constexpr size_t kMostEvents = 1 << 20;
constexpr int64_t kLatestNs = INT64_MAX / 4;  // some seventy years; the sum of two such times still fits the type

Expected<DeviceEvent> ReadEvent(protozero::pbf_message<Event> event, int64_t line_ns) {
  int64_t offset_ps = 0, duration_ps = 0;
  bool is_sum = false;
  while (event.next()) {
    switch (event.tag_and_type()) {
      case Varint(Event::kOffsetPs):
        offset_ps = event.get_int64();
        break;
      case Varint(Event::kDurationPs):
        duration_ps = event.get_int64();
        break;
      case Varint(Event::kOccurrences):
        is_sum = event.get_int64() != 0;
        break;
      default:
        event.skip();
    }
  }
  if (is_sum) return MakeError(ExitCode::kBadInput, "the trace has executions as sums, without the time of each");
  if (line_ns < 0 || line_ns > kLatestNs || offset_ps < 0 || duration_ps <= 0 || duration_ps / kPsPerNs > kLatestNs) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the trace has an execution of {} ps that begins {} ps after {} ns", duration_ps,
                                 offset_ps, line_ns));
  }
  return DeviceEvent{line_ns + offset_ps / kPsPerNs, duration_ps};
}

// Adds the executions if the line holds executions. The name is read first, because a name may follow the events that
// it names.
Expected<void> ReadLine(protozero::pbf_message<Line> line, std::vector<DeviceEvent>& events) {
  std::string_view name;
  int64_t timestamp_ns = 0;
  for (protozero::pbf_message<Line> fields = line; fields.next();) {
    switch (fields.tag_and_type()) {
      case Bytes(Line::kName):
        name = ViewOf(fields.get_view());
        break;
      case Varint(Line::kTimestampNs):
        timestamp_ns = fields.get_int64();
        break;
      default:
        fields.skip();
    }
  }
  if (name != kExecutions) return {};
  while (line.next(Line::kEvents, kBytes)) {
    const Expected<DeviceEvent> event = ReadEvent(line.get_message(), timestamp_ns);
    if (!event) return Unexpected(event.error());
    if (events.size() == kMostEvents)
      return MakeError(ExitCode::kBadInput, fmt::format("the trace has more than {} executions", kMostEvents));
    events.push_back(*event);
  }
  return {};
}

Expected<std::vector<DeviceEvent>> ReadSpace(std::string_view bytes) {
  std::vector<DeviceEvent> events;
  std::string device;  // the device of the events
  protozero::pbf_message<Space> space(bytes.data(), bytes.size());
  while (space.next()) {
    if (space.tag_and_type() != Bytes(Space::kPlanes)) {
      space.skip();
      continue;
    }
    const protozero::pbf_message<Plane> plane = space.get_message();
    std::string_view name;
    for (protozero::pbf_message<Plane> fields = plane; fields.next(Plane::kName, kBytes);)
      name = ViewOf(fields.get_view());
    if (!IsDevice(name)) continue;
    const size_t before = events.size();
    for (protozero::pbf_message<Plane> fields = plane; fields.next(Plane::kLines, kBytes);) {
      if (const auto read = ReadLine(fields.get_message(), events); !read) return Unexpected(read.error());
    }
    if (events.size() == before) continue;
    if (!device.empty()) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("the trace has executions on two devices, {} and {}", device, name));
    }
    device = name;
  }
  std::ranges::sort(events, {}, &DeviceEvent::start_ns);
  return events;
}

Expected<std::vector<DeviceEvent>> TryToRead(std::string_view bytes) {
  try {
    return ReadSpace(bytes);
  } catch (const protozero::exception& error) {
    return MakeError(ExitCode::kBadInput, fmt::format("the data of the profiler is no trace: {}", error.what()));
  }
}

}  // namespace

bool IsDevice(std::string_view plane) {
  constexpr std::string_view kPrefix = "/device:";
  if (!plane.starts_with(kPrefix)) return false;
  plane.remove_prefix(kPrefix.size());
  const size_t colon = plane.find(':');
  if (colon == 0 || colon == std::string_view::npos || plane.substr(0, colon) == "CUSTOM") return false;
  const std::string_view number = plane.substr(colon + 1);
  return !number.empty() && std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; });
}

Expected<std::vector<DeviceEvent>> ReadExecutions(std::string_view bytes) {
  Expected<std::vector<DeviceEvent>> events = TryToRead(bytes);
  // The size that a plugin returns may include a zero byte after the trace.
  if (!events && bytes.ends_with('\0')) return TryToRead(bytes.substr(0, bytes.size() - 1));
  return events;
}

}  // namespace opbyop::xspace
