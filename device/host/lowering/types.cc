// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/types.h"

#include <mlir/IR/TypeUtilities.h>

namespace opbyop::host {

mlir::Type ElementOf(mlir::Type type) { return mlir::getElementTypeOrSelf(type); }

bool IsUnsigned(mlir::Type element) { return element.isUnsignedInteger(); }
bool IsBool(mlir::Type element) { return element.isInteger(1); }

bool IsFloat(mlir::Type element) { return mlir::isa<mlir::FloatType>(element); }

bool IsStoredFloat(mlir::Type element) {
  auto real = mlir::dyn_cast<mlir::FloatType>(element);
  return real && real.getWidth() <= 8;
}

mlir::Type SignlessElement(mlir::Type element) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element)) {
    return mlir::IntegerType::get(element.getContext(), integer.getWidth());
  }
  if (mlir::isa<mlir::Float16Type, mlir::BFloat16Type, mlir::Float32Type, mlir::Float64Type, mlir::IndexType>(
          element)) {
    return element;
  }
  if (IsStoredFloat(element)) {
    return mlir::IntegerType::get(element.getContext(), mlir::cast<mlir::FloatType>(element).getWidth());
  }
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    if (mlir::isa<mlir::Float32Type, mlir::Float64Type>(complex.getElementType())) return element;
  }
  return {};
}

mlir::Type AccumulatorOf(mlir::Type element) {
  if (auto real = mlir::dyn_cast<mlir::FloatType>(element); real && real.getWidth() < 32) {
    return mlir::Float32Type::get(element.getContext());
  }
  return SignlessElement(element);
}

std::string WhyNotLowerable(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  if (!tensor) return text + " is no ranked tensor";
  if (!tensor.hasStaticShape()) return text + " has a dynamic dimension";
  if (!SignlessElement(tensor.getElementType())) return text + " has an element type that LLVM cannot compute with";
  return {};
}

HostTypes::HostTypes() {
  addConversion([](mlir::Type type) -> mlir::Type {
    if (mlir::isa<mlir::ShapedType>(type)) return {};
    return SignlessElement(type);
  });
  addConversion([](mlir::RankedTensorType type) -> mlir::Type {
    mlir::Type element = SignlessElement(type.getElementType());
    if (!element || !type.hasStaticShape()) return {};
    return mlir::RankedTensorType::get(type.getShape(), element);
  });
  const auto cast = [](mlir::OpBuilder& builder, mlir::Type type, mlir::ValueRange inputs, mlir::Location location) {
    return mlir::UnrealizedConversionCastOp::create(builder, location, type, inputs).getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization(cast);
}

}  // namespace opbyop::host
