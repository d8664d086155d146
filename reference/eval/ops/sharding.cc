// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sdy ops. Most of them only say on which devices the parts of a value are, and are identities on the whole value.
// Computations written per device (manual computations, collectives) are evaluated only for meshes of one device.
#include "reference/eval/ops/sharding.h"

#include <fmt/format.h>

#include "ir/sdy/sdy.h"

namespace opbyop::reference {
namespace {

Expected<Values> Identity(OpContext& context) { return std::move(context.operands); }
Expected<Values> Nothing(OpContext&) { return Values(); }

Expected<Values> Body(OpContext& context) {
  return context.evaluator.Run(context.op->getRegion(0), std::move(context.operands), context.scope);
}

// Returns the number of devices of the largest mesh that the op names, or 0 if one of the meshes is not defined.
int64_t DevicesOf(mlir::Operation* op) {
  int64_t devices = 1;
  for (sdy::MeshAttr mesh : sdy::MeshesOf(op)) {
    if (!mesh) return 0;
    devices = std::max(devices, mesh.Size());
  }
  return devices;
}

Expected<Values> Collective(OpContext& context) {
  const int64_t devices = DevicesOf(context.op);
  if (devices == 1) return std::move(context.operands);
  return context.Unsupported(fmt::format("{} between {} devices; the reference is one device", context.name, devices));
}

// Along axes of size 1 the part of a device is the whole value.
Expected<Values> ManualComputation(OpContext& context) {
  auto op = llvm::cast<sdy::ManualComputationOp>(context.op);
  int64_t devices = 1;
  for (mlir::StringAttr axis : op.getManualAxes().getValue()) {
    int64_t size = 1;
    for (sdy::MeshAttr mesh : sdy::MeshesOf(op)) size = std::max(size, mesh.AxisSize(axis));
    devices *= size;
  }
  if (devices == 1) return Body(context);
  return context.Unsupported(
      fmt::format("sdy.manual_computation over {} devices; the reference is one device", devices));
}

}  // namespace

void AddSharding(EvalTableType& table) {
  for (llvm::StringRef name : {"sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier",
                               "sdy.data_flow_edge", "sdy.func_data_flow_edge"}) {
    table[name] = &Identity;
  }
  for (llvm::StringRef name :
       {"sdy.all_gather", "sdy.all_slice", "sdy.all_reduce", "sdy.reduce_scatter", "sdy.all_to_all",
        "sdy.collective_permute", "sdy.replicated_to_unreduced", "sdy.sharded_to_unreduced"}) {
    table[name] = &Collective;
  }
  table["sdy.sharding_group"] = &Nothing;
  table["sdy.named_computation"] = &Body;
  table["sdy.manual_computation"] = &ManualComputation;
}

}  // namespace opbyop::reference
