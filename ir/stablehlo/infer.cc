// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/infer.h"

#include "ir/stablehlo/wide_size.h"

namespace opbyop::stablehlo {

using llvm::dyn_cast;
using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

Extent ExtentOf(RankedTensorType type, int64_t dimension) {
  return {type.getDimSize(dimension), type.isDynamicDim(dimension) ? BoundOf(type, dimension) : ShapedType::kDynamic};
}

Extents ExtentsOf(RankedTensorType type) {
  Extents extents;
  for (int64_t i = 0; i < type.getRank(); ++i) extents.push_back(ExtentOf(type, i));
  return extents;
}

Extents ExtentsOf(Dims sizes) {
  Extents extents;
  for (int64_t size : sizes) extents.push_back({size});
  return extents;
}

mlir::Attribute BoundsOf(mlir::MLIRContext* context, llvm::ArrayRef<Extent> extents) {
  llvm::SmallVector<int64_t> bounds;
  for (const Extent& extent : extents) bounds.push_back(extent.bound);
  if (llvm::all_of(bounds, IsDynamic)) return {};
  return TypeExtensionsAttr::get(context, bounds);
}

RankedTensorType MakeTensor(llvm::ArrayRef<Extent> extents, Type element) {
  llvm::SmallVector<int64_t> shape;
  for (const Extent& extent : extents) shape.push_back(extent.size);
  return RankedTensorType::get(shape, element, BoundsOf(element.getContext(), extents));
}

Extent Sum(Extent a, Extent b) {
  if (!IsDynamic(a.size) && !IsDynamic(b.size)) return {Narrow(WideInt{a.size} + b.size)};
  if (a.IsFree() || b.IsFree()) return {};
  return {ShapedType::kDynamic, Narrow(WideInt{a.Most()} + b.Most())};
}

Extent Either(Extent a, Extent b) {
  if (!IsDynamic(a.size) && a.size == b.size) return a;
  if (a.IsFree() || b.IsFree()) return {};
  return {ShapedType::kDynamic, std::max(a.Most(), b.Most())};
}

namespace {

LogicalResult Narrow(const Site& site, int64_t dimension, Extent& a, Extent b) {
  if (!IsDynamic(a.size) && !IsDynamic(b.size)) {
    if (a.size == b.size) return success();
    return site.emitOpError() << "requires compatible shapes, but dimension " << dimension << " has the sizes "
                              << a.size << " and " << b.size;
  }
  if (IsDynamic(a.size) && IsDynamic(b.size)) {
    a.bound = IsDynamic(a.bound) ? b.bound : IsDynamic(b.bound) ? a.bound : std::min(a.bound, b.bound);
    return success();
  }
  int64_t size = IsDynamic(a.size) ? b.size : a.size, bound = IsDynamic(a.size) ? a.bound : b.bound;
  if (!IsDynamic(bound) && size > bound)
    return site.emitOpError() << "requires compatible shapes, but dimension " << dimension << " has the size " << size
                              << " and the bound " << bound;
  a = {size};
  return success();
}

}  // namespace

LogicalResult Merge(const Site& site, TypeRange types, Type element, Type& merged) {
  RankedTensorType first;
  Extents extents;
  bool one_encoding = true;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) continue;
    if (!first) {
      first = tensor;
      extents = ExtentsOf(tensor);
      continue;
    }
    one_encoding &= tensor.getEncoding() == first.getEncoding();
    if (tensor.getRank() != first.getRank())
      return site.emitOpError() << "requires compatible shapes, but the ranks of " << first << " and " << tensor
                                << " differ";
    for (auto [i, extent] : llvm::enumerate(ExtentsOf(tensor)))
      if (failed(Narrow(site, i, extents[i], extent))) return failure();
  }
  if (!first) {
    merged = mlir::UnrankedTensorType::get(element);
    return success();
  }
  RankedTensorType tensor = MakeTensor(extents, element);
  // Encodings other than bounds (sparse encodings) are kept if all types agree on them.
  if (one_encoding && first.getEncoding() && !llvm::isa<TypeExtensionsAttr>(first.getEncoding()))
    tensor = RankedTensorType::get(tensor.getShape(), element, first.getEncoding());
  merged = tensor;
  return success();
}

LogicalResult Merge(const Site& site, TypeRange types, Type& merged) {
  if (types.empty()) return site.emitOpError() << "expects at least one operand";
  Type element = mlir::getElementTypeOrSelf(types.front());
  for (Type type : types.drop_front())
    if (!CompatibleElements(element, mlir::getElementTypeOrSelf(type)))
      return site.emitOpError() << "requires the same element type for all operands, but " << types.front() << " and "
                                << type << " differ";
  return Merge(site, types, element, merged);
}

Type Branched(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (a == b || !left || !right || left.getRank() != right.getRank()) return a;
  Extents extents;
  for (int64_t i = 0; i < left.getRank(); ++i) extents.push_back(Either(ExtentOf(left, i), ExtentOf(right, i)));
  return MakeTensor(extents, left.getElementType());
}

Type WithElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return mlir::UnrankedTensorType::get(element);
}

llvm::SmallVector<Type> ReturnedElements(mlir::Region& region, TypeRange otherwise) {
  llvm::SmallVector<Type> types = ReturnedTypes(region);
  if (region.empty()) llvm::append_range(types, otherwise);
  for (Type& type : types) type = mlir::getElementTypeOrSelf(type);
  return types;
}

}  // namespace opbyop::stablehlo
