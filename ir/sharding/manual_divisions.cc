// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/manual_divisions.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "ir/sharding/read_sharding.h"
#include "llvm/ADT/STLExtras.h"
#include "support/sharding/shards.h"

namespace opbyop {
namespace {

Expected<std::vector<Division>> DivisionsOf(sdy::TensorShardingPerValueAttr shardings, mlir::TypeRange types,
                                            mlir::Operation* op) {
  std::vector<Division> divisions;
  divisions.reserve(types.size());
  for (const auto [sharding, type] : llvm::zip_equal(shardings.getShardings(), types)) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) {
      return MakeError(ExitCode::kUnsupported, "a value of a manual computation is no static tensor");
    }
    const Expected<Sharding> read = ReadSharding(sharding, static_cast<size_t>(tensor.getRank()), op);
    if (!read) return Unexpected(read.error());
    if (!DividesEvenly(tensor.getShape(), divisions.emplace_back(WholeWhereOpen(*read)))) {
      return MakeError(ExitCode::kUnsupported, "a value of a manual computation has parts of several sizes");
    }
  }
  return divisions;
}

}  // namespace

Expected<ManualDivisions> DivisionsOf(sdy::ManualComputationOp op) {
  const llvm::SmallVector<sdy::MeshAttr> meshes = sdy::MeshesOf(op);
  ManualDivisions manual;
  for (const sdy::MeshAttr mesh : meshes) {
    if (!mesh) return MakeError(ExitCode::kUnsupported, "no mesh of the manual computation has this name");
    if (!mesh.getDeviceIds().empty()) {
      return MakeError(ExitCode::kUnsupported, "the mesh of a manual computation lists its devices");
    }
    manual.devices = std::max(manual.devices, mesh.Size());
  }
  int64_t along_manual = 1;
  for (const mlir::StringAttr axis : op.getManualAxes().getValue()) {
    int64_t size = 1;
    for (sdy::MeshAttr mesh : meshes) size = std::max(size, mesh.AxisSize(axis));
    along_manual *= size;
  }
  // Along axes of one device the part of a device is the whole value, so that they need not be manual.
  if (along_manual != manual.devices) {
    return MakeError(
        ExitCode::kUnsupported,
        fmt::format("a manual computation over {} of {} devices: the others are along axes that are not manual",
                    along_manual, manual.devices));
  }
  Expected<std::vector<Division>> operands = DivisionsOf(op.getInShardings(), op.getTensors().getTypes(), op);
  if (!operands) return Unexpected(operands.error());
  Expected<std::vector<Division>> results = DivisionsOf(op.getOutShardings(), op.getResultTypes(), op);
  if (!results) return Unexpected(results.error());
  manual.operands = std::move(*operands);
  manual.results = std::move(*results);
  return manual;
}

}  // namespace opbyop
