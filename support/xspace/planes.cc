// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/planes.h"

#include <algorithm>
#include <cctype>

#include "support/wire_type.h"

namespace opbyop::xspace {

bool IsDevice(std::string_view plane) {
  constexpr std::string_view kPrefix = "/device:";
  if (!plane.starts_with(kPrefix)) return false;
  plane.remove_prefix(kPrefix.size());
  const size_t colon = plane.find(':');
  if (colon == 0 || colon == std::string_view::npos || plane.substr(0, colon) == "CUSTOM") return false;
  const std::string_view number = plane.substr(colon + 1);
  return !number.empty() && std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string_view NameOf(PlaneMessage plane) {
  std::string_view name;
  while (plane.next(Plane::kName, kBytes)) name = ViewOf(plane.get_view());
  return name;
}

LineHead HeadOf(protozero::pbf_message<Line> line) {
  LineHead head;
  while (line.next()) {
    switch (line.tag_and_type()) {
      case Bytes(Line::kName):
        head.name = ViewOf(line.get_view());
        break;
      case Varint(Line::kTimestampNs):
        head.timestamp_ns = line.get_int64();
        break;
      default:
        line.skip();
    }
  }
  return head;
}

}  // namespace opbyop::xspace
