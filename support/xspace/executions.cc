// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/executions.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_message.hpp>
#include <string_view>
#include <utility>

#include "support/wire_type.h"
#include "support/xspace/planes.h"

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

// Adds the executions if the line holds executions.
Expected<void> ReadLine(protozero::pbf_message<Line> line, std::vector<DeviceEvent>& events) {
  const LineHead head = HeadOf(line);
  if (head.name != kExecutions) return {};
  while (line.next(Line::kEvents, kBytes)) {
    const Expected<DeviceEvent> event = ReadEvent(line.get_message(), head.timestamp_ns);
    if (!event) return Unexpected(event.error());
    if (events.size() == kMostEvents)
      return MakeError(ExitCode::kBadInput, fmt::format("the trace has more than {} executions", kMostEvents));
    events.push_back(*event);
  }
  return {};
}

struct Executions {
  std::string_view device;
  std::vector<DeviceEvent> events;
};

Expected<void> ReadDevice(std::string_view name, PlaneMessage plane, Executions& found) {
  if (!IsDevice(name)) return {};
  const size_t before = found.events.size();
  while (plane.next(Plane::kLines, kBytes)) {
    if (const auto read = ReadLine(plane.get_message(), found.events); !read) return read;
  }
  if (found.events.size() == before) return {};
  if (!found.device.empty()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the trace has executions on two devices, {} and {}", found.device, name));
  }
  found.device = name;
  return {};
}

}  // namespace

Expected<std::vector<DeviceEvent>> ReadExecutions(std::string_view bytes) {
  Expected<Executions> found = ReadPlanes<Executions>(bytes, ReadDevice);
  if (!found) return Unexpected(found.error());
  std::ranges::sort(found->events, {}, &DeviceEvent::start_ns);
  return std::move(found->events);
}

}  // namespace opbyop::xspace
