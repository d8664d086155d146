// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sdy ops. Most of them only say on which devices the parts of a value are, and are identities on the whole value. A
// manual computation runs on a grid with a process for each device of its mesh. Shardy's collectives, whose operand is
// the whole value, are evaluated only for meshes of one device.
#include "reference/eval/ops/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ir/sdy/sdy.h"
#include "ir/sharding/manual_divisions.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/run_on_grid.h"
#include "support/sharding/axes.h"
#include "support/sharding/shards.h"

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

// Where the part of a device is in a whole tensor.
struct PartPlace {
  Shape shape, strides;  // of the part; strides are those of the whole tensor
  int64_t base = 0;
};

PartPlace PlaceOfPart(const Shape& whole, const Division& division, int64_t device) {
  PartPlace place{.shape = ShardShape(whole, division), .strides = StridesOf(whole)};
  for (size_t i = 0; i < whole.size(); ++i) {
    place.base += PartOf(division[i], device) * place.shape[i] * place.strides[i];
  }
  return place;
}

// Joins the parts of all devices. Devices that have the same part must have the same numbers.
Expected<Tensor> Joined(OpContext& context, const std::vector<Values>& of_devices, size_t result,
                        const Division& division) {
  const Expected<Shape> shape = context.ResultShape(static_cast<unsigned>(result));
  if (!shape) return Unexpected(shape.error());
  Move move(of_devices[0][result].tensor().type(), *shape);
  Provenance provenance;
  std::map<int64_t, size_t> owners;  // the first device that has the part at this base
  for (size_t device = 0; device < of_devices.size(); ++device) {
    const Tensor& part = of_devices[device][result].tensor();
    const PartPlace place = PlaceOfPart(*shape, division, static_cast<int64_t>(device));
    provenance.Add(part.provenance());
    const auto [owner, is_first] = owners.try_emplace(place.base, device);
    if (is_first) {
      move.Copy(part, place.shape, StridesOf(place.shape), 0, place.strides, place.base);
    } else if (TensorToBytes(part) != TensorToBytes(of_devices[owner->second][result].tensor())) {
      return context.Unsupported(
          fmt::format("result {}, whose sharding says that devices {} and {} have one value, "
                      "and they compute two",
                      result, owner->second, device));
    }
  }
  Tensor joined = move.Take();
  joined.set_provenance(provenance);
  return joined;
}

Expected<Values> ManualComputation(OpContext& context) {
  auto op = llvm::cast<sdy::ManualComputationOp>(context.op);
  const Expected<ManualDivisions> manual = DivisionsOf(op);
  if (!manual) return context.Fail(manual.error().code, manual.error().message);
  if (manual->devices == 1) return Body(context);
  if (!context.evaluator.process().grid->alone()) return context.Unsupported("inside a grid of processes, it");
  std::vector<ProcessProgram> programs;
  programs.reserve(static_cast<size_t>(manual->devices));
  for (int64_t device = 0; device < manual->devices; ++device) {
    Values parts;
    for (size_t i = 0; i < context.size(); ++i) {
      PartPlace place = PlaceOfPart(context.in(i).shape(), manual->operands[i], device);
      Tensor part = StridedView(context.in(i), std::move(place.shape), place.strides, place.base);
      part.set_provenance(context.in(i).provenance());
      parts.emplace_back(std::move(part));
    }
    programs.emplace_back([op, parts = std::move(parts)](Evaluator& evaluator) mutable {
      return evaluator.Run(op.getBody(), std::move(parts), nullptr);
    });
  }
  const Expected<std::vector<Values>> each =
      RunOnGrid(std::make_shared<RunningGrid>(1, manual->devices), context.evaluator.module(),
                context.evaluator.options(), std::move(programs));
  if (!each) return Unexpected(each.error());
  Values results;
  for (size_t i = 0; i < manual->results.size(); ++i) {
    Expected<Tensor> joined = Joined(context, *each, i, manual->results[i]);
    if (!joined) return Unexpected(joined.error());
    results.emplace_back(std::move(*joined));
  }
  return results;
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
