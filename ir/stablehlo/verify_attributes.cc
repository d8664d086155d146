// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of attributes and types.
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::success;
using mlir::Type;
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

LogicalResult ResultAccuracyAttr::verify(EmitError emit_error, llvm::APFloat atol, llvm::APFloat rtol, int64_t ulps,
                                         ResultAccuracyModeAttr mode) {
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emit_error() << "expects tolerances of a result accuracy not to be negative";
  bool none = atol.isZero() && rtol.isZero() && ulps == 0;
  if (mode.getValue() == ResultAccuracyMode::TOLERANCE ? none : !none)
    return emit_error() << "expects a result accuracy to give tolerances if and only if its mode is TOLERANCE, but got "
                        << stringifyResultAccuracyMode(mode.getValue());
  return success();
}

namespace {

bool IsF8(Type type) {
  auto element = llvm::dyn_cast<mlir::FloatType>(type);
  return element && element.getWidth() == 8;
}

// Whether some hardware has the algorithm, by operand types, accumulation type and the number of primitive operations
// per dot product.
bool IsKnownAlgorithm(Type lhs, Type rhs, Type accumulation, int64_t operations, bool imprecise) {
  if (IsF8(lhs) && IsF8(rhs)) return accumulation.isF32() && operations == 1;
  if (lhs != rhs || imprecise) return false;
  if (lhs.isF16()) return (accumulation.isF16() || accumulation.isF32()) && operations == 1;
  if (lhs.isBF16())
    return (accumulation.isBF16() && operations == 1) ||
           (accumulation.isF32() && (operations == 1 || operations == 3 || operations == 6 || operations == 9));
  if (lhs.isTF32()) return accumulation.isF32() && (operations == 1 || operations == 3);
  if (lhs.isF32()) return accumulation.isF32() && operations == 1;
  if (lhs.isF64()) return accumulation.isF64() && operations == 1;
  return false;
}

}  // namespace

LogicalResult DotAlgorithmAttr::verify(EmitError emit_error, Type lhs, Type rhs, Type accumulation,
                                       int64_t lhs_components, int64_t rhs_components, int64_t operations,
                                       bool imprecise) {
  if (lhs_components < 1 || rhs_components < 1 || operations < 1)
    return emit_error() << "expects positive component and operation counts of a dot algorithm, but got "
                        << lhs_components << ", " << rhs_components << " and " << operations;
  if (lhs_components != 1 || rhs_components != 1 || !IsKnownAlgorithm(lhs, rhs, accumulation, operations, imprecise))
    return emit_error() << "has a dot algorithm that no hardware is known for: " << lhs << " x " << rhs << " into "
                        << accumulation << ", components " << lhs_components << " and " << rhs_components
                        << ", operations " << operations << (imprecise ? ", imprecise" : "");
  return success();
}

LogicalResult SubAxisInfoAttr::verify(EmitError emit_error, int64_t pre_size, int64_t size) {
  if (pre_size < 1) return emit_error() << "expects a sub-axis pre-size of at least 1, but got " << pre_size;
  if (size < 2) return emit_error() << "expects a sub-axis size of at least 2, but got " << size;
  return success();
}

LogicalResult FutureType::verify(EmitError emit_error, llvm::ArrayRef<Type> types) {
  for (Type type : types)
    if (!llvm::isa<mlir::RankedTensorType>(type))
      return emit_error() << "expects the elements of a future to be ranked tensors, but got " << type;
  return success();
}

}  // namespace opbyop::stablehlo
