// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that change the element type.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>

#include "device/host/lowering/narrow_float.h"
#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"

namespace opbyop::host {
namespace {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace complex = mlir::complex;

// Rounds towards zero. A number that the integer cannot hold becomes the nearest one that it can; NaN becomes zero.
Value FloatToInteger(mlir::ImplicitLocOpBuilder& b, Value value, Type to) {
  const unsigned width = SignlessElement(to).getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  const bool is_unsigned = IsUnsigned(to);
  const llvm::APInt least = is_unsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width);
  const llvm::APInt most = is_unsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width);
  const auto bound = [&](const llvm::APInt& limit) -> Value {
    return arith::ConstantOp::create(b, mlir::IntegerAttr::get(integer, limit));
  };
  // The first float outside of the range on each side. Both are powers of two (or zero), hence exact.
  const double past_most = std::ldexp(1.0, static_cast<int>(is_unsigned ? width : width - 1));
  const double past_least = is_unsigned ? 0.0 : -past_most;
  Value converted = is_unsigned ? arith::FPToUIOp::create(b, integer, value).getResult()
                                : arith::FPToSIOp::create(b, integer, value).getResult();
  const auto holds = [&](arith::CmpFPredicate predicate, double limit) -> Value {
    return arith::CmpFOp::create(b, predicate, value, ScalarConstant(b, value.getType(), limit));
  };
  Value result = arith::SelectOp::create(b, holds(arith::CmpFPredicate::OGE, past_most), bound(most), converted);
  result = arith::SelectOp::create(b, holds(arith::CmpFPredicate::OLE, past_least), bound(least), result);
  Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(b, nan, bound(llvm::APInt::getZero(width)), result);
}

Value IntegerToFloat(mlir::ImplicitLocOpBuilder& b, Value value, Type from, Type to) {
  const bool is_unsigned = IsUnsigned(from) || IsBool(from);
  const auto convert = [&](Type type) -> Value {
    return is_unsigned ? arith::UIToFPOp::create(b, type, value).getResult()
                       : arith::SIToFPOp::create(b, type, value).getResult();
  };
  // Converts through f64, so that narrow floats are rounded once.
  if (to.getIntOrFloatBitWidth() < 32) return Narrowed(b, convert(b.getF64Type()), to);
  return convert(to);
}

Value IntegerToInteger(mlir::ImplicitLocOpBuilder& b, Value value, Type from, Type to) {
  Type integer = SignlessElement(to);
  const unsigned source = value.getType().getIntOrFloatBitWidth();
  const unsigned target = integer.getIntOrFloatBitWidth();
  if (source == target) return value;
  if (source > target) return arith::TruncIOp::create(b, integer, value);
  if (IsUnsigned(from) || IsBool(from)) return arith::ExtUIOp::create(b, integer, value);
  return arith::ExtSIOp::create(b, integer, value);
}

Value ToBool(mlir::ImplicitLocOpBuilder& b, Value value, Type from) {
  // Drops the imaginary part, as every conversion from a complex number to another kind does.
  if (auto source = mlir::dyn_cast<mlir::ComplexType>(from)) {
    return ToBool(b, complex::ReOp::create(b, value), source.getElementType());
  }
  Value zero = ScalarConstant(b, value.getType(), 0);
  if (IsFloat(from)) return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

Value ToComplex(mlir::ImplicitLocOpBuilder& b, Value value, Type from, mlir::ComplexType to) {
  Type part = to.getElementType();
  if (auto source = mlir::dyn_cast<mlir::ComplexType>(from)) {
    Value re = ConvertFloat(b, complex::ReOp::create(b, value), part);
    return complex::CreateOp::create(b, to, re, ConvertFloat(b, complex::ImOp::create(b, value), part));
  }
  Value re = EmitConvert(b, value, from, part);
  return complex::CreateOp::create(b, to, re, ScalarConstant(b, part, 0));
}

// A float that is now wider than its type was widened without loss, so it is converted from the wide type.
Value Convert(const ScalarOp& s, ValueRange args) {
  Type from = IsFloat(s.from) ? args[0].getType() : s.from;
  return EmitConvert(s.b, args[0], from, s.to);
}

Value BitcastConvert(const ScalarOp& s, ValueRange args) {
  Type to = SignlessElement(s.to);
  if (args[0].getType() == to) return args[0];
  if (!args[0].getType().isIntOrFloat() || !to.isIntOrFloat()) return {};
  if (args[0].getType().getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth()) return {};
  return arith::BitcastOp::create(s.b, to, args[0]);
}

Value Complex(const ScalarOp& s, ValueRange args) { return complex::CreateOp::create(s.b, s.to, args[0], args[1]); }

Value RealPart(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return args[0];
  return complex::ReOp::create(s.b, args[0]);
}

Value ImaginaryPart(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return ScalarConstant(s.b, args[0].getType(), 0);
  return complex::ImOp::create(s.b, args[0]);
}

constexpr ScalarRow kConversionRows[] = {
    {"stablehlo.convert", &Convert},    {"stablehlo.bitcast_convert", &BitcastConvert},
    {"stablehlo.complex", &Complex},    {"stablehlo.real", &RealPart},
    {"stablehlo.imag", &ImaginaryPart},
};

}  // namespace

llvm::ArrayRef<ScalarRow> ConversionRows() { return kConversionRows; }

Value ConvertFloat(mlir::ImplicitLocOpBuilder& b, Value value, Type to) {
  Type from = value.getType();
  if (from == to) return value;
  const unsigned source = from.getIntOrFloatBitWidth();
  const unsigned target = to.getIntOrFloatBitWidth();
  if (source < target) return arith::ExtFOp::create(b, to, value);
  // Neither f16 nor bf16 contains the other, so they are converted through f32, which contains both.
  if (source == target) return arith::TruncFOp::create(b, to, arith::ExtFOp::create(b, b.getF32Type(), value));
  return arith::TruncFOp::create(b, to, value);
}

Value EmitConvert(mlir::ImplicitLocOpBuilder& b, Value value, Type from, Type to) {
  if (from == to) return value;
  if (auto target = mlir::dyn_cast<mlir::ComplexType>(to)) return ToComplex(b, value, from, target);
  if (IsStoredFloat(from))
    return EmitConvert(b, DecodeFloat(b, value, mlir::cast<mlir::FloatType>(from)), b.getF32Type(), to);
  if (IsBool(to)) return IsBool(from) ? value : ToBool(b, value, from);
  if (auto source = mlir::dyn_cast<mlir::ComplexType>(from)) {
    return EmitConvert(b, complex::ReOp::create(b, value), source.getElementType(), to);
  }
  if (IsFloat(from)) return IsFloat(to) ? Narrowed(b, value, to) : FloatToInteger(b, value, to);
  return IsFloat(to) ? IntegerToFloat(b, value, from, to) : IntegerToInteger(b, value, from, to);
}

}  // namespace opbyop::host
