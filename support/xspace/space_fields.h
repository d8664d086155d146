// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fields of an XSpace (tensorflow.profiler.XSpace and its parts) by their numbers, and names that profilers give.
//
//   protozero::pbf_message<Space> space(bytes.data(), bytes.size());
//   while (space.next(Space::kPlanes, kBytes)) ...
#ifndef OPBYOP_SUPPORT_XSPACE_SPACE_FIELDS_H_
#define OPBYOP_SUPPORT_XSPACE_SPACE_FIELDS_H_

#include <protozero/pbf_message.hpp>
#include <string_view>

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

// Whether a plane is a device: "/device:TPU:0", but not "/device:CUSTOM:..." or "/device:TPU:0 SparseCore 1", which are
// parts of devices.
bool IsDevice(std::string_view plane);

}  // namespace opbyop::xspace

#endif  // OPBYOP_SUPPORT_XSPACE_SPACE_FIELDS_H_
