// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds XSpaces for tests, field by field.
//
//   std::string bytes = Plane("/device:TPU:0", Line("XLA Modules", 1000, {{.offset_ps = 5, .duration_ps = 7}}));
#ifndef OPBYOP_SUPPORT_XSPACE_TRACE_TESTING_H_
#define OPBYOP_SUPPORT_XSPACE_TRACE_TESTING_H_

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::xspace {

struct TestEvent {
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  int64_t occurrences = 0;
  int64_t metadata = 1;
  std::vector<std::string> stats;  // made by TextStat and NumberStat
};

// A field of an event or of its metadata: the stat whose name has the number `id`.
inline std::string StatOf(uint32_t field, int64_t id, const auto& add) {
  std::string stat;
  protozero::pbf_writer fields(stat);
  fields.add_int64(1, id);
  add(fields);
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(field, stat);
  return bytes;
}
inline std::string TextStat(uint32_t field, int64_t id, std::string_view text) {
  return StatOf(field, id, [&](auto& fields) { fields.add_string(5, text.data(), text.size()); });
}
inline std::string NumberStat(uint32_t field, int64_t id, int64_t number) {
  return StatOf(field, id, [&](auto& fields) { fields.add_int64(4, number); });
}

// A field of a plane: what the number `id` means, `field` 4 for events and 5 for stats.
inline std::string Metadata(uint32_t field, int64_t id, std::string_view name, const std::string& more = "") {
  std::string value;
  protozero::pbf_writer(value).add_string(2, name.data(), name.size());
  value += more;
  std::string entry;
  protozero::pbf_writer fields(entry);
  fields.add_int64(1, id);
  fields.add_message(2, value);
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(field, entry);
  return bytes;
}

// A field of a plane.
inline std::string Line(std::string_view name, int64_t timestamp_ns, const std::vector<TestEvent>& events) {
  std::string line;
  protozero::pbf_writer fields(line);
  fields.add_int64(3, timestamp_ns);
  for (const TestEvent& event : events) {
    std::string text;
    protozero::pbf_writer message(text);
    message.add_int64(1, event.metadata);
    message.add_int64(2, event.offset_ps);
    message.add_int64(3, event.duration_ps);
    if (event.occurrences > 0) message.add_int64(5, event.occurrences);
    for (const std::string& stat : event.stats) text += stat;
    fields.add_message(4, text);
  }
  fields.add_string(2, name.data(), name.size());
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(3, line);
  return bytes;
}

// A field of a space: planes joined together are a space.
inline std::string Plane(std::string_view name, const std::string& lines) {
  std::string plane;
  protozero::pbf_writer(plane).add_string(2, name.data(), name.size());
  plane += lines;
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(1, plane);
  return bytes;
}

}  // namespace opbyop::xspace

#endif  // OPBYOP_SUPPORT_XSPACE_TRACE_TESTING_H_
