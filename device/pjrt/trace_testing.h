// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds XSpaces for tests, field by field.
//
//   std::string bytes = Plane("/device:TPU:0", Line("XLA Modules", 1000, {{.offset_ps = 5, .duration_ps = 7}}));
#ifndef OPBYOP_DEVICE_PJRT_TRACE_TESTING_H_
#define OPBYOP_DEVICE_PJRT_TRACE_TESTING_H_

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::pjrt {

struct TestEvent {
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  int64_t occurrences = 0;
};

// A field of a plane.
inline std::string Line(std::string_view name, int64_t timestamp_ns, const std::vector<TestEvent>& events) {
  std::string line;
  protozero::pbf_writer fields(line);
  fields.add_int64(3, timestamp_ns);
  for (const TestEvent& event : events) {
    protozero::pbf_writer message(fields, 4);
    message.add_int64(1, 1);
    message.add_int64(2, event.offset_ps);
    message.add_int64(3, event.duration_ps);
    if (event.occurrences > 0) message.add_int64(5, event.occurrences);
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

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_TRACE_TESTING_H_
