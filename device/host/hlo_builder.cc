// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/hlo_builder.h"

#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/TypeUtilities.h>

#include <complex>

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

llvm::APFloat Rounded(mlir::FloatType type, double value) {
  llvm::APFloat number(value);
  bool exact = false;
  (void)number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &exact);
  return number;
}

mlir::DenseElementsAttr Elements(RankedTensorType type, llvm::ArrayRef<double> values) {
  mlir::Type element = type.getElementType();
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    auto part = mlir::cast<mlir::FloatType>(complex.getElementType());
    return mlir::DenseElementsAttr::get(type, llvm::map_to_vector(values, [&](double value) {
                                          return std::complex<llvm::APFloat>(Rounded(part, value), Rounded(part, 0));
                                        }));
  }
  return mlir::DenseElementsAttr::get(
      type, llvm::map_to_vector(values, [&](double value) -> mlir::Attribute { return NumberAttr(element, value); }));
}

}  // namespace

mlir::TypedAttr NumberAttr(mlir::Type element, double value) {
  if (auto real = mlir::dyn_cast<mlir::FloatType>(element)) return mlir::FloatAttr::get(real, Rounded(real, value));
  const unsigned width = element.getIntOrFloatBitWidth();
  return mlir::IntegerAttr::get(element, llvm::APInt(width, static_cast<uint64_t>(static_cast<int64_t>(value)),
                                                     /*isSigned=*/true, /*implicitTrunc=*/true));
}

llvm::ArrayRef<int64_t> StaticShape(Value tensor) { return mlir::cast<RankedTensorType>(tensor.getType()).getShape(); }

Value Hlo::Splat(llvm::ArrayRef<int64_t> shape, mlir::Type element, double value) {
  // The constant of a quantized type holds stored values, so the attribute has the storage type.
  mlir::Type stored = element;
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(element)) {
    stored = mlir::IntegerType::get(b.getContext(), quantized.getStorageTypeIntegralWidth(),
                                    quantized.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  }
  return stablehlo::ConstantOp::create(b, RankedTensorType::get(shape, element),
                                       Elements(RankedTensorType::get(shape, stored), value));
}

Value Hlo::Vector(llvm::ArrayRef<int64_t> shape, mlir::Type element, llvm::ArrayRef<double> values, int64_t dimension) {
  RankedTensorType type = RankedTensorType::get(static_cast<int64_t>(values.size()), element);
  return Broadcast(stablehlo::ConstantOp::create(b, Elements(type, values)), shape, dimension);
}

Value Hlo::Broadcast(Value operand, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dimensions) {
  if (StaticShape(operand) == shape) return operand;
  return stablehlo::BroadcastInDimOp::create(b, RankedTensorType::get(shape, mlir::getElementTypeOrSelf(operand)),
                                             operand, dimensions);
}

Value Hlo::Convert(Value operand, mlir::Type element) {
  if (mlir::getElementTypeOrSelf(operand) == element) return operand;
  return stablehlo::ConvertOp::create(b, RankedTensorType::get(StaticShape(operand), element), operand);
}

Value Hlo::Iota(llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t dimension) {
  return stablehlo::IotaOp::create(b, RankedTensorType::get(shape, element), static_cast<uint64_t>(dimension));
}

Value Hlo::Reshape(Value operand, llvm::ArrayRef<int64_t> shape) {
  if (StaticShape(operand) == shape) return operand;
  return stablehlo::ReshapeOp::create(b, RankedTensorType::get(shape, mlir::getElementTypeOrSelf(operand)), operand);
}

Value Hlo::Slice(Value operand, int64_t dimension, int64_t start, int64_t size) {
  llvm::SmallVector<int64_t> limits(StaticShape(operand));
  llvm::SmallVector<int64_t> starts(limits.size(), 0);
  const llvm::SmallVector<int64_t> strides(limits.size(), 1);
  llvm::SmallVector<int64_t> shape = limits;
  starts[dimension] = start;
  limits[dimension] = start + size;
  shape[dimension] = size;
  return stablehlo::SliceOp::create(b, RankedTensorType::get(shape, mlir::getElementTypeOrSelf(operand)), operand,
                                    starts, limits, strides);
}

Value Hlo::Compare(stablehlo::ComparisonDirection direction, Value lhs, Value rhs) {
  using Type = stablehlo::ComparisonType;
  mlir::Type element = mlir::getElementTypeOrSelf(lhs);
  // Compares floats in a total order, so that they can be sorted.
  Type type = Type::TOTALORDER;
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element)) {
    type = integer.isUnsigned() || integer.getWidth() == 1 ? Type::UNSIGNED : Type::SIGNED;
  }
  return stablehlo::CompareOp::create(b, RankedTensorType::get(StaticShape(lhs), b.getI1Type()), lhs, rhs, direction,
                                      stablehlo::ComparisonTypeAttr::get(b.getContext(), type));
}

Hlo::Values Hlo::PlaceAt(Value operand, int64_t dimension, Value position) {
  Values place(StaticShape(operand).size(), Splat({}, b.getI64Type(), 0));
  place[dimension] = position;
  return place;
}

Value Hlo::SliceAt(Value operand, int64_t dimension, Value position) {
  llvm::SmallVector<int64_t> sizes(StaticShape(operand));
  sizes[dimension] = 1;
  RankedTensorType type = RankedTensorType::get(sizes, mlir::getElementTypeOrSelf(operand));
  return stablehlo::DynamicSliceOp::create(b, type, operand, PlaceAt(operand, dimension, position), sizes);
}

Value Hlo::UpdateAt(Value operand, Value update, int64_t dimension, Value position) {
  llvm::SmallVector<int64_t> sizes(StaticShape(operand));
  sizes[dimension] = 1;
  return stablehlo::DynamicUpdateSliceOp::create(b, operand.getType(), operand, Reshape(update, sizes),
                                                 PlaceAt(operand, dimension, position));
}

Hlo::Values Hlo::Repeat(int64_t trips, mlir::ValueRange initial,
                        llvm::function_ref<Values(Value trip, mlir::ValueRange values)> body) {
  const auto number = [&](int64_t value) { return Splat({}, b.getI64Type(), static_cast<double>(value)); };
  Values start = {number(0)};
  start.append(initial.begin(), initial.end());
  const mlir::TypeRange types = mlir::ValueRange(start).getTypes();
  auto loop = stablehlo::WhileOp::create(b, types, start);
  const llvm::SmallVector<mlir::Location> locations(start.size(), b.getLoc());
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block& condition = loop->getRegion(0).emplaceBlock();
  condition.addArguments(types, locations);
  b.setInsertionPointToEnd(&condition);
  Value more = Compare(stablehlo::ComparisonDirection::LT, condition.getArgument(0), number(trips));
  stablehlo::ReturnOp::create(b, mlir::ValueRange{more});

  mlir::Block& block = loop->getRegion(1).emplaceBlock();
  block.addArguments(types, locations);
  b.setInsertionPointToEnd(&block);
  Value trip = block.getArgument(0);
  Values next = {Binary<stablehlo::AddOp>(trip, number(1))};
  next.append(body(trip, block.getArguments().drop_front()));
  stablehlo::ReturnOp::create(b, next);
  return Values(loop->getResults().drop_front());
}

}  // namespace opbyop::host
