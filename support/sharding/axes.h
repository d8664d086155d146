// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a tensor is divided over devices, in one form for all spellings.
//
//   // x: 2 devices, y: 4 devices; tensor<16x8xf32> with [{"x"}, {"y"}]
//   Division division = {{{.stride = 4, .size = 2}}, {{.stride = 1, .size = 4}}};
//   PartsOf(division[1]);    // 4
//
// An axis is a digit of the device's number: its place value and its base. So axes have no names, two meshes of one
// shape are one, and neighbouring axes that divide one dimension are one axis.
#ifndef OPBYOP_SUPPORT_SHARDING_AXES_H_
#define OPBYOP_SUPPORT_SHARDING_AXES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opbyop {

// No program runs on more devices.
inline constexpr int64_t kMostDevices = int64_t{1} << 16;

struct Axis {
  int64_t stride = 1;  // devices between neighbours along the axis
  int64_t size = 1;

  bool Overlaps(const Axis& other) const { return stride < other.stride * other.size && other.stride < stride * size; }
  friend bool operator==(const Axis&, const Axis&) = default;
};

// The axes over which a dimension is divided, major first; empty: every device has all of it.
using Axes = std::vector<Axis>;

// One entry for each dimension of a tensor.
using Division = std::vector<Axes>;

// A division as a program states it; nullopt: the dimension is left to propagation.
using Sharding = std::vector<std::optional<Axes>>;

// A dimension that is left to propagation is whole.
Division WholeWhereOpen(const Sharding& sharding);

int64_t PartsOf(std::span<const Axis> axes);

// The devices of a mesh with axes of these sizes; nullopt if a size is 0 or less, or if there are too many.
std::optional<int64_t> DeviceCount(std::span<const int64_t> sizes);

bool Overlap(std::span<const Axis> a, std::span<const Axis> b);

// True if no dimension has parts.
bool IsWhole(const Division& division);

// Adds a minor axis. It continues the last one if both are neighbouring digits of the device's number.
void AppendAxis(Axes& axes, Axis axis);

// The number of the part that a device has of a dimension divided by these axes, from 0.
int64_t PartOf(std::span<const Axis> axes, int64_t device);

// The devices of each group whose members differ in these axes only, in the order of the parts that they have. Every
// one of `devices` is in one group.
std::vector<std::vector<int64_t>> GroupsAlong(std::span<const Axis> axes, int64_t devices);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHARDING_AXES_H_
