// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a tensor is divided over the devices of a mesh, in one form for all spellings: `sdy.sharding` and `mhlo.sharding`.
//
//   // x: 2 devices, y: 4 devices; tensor<16x8xf32> with [{"x"}, {"y"}]
//   Expected<Sharding> s = ReadSharding(attribute, 2, op);   // {{{.stride = 4, .size = 2}}, {{.stride = 1, .size = 4}}}
//   PartsOf(*(*s)[1]);                                       // 4
//
// An axis is a digit of the device's number in the mesh: its place value and its base. So axes have no names, two
// meshes of one shape are one, and neighbouring axes that shard one dimension are one axis.
#ifndef OPBYOP_GENERATOR_SHARD_AXES_H_
#define OPBYOP_GENERATOR_SHARD_AXES_H_

#include <cstdint>
#include <optional>

#include "ir/sdy/sdy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Value.h"
#include "support/expected.h"

namespace opbyop::generator {

struct Axis {
  int64_t stride = 1;  // devices between neighbours along the axis
  int64_t size = 1;

  bool Overlaps(const Axis& other) const { return stride < other.stride * other.size && other.stride < stride * size; }
  friend bool operator==(const Axis&, const Axis&) = default;
};

// The axes over which a dimension is divided, major first; empty: every device has all of it.
using Axes = llvm::SmallVector<Axis, 2>;

int64_t PartsOf(llvm::ArrayRef<Axis> axes);
bool Overlap(llvm::ArrayRef<Axis> a, llvm::ArrayRef<Axis> b);

// One entry for each dimension; nullopt: propagation decides.
using Sharding = llvm::SmallVector<std::optional<Axes>, 4>;

// Reads the sharding of a tensor of `rank` dimensions; `op` is any op that sees the mesh. Returns kUnsupported for a mesh
// or an axis that is unknown or too large.
Expected<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, size_t rank, mlir::Operation* op);

// The same for a text of `mhlo.sharding`: "{devices=[2,4]<=[8]}", "{replicated}". Empty if it says nothing: "{manual}".
// Returns kUnsupported if the text is not understood.
Expected<Sharding> ReadSharding(llvm::StringRef text, size_t rank);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SHARD_AXES_H_
