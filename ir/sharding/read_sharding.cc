// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/read_sharding.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace opbyop {
namespace {

std::optional<Axis> AxisOf(sdy::AxisRefAttr reference, sdy::MeshAttr mesh) {
  int64_t stride = 1;
  for (const sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    if (axis.getName() != reference.getName()) {
      stride *= axis.getSize();
      continue;
    }
    const sdy::SubAxisInfoAttr part = reference.getSubAxisInfo();
    if (!part) return Axis{stride, axis.getSize()};
    return Axis{stride * (axis.getSize() / (part.getPreSize() * part.getSize())), part.getSize()};
  }
  return std::nullopt;
}

}  // namespace

Expected<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, size_t rank, mlir::Operation* op) {
  const auto bad = [&](std::string_view why) {
    std::string text;
    llvm::raw_string_ostream(text) << sharding;
    return MakeError(ExitCode::kUnsupported, fmt::format("{} is not understood: {}", text, why));
  };
  const sdy::MeshAttr mesh = sharding.MeshFor(op);
  if (!mesh) return bad("no mesh has this name");
  if (mesh.IsMaximal()) return Sharding(rank, Axes());
  if (sharding.getDimShardings().size() != rank) return bad(fmt::format("the tensor has rank {}", rank));
  std::vector<int64_t> sizes;
  sizes.reserve(mesh.getAxes().size());
  for (const sdy::MeshAxisAttr axis : mesh.getAxes()) sizes.push_back(axis.getSize());
  if (!DeviceCount(sizes)) return bad(fmt::format("its mesh has not 1 to {} devices", kMostDevices));
  Sharding read(rank);
  for (const auto [dimension, stated] : llvm::zip(read, sharding.getDimShardings())) {
    if (!stated.getIsClosed() && stated.getAxes().empty()) continue;
    dimension.emplace();
    for (const sdy::AxisRefAttr reference : stated.getAxes()) {
      const std::optional<Axis> axis = AxisOf(reference, mesh);
      if (!axis) return bad(fmt::format("its mesh has no axis {}", std::string_view(reference.getName())));
      AppendAxis(*dimension, *axis);
    }
  }
  return read;
}

bool StatesSharding(mlir::Operation* op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  return mlir::isa<sdy::ShardingConstraintOp>(op) || (call && call.getCallTargetName() == "Sharding");
}

}  // namespace opbyop
