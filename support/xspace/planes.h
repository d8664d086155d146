// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Walks over the planes of an XSpace (tensorflow.profiler.XSpace), which come from a profiler and are untrusted.
//
//   Expected<Found> found = ReadPlanes<Found>(bytes, [](std::string_view name, PlaneMessage plane, Found& found) {
//     if (!IsDevice(name)) return Expected<void>();
//     while (plane.next(Plane::kLines, kBytes)) ... HeadOf(plane.get_message()).timestamp_ns ...
//     return Expected<void>();
//   });
#ifndef OPBYOP_SUPPORT_XSPACE_PLANES_H_
#define OPBYOP_SUPPORT_XSPACE_PLANES_H_

#include <fmt/format.h>

#include <cstdint>
#include <protozero/pbf_message.hpp>
#include <string_view>

#include "support/expected.h"

namespace opbyop::xspace {

enum class Space : protozero::pbf_tag_type { kPlanes = 1 };
enum class Plane : protozero::pbf_tag_type { kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5 };
enum class Line : protozero::pbf_tag_type { kName = 2, kTimestampNs = 3, kEvents = 4 };
enum class Event : protozero::pbf_tag_type {
  kMetadataId = 1,
  kOffsetPs = 2,
  kDurationPs = 3,
  kStats = 4,
  kOccurrences = 5
};
enum class Stat : protozero::pbf_tag_type {
  kMetadataId = 1,
  kDouble = 2,
  kUint64 = 3,
  kInt64 = 4,
  kString = 5,
  kReference = 7  // the name of another kind of stat
};
enum class MapEntry : protozero::pbf_tag_type { kKey = 1, kValue = 2 };
enum class EventMetadata : protozero::pbf_tag_type { kName = 2, kDisplayName = 4, kStats = 5 };
enum class StatMetadata : protozero::pbf_tag_type { kName = 2 };

// The line of a device's plane with an event for each execution of a program.
inline constexpr std::string_view kExecutions = "XLA Modules";

inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

inline std::string_view ViewOf(const protozero::data_view& view) { return {view.data(), view.size()}; }

using PlaneMessage = protozero::pbf_message<Plane>;

// Whether a plane is a device: "/device:TPU:0", but not "/device:CUSTOM:..." or "/device:TPU:0 SparseCore 1", which are
// parts of devices.
bool IsDevice(std::string_view plane);

std::string_view NameOf(PlaneMessage plane);

// The fields of a line that apply to all of its events, and may follow them.
struct LineHead {
  std::string_view name;
  int64_t timestamp_ns = 0;
};
LineHead HeadOf(protozero::pbf_message<Line> line);

// Calls `read` with the name of each plane, the plane and what was found so far, until it returns an error. Returns
// kBadInput if the bytes are no XSpace. They may have a zero byte behind them, which some plugins count.
template <typename Found>
Expected<Found> ReadPlanes(std::string_view bytes, const auto& read) {
  const auto try_to = [&](std::string_view space_bytes) -> Expected<Found> {
    try {
      Found found;
      protozero::pbf_message<Space> space(space_bytes.data(), space_bytes.size());
      while (space.next(Space::kPlanes, kBytes)) {
        const PlaneMessage plane = space.get_message();
        if (const Expected<void> done = read(NameOf(plane), plane, found); !done) return Unexpected(done.error());
      }
      return found;
    } catch (const protozero::exception& error) {
      return MakeError(ExitCode::kBadInput, fmt::format("the data of the profiler is no trace: {}", error.what()));
    }
  };
  Expected<Found> found = try_to(bytes);
  if (!found && bytes.ends_with('\0')) return try_to(bytes.substr(0, bytes.size() - 1));
  return found;
}

}  // namespace opbyop::xspace

#endif  // OPBYOP_SUPPORT_XSPACE_PLANES_H_
