// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/replica_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop {
namespace {

struct NamedAxis {
  std::string name;
  int64_t size;
};

struct MeshOf {
  std::vector<NamedAxis> axes;
  std::vector<int64_t> devices;  // device ids in row-major order of the coordinates
};

// A dimension of the device grid after every axis has been cut at the ends of its sub-axes.
struct Piece {
  std::string axis;
  int64_t pre_size;  // product of the sizes before it in its axis
  int64_t size;
};

// Fills in the device ids 0, 1, ... if the mesh lists none, and checks that the counts agree.
Expected<MeshOf> Completed(MeshOf mesh) {
  int64_t count = 1;
  for (const NamedAxis& axis : mesh.axes) {
    if (axis.size <= 0) {
      return MakeError(ExitCode::kBadInput, fmt::format("mesh axis '{}' has no positive size", axis.name));
    }
    count *= axis.size;
  }
  if (mesh.devices.empty()) {
    mesh.devices.resize(static_cast<size_t>(count));
    std::iota(mesh.devices.begin(), mesh.devices.end(), int64_t{0});
  }
  if (static_cast<int64_t>(mesh.devices.size()) != count) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the mesh has {} places and {} device ids", count, mesh.devices.size()));
  }
  return mesh;
}

Expected<MeshOf> ReadMesh(mlir::Operation* op, mlir::Attribute attribute) {
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(attribute)) {
    mlir::Operation* found = mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol);
    if (found == nullptr) {
      return MakeError(ExitCode::kBadInput, fmt::format("the module has no mesh @{}", symbol.getValue().str()));
    }
    if (auto definition = llvm::dyn_cast<sdy::MeshOp>(found)) {
      MeshOf out;
      for (const sdy::MeshAxisAttr axis : definition.getMesh().getAxes()) {
        out.axes.push_back({axis.getName().str(), axis.getSize()});
      }
      out.devices = definition.getMesh().getDeviceIds().vec();
      return Completed(std::move(out));
    }
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: mesh @{} is defined by {}, which says nothing about its axes",
                                 symbol.getValue().str(), found->getName().getStringRef().str()));
  }
  auto mesh = llvm::dyn_cast<stablehlo::MeshAttr>(attribute);
  if (!mesh) return MakeError(ExitCode::kBadInput, "replica_groups do not name a mesh");
  MeshOf out;
  for (const mlir::Attribute entry : mesh.getAxes()) {
    auto axis = llvm::dyn_cast<stablehlo::MeshAxisAttr>(entry);
    if (!axis) return MakeError(ExitCode::kBadInput, "an entry of the mesh is not an axis");
    out.axes.push_back({axis.getName().str(), axis.getSize()});
  }
  if (mesh.getDeviceIds()) {
    for (const llvm::APInt& id : mesh.getDeviceIds().getValues<llvm::APInt>()) out.devices.push_back(id.getSExtValue());
  }
  return Completed(std::move(out));
}

Expected<IdGroups> GroupsOfAxes(mlir::Operation* op, stablehlo::ReplicaGroupMeshAxesAttr named) {
  const Expected<MeshOf> mesh = ReadMesh(op, named.getMesh());
  if (!mesh) return Unexpected(mesh.error());
  std::vector<stablehlo::AxisRefAttr> references;
  for (const mlir::Attribute entry : named.getAxes()) {
    auto reference = llvm::dyn_cast<stablehlo::AxisRefAttr>(entry);
    if (!reference) return MakeError(ExitCode::kBadInput, "an entry of replica_groups is not an axis reference");
    references.push_back(reference);
  }
  std::vector<Piece> pieces;
  for (const NamedAxis& axis : mesh->axes) {
    std::set<int64_t> cuts = {1, axis.size};
    for (const auto& reference : references) {
      if (reference.getName().getValue() != axis.name || !reference.getSubAxisInfo()) continue;
      cuts.insert(reference.getSubAxisInfo().getPreSize());
      cuts.insert(reference.getSubAxisInfo().getPreSize() * reference.getSubAxisInfo().getSize());
    }
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      const int64_t next = *std::next(cut);
      if (*cut <= 0 || next % *cut != 0 || next > axis.size) {
        return MakeError(ExitCode::kBadInput,
                         fmt::format("the sub-axes of '{}' do not divide its size {}", axis.name, axis.size));
      }
      pieces.push_back({axis.name, *cut, next / *cut});
    }
  }
  std::vector<int64_t> strides(pieces.size());  // row-major
  int64_t places = 1;
  for (size_t p = pieces.size(); p-- > 0; places *= pieces[p].size) strides[p] = places;
  // Splits the pieces into those that vary inside a group, in the order in which the axes are named, and the others.
  std::vector<size_t> inside;
  for (const auto& reference : references) {
    const auto sub = reference.getSubAxisInfo();
    const size_t before = inside.size();
    bool known = false;
    for (size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].axis != reference.getName().getValue()) continue;
      known = true;
      if (sub && (pieces[p].pre_size < sub.getPreSize() || pieces[p].pre_size >= sub.getPreSize() * sub.getSize())) {
        continue;
      }
      inside.push_back(p);
    }
    const auto is_axis = [&](const NamedAxis& axis) { return axis.name == reference.getName().getValue(); };
    known = known || std::ranges::any_of(mesh->axes, is_axis);  // an axis of size one has no pieces
    if (!known && before == inside.size()) {
      return MakeError(ExitCode::kBadInput, fmt::format("the mesh has no axis '{}'", reference.getName().str()));
    }
  }
  std::vector<size_t> outside;
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (std::ranges::find(inside, p) == inside.end()) outside.push_back(p);
  }
  const auto offsets = [&](const std::vector<size_t>& chosen) {
    std::vector<int64_t> out = {0};
    for (const size_t p : chosen) {
      std::vector<int64_t> next;
      for (const int64_t base : out) {
        for (int64_t i = 0; i < pieces[p].size; ++i) next.push_back(base + i * strides[p]);
      }
      out = std::move(next);
    }
    return out;
  };
  IdGroups groups;
  for (const int64_t base : offsets(outside)) {
    std::vector<int64_t>& group = groups.emplace_back();
    for (const int64_t step : offsets(inside)) group.push_back(mesh->devices[static_cast<size_t>(base + step)]);
  }
  return groups;
}

}  // namespace

GroupIds GroupIdsOf(mlir::Operation* op) {
  const auto handle = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  if (!handle || handle.getHandle() <= 0) return GroupIds::kReplicas;
  if (op->hasAttr("use_global_device_ids")) return GroupIds::kProcesses;
  return llvm::isa<stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
                   stablehlo::CollectiveReduceOp>(op)
             ? GroupIds::kPartitions
             : GroupIds::kReplicasOfPartitions;
}

IdGroups RowsOf(mlir::Operation* op, llvm::StringRef attribute) {
  IdGroups rows;
  const auto elements = op->getAttrOfType<mlir::DenseIntElementsAttr>(attribute);
  if (!elements || elements.getType().getRank() != 2) return rows;
  const int64_t width = elements.getType().getDimSize(1);
  for (const llvm::APInt& v : elements.getValues<llvm::APInt>()) {
    if (rows.empty() || static_cast<int64_t>(rows.back().size()) == width) rows.emplace_back();
    rows.back().push_back(v.getSExtValue());
  }
  return rows;
}

Expected<IdGroups> ReplicaGroupsOf(mlir::Operation* op) {
  if (const auto named = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>("replica_groups")) {
    return GroupsOfAxes(op, named);
  }
  return RowsOf(op, "replica_groups");
}

}  // namespace opbyop
