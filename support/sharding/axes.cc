// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/axes.h"

#include <algorithm>

namespace opbyop {

Division WholeWhereOpen(const Sharding& sharding) {
  Division division;
  division.reserve(sharding.size());
  for (const std::optional<Axes>& axes : sharding) division.push_back(axes.value_or(Axes()));
  return division;
}

int64_t PartsOf(std::span<const Axis> axes) {
  int64_t parts = 1;
  for (const Axis& axis : axes) parts *= axis.size;
  return parts;
}

std::optional<int64_t> DeviceCount(std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || size > kMostDevices / count) return std::nullopt;
    count *= size;
  }
  return count;
}

bool Overlap(std::span<const Axis> a, std::span<const Axis> b) {
  return std::ranges::any_of(a, [&](const Axis& one) {
    return std::ranges::any_of(b, [&](const Axis& other) { return one.Overlaps(other); });
  });
}

bool IsWhole(const Division& division) {
  return std::ranges::all_of(division, [](const Axes& axes) { return axes.empty(); });
}

void AppendAxis(Axes& axes, Axis axis) {
  if (axis.size == 1) return;
  if (!axes.empty() && axes.back().stride == axis.stride * axis.size) {
    axes.back() = {axis.stride, axes.back().size * axis.size};
  } else {
    axes.push_back(axis);
  }
}

int64_t PartOf(std::span<const Axis> axes, int64_t device) {
  int64_t part = 0;
  for (const Axis& axis : axes) part = part * axis.size + device / axis.stride % axis.size;
  return part;
}

std::vector<std::vector<int64_t>> GroupsAlong(std::span<const Axis> axes, int64_t devices) {
  std::vector<std::vector<int64_t>> groups;
  for (int64_t first = 0; first < devices; ++first) {
    if (PartOf(axes, first) != 0) continue;
    std::vector<int64_t>& group = groups.emplace_back(1, first);
    for (const Axis& axis : axes) {
      std::vector<int64_t> finer;
      for (const int64_t device : group) {
        for (int64_t digit = 0; digit < axis.size; ++digit) finer.push_back(device + digit * axis.stride);
      }
      group = std::move(finer);
    }
  }
  return groups;
}

}  // namespace opbyop
