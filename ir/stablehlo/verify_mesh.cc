// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks replica groups that name axes of a mesh.
#include "ir/stablehlo/verify.h"
#include "llvm/ADT/StringSet.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

namespace {

LogicalResult VerifyMesh(const Site& site, MeshAttr mesh, llvm::StringMap<int64_t>& sizes) {
  int64_t devices = 1;
  for (mlir::Attribute attribute : mesh.getAxes()) {
    auto axis = dyn_cast<MeshAxisAttr>(attribute);
    if (!axis) return site.emitOpError() << "expects mesh axes, but got " << attribute;
    if (axis.getSize() < 1)
      return site.emitOpError() << "expects mesh axis '" << axis.getName().getValue() << "' of positive size, but got "
                                << axis.getSize();
    if (!sizes.try_emplace(axis.getName().getValue(), axis.getSize()).second)
      return site.emitOpError() << "has mesh axis '" << axis.getName().getValue() << "' twice";
    if (llvm::MulOverflow(devices, axis.getSize(), devices))
      return site.emitOpError() << "has a mesh of more devices than can be counted";
  }
  mlir::DenseIntElementsAttr ids = mesh.getDeviceIds();
  if (!ids) return success();
  if (ids.getNumElements() != devices)
    return site.emitOpError() << "expects one device id per place of the mesh, " << devices << ", but got "
                              << ids.getNumElements();
  llvm::SmallVector<int64_t> values;
  for (const llvm::APInt& id : ids.getValues<llvm::APInt>()) values.push_back(id.getSExtValue());
  for (int64_t id : values)
    if (id < 0) return site.emitOpError() << "has the negative device id " << id << " in its mesh";
  return VerifyUnique(site, "device ids of the mesh", values);
}

}  // namespace

LogicalResult VerifyMeshAxes(const Site& site, ReplicaGroupMeshAxesAttr groups) {
  auto mesh = dyn_cast<MeshAttr>(groups.getMesh());
  if (!mesh && !llvm::isa<mlir::SymbolRefAttr>(groups.getMesh()))
    return site.emitOpError() << "expects a mesh or the name of one, but got " << groups.getMesh();
  llvm::StringMap<int64_t> sizes;
  if (mesh && failed(VerifyMesh(site, mesh, sizes))) return failure();
  // The parts of each axis that are in use, as [pre_size, pre_size * size).
  llvm::StringMap<llvm::SmallVector<std::pair<int64_t, int64_t>>> used;
  for (mlir::Attribute attribute : groups.getAxes()) {
    auto axis = dyn_cast<AxisRefAttr>(attribute);
    if (!axis) return site.emitOpError() << "expects references to mesh axes, but got " << attribute;
    llvm::StringRef name = axis.getName().getValue();
    auto size = sizes.find(name);
    if (mesh && size == sizes.end()) return site.emitOpError() << "has no axis '" << name << "' in its mesh";
    std::pair<int64_t, int64_t> part = {1, mesh ? size->second : mlir::ShapedType::kDynamic};
    if (SubAxisInfoAttr sub = axis.getSubAxisInfo()) {
      int64_t end = 0;
      if (llvm::MulOverflow(sub.getPreSize(), sub.getSize(), end) ||
          (mesh && (end > size->second || size->second % end != 0)))
        return site.emitOpError() << "expects sub-axis (" << sub.getPreSize() << ")" << sub.getSize() << " of '" << name
                                  << "' to divide the axis" << (mesh ? " of size " + std::to_string(size->second) : "");
      part = {sub.getPreSize(), end};
    }
    for (auto [begin, end] : used[name])
      if ((IsDynamic(end) || part.first < end) && (IsDynamic(part.second) || begin < part.second))
        return site.emitOpError() << "uses axis '" << name << "' of its mesh twice";
    used[name].push_back(part);
  }
  return success();
}

}  // namespace opbyop::stablehlo
