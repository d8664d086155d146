// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/types.h"

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop::stablehlo {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

bool HasIntegerWidth(mlir::IntegerType type) {
  switch (type.getWidth()) {
    case 2:
    case 4:
    case 8:
    case 16:
    case 32:
    case 64:
      return true;
    default:
      return false;
  }
}

bool SameStorage(mlir::quant::QuantizedType a, mlir::quant::QuantizedType b) {
  return a.getStorageType() == b.getStorageType() && a.getExpressedType() == b.getExpressedType() &&
         a.isSigned() == b.isSigned() && a.getStorageTypeMin() == b.getStorageTypeMin() &&
         a.getStorageTypeMax() == b.getStorageTypeMax();
}

}  // namespace

bool IsBoolean(Type type) { return type.isSignlessInteger(1); }

bool IsSignedInteger(Type type) {
  auto integer = dyn_cast<mlir::IntegerType>(type);
  return integer && integer.isSignless() && HasIntegerWidth(integer);
}

bool IsUnsignedInteger(Type type) {
  auto integer = dyn_cast<mlir::IntegerType>(type);
  return integer && integer.isUnsigned() && HasIntegerWidth(integer);
}

bool IsInteger(Type type) { return IsSignedInteger(type) || IsUnsignedInteger(type); }

bool IsFloat(Type type) {
  return isa<mlir::Float4E2M1FNType, mlir::Float6E2M3FNType, mlir::Float6E3M2FNType, mlir::Float8E3M4Type,
             mlir::Float8E4M3Type, mlir::Float8E4M3FNType, mlir::Float8E4M3FNUZType, mlir::Float8E4M3B11FNUZType,
             mlir::Float8E5M2Type, mlir::Float8E5M2FNUZType, mlir::Float8E8M0FNUType, mlir::Float16Type,
             mlir::BFloat16Type, mlir::Float32Type, mlir::Float64Type>(type);
}

bool IsF32OrF64(Type type) { return type.isF32() || type.isF64(); }

bool IsComplex(Type type) {
  auto complex = dyn_cast<mlir::ComplexType>(type);
  return complex && IsF32OrF64(complex.getElementType());
}

namespace {

// True if the storage type is a signless or unsigned integer, the expressed type is a float, and the zero points can be
// stored.
bool IsUniform(mlir::quant::QuantizedType type, llvm::ArrayRef<int64_t> zero_points) {
  auto storage = dyn_cast<mlir::IntegerType>(type.getStorageType());
  return storage && !storage.isSigned() && HasIntegerWidth(storage) && IsFloat(type.getExpressedType()) &&
         llvm::all_of(zero_points, [&](int64_t zero_point) {
           return zero_point >= type.getStorageTypeMin() && zero_point <= type.getStorageTypeMax();
         });
}

}  // namespace

bool IsPerTensorQuantized(Type type) {
  auto quantized = dyn_cast<mlir::quant::UniformQuantizedType>(type);
  return quantized && IsUniform(quantized, {quantized.getZeroPoint()});
}

bool IsPerAxisQuantized(Type type) {
  auto quantized = dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(type);
  return quantized && IsUniform(quantized, quantized.getZeroPoints());
}

bool IsWellQuantized(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto quantized = tensor ? dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(tensor.getElementType())
                          : mlir::quant::UniformQuantizedPerAxisType();
  if (!quantized) return true;
  int32_t axis = quantized.getQuantizedDimension();
  return axis >= 0 && axis < tensor.getRank() && CompatibleDim(tensor.getDimSize(axis), quantized.getScales().size());
}

bool IsQuantized(Type type) { return IsPerTensorQuantized(type) || IsPerAxisQuantized(type); }

bool IsIndex(Type type) { return isa<mlir::IndexType>(type); }

bool IsValueType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    Type element = tensor.getElementType();
    return IsBoolean(element) || IsInteger(element) || IsFloat(element) || IsComplex(element) || IsQuantized(element) ||
           IsIndex(element);
  }
  if (auto tuple = dyn_cast<mlir::TupleType>(type)) return llvm::all_of(tuple.getTypes(), IsValueType);
  return isa<TokenType, FutureType, mlir::MemRefType>(type);
}

bool IsCustomCallType(Type type) { return IsValueType(type) || isa<mlir::TensorType, mlir::MemRefType>(type); }

int64_t BoundOf(RankedTensorType type, int64_t dimension) {
  auto extensions = llvm::dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  if (!extensions || dimension >= static_cast<int64_t>(extensions.getBounds().size())) return ShapedType::kDynamic;
  return extensions.getBounds()[dimension];
}

bool CompatibleDim(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }

bool CompatibleDims(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) { return CompatibleDim(std::get<0>(pair), std::get<1>(pair)); });
}

bool CompatibleShapes(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a);
  auto right = dyn_cast<RankedTensorType>(b);
  if (!left || !right) return true;
  if (!CompatibleDims(left.getShape(), right.getShape())) return false;
  // A bound is an upper limit: a static size in the other type must not exceed it.
  for (int64_t i = 0; i < left.getRank(); ++i) {
    int64_t left_bound = BoundOf(left, i), right_bound = BoundOf(right, i);
    if (!ShapedType::isDynamic(left_bound) && !right.isDynamicDim(i) && right.getDimSize(i) > left_bound) return false;
    if (!ShapedType::isDynamic(right_bound) && !left.isDynamicDim(i) && left.getDimSize(i) > right_bound) return false;
  }
  return true;
}

bool CompatibleElements(Type a, Type b) {
  if (a == b) return true;
  auto left = dyn_cast<mlir::quant::QuantizedType>(a);
  auto right = dyn_cast<mlir::quant::QuantizedType>(b);
  if (left && right) return SameStorage(left, right);
  return false;
}

bool CompatibleTypes(Type a, Type b) {
  if (a == b) return true;
  auto left = dyn_cast<mlir::ShapedType>(a);
  auto right = dyn_cast<mlir::ShapedType>(b);
  if (left && right) return CompatibleElements(left.getElementType(), right.getElementType()) && CompatibleShapes(a, b);
  auto left_tuple = dyn_cast<mlir::TupleType>(a), right_tuple = dyn_cast<mlir::TupleType>(b);
  if (left_tuple && right_tuple) return CompatibleTypes(left_tuple.getTypes(), right_tuple.getTypes());
  auto left_future = dyn_cast<FutureType>(a), right_future = dyn_cast<FutureType>(b);
  return left_future && right_future &&
         CompatibleTypes(mlir::TypeRange(left_future.getTypes()), mlir::TypeRange(right_future.getTypes()));
}

bool CompatibleTypes(mlir::TypeRange a, mlir::TypeRange b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) { return CompatibleTypes(std::get<0>(pair), std::get<1>(pair)); });
}

Type RealPart(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<mlir::ComplexType>(tensor.getElementType()) : mlir::ComplexType();
  return complex ? RankedTensorType::get(tensor.getShape(), complex.getElementType(), tensor.getEncoding()) : type;
}

}  // namespace opbyop::stablehlo
