// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/wire_bytes.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace opbyop::chained {
namespace {

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// The product of the sizes that the mesh gives the axes: "mesh['x'=4,'y'=2] {'y'}".
int64_t SizeOfAxes(std::string_view text) {
  const size_t mesh_end = text.find(']');
  const size_t axes = text.find('{', std::min(mesh_end, text.size()));
  if (axes == std::string_view::npos) return 0;
  const std::string_view mesh = text.substr(0, mesh_end);
  std::string_view names = text.substr(axes, text.find('}', axes) - axes);
  int64_t size = 1;
  for (size_t quote = names.find('\''); quote != std::string_view::npos; quote = names.find('\'')) {
    names.remove_prefix(quote);
    const size_t end = names.find('\'', 1);
    if (end == std::string_view::npos) return 0;
    const std::string_view name = names.substr(0, end + 1);  // with its quotes
    const size_t place = mesh.find(name);
    const size_t digits = place + name.size() + 1;
    const std::optional<int64_t> own =
        place == std::string_view::npos || digits > mesh.size() ? std::nullopt : NumberAt(mesh.substr(digits));
    // A part of an axis, "'y':(1)2", has another size.
    if (!own || (names.size() > end + 1 && names[end + 1] == ':')) return 0;
    size *= *own;
    names.remove_prefix(end + 1);
  }
  return size;
}

}  // namespace

double WireBytes(std::string_view opcode, double bytes, int64_t group) {
  if (group < 2) return 0;
  const auto others = static_cast<double>(group - 1);
  const double of_others = bytes * others / static_cast<double>(group);
  if (opcode.ends_with("-start")) opcode.remove_suffix(std::string_view("-start").size());
  if (opcode == "all-reduce") return 2 * of_others;
  if (opcode == "all-gather" || opcode == "all-to-all" || opcode == "ragged-all-to-all") return of_others;
  if (opcode == "reduce-scatter") return bytes * others;
  return opcode == "collective-permute" || opcode == "collective-broadcast" ? bytes : 0;
}

int64_t GroupSize(std::string_view attributes, int64_t devices) {
  if (attributes.find("source_target_pairs=") != std::string_view::npos) return devices;
  constexpr std::string_view kGroups = "replica_groups=";
  const size_t at = attributes.find(kGroups);
  if (at == std::string_view::npos) return 0;
  const std::string_view text = attributes.substr(at + kGroups.size());
  if (text.starts_with("{}")) return devices;
  if (text.starts_with("{{")) {
    const std::string_view first = text.substr(0, text.find('}'));
    return std::ranges::count(first, ',') + 1;
  }
  if (text.starts_with('[')) return NumberAt(text.substr(std::min(text.find(','), text.size() - 1) + 1)).value_or(0);
  return text.starts_with("mesh[") ? SizeOfAxes(text) : 0;
}

}  // namespace opbyop::chained
