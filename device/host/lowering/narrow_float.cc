// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/lowering/narrow_float.h"

#include <llvm/ADT/APFloat.h>
#include <mlir/Dialect/Arith/IR/Arith.h>

#include <cmath>

#include "device/host/lowering/scalar.h"
#include "device/host/lowering/types.h"

namespace opbyop::host {
namespace {

using llvm::APFloat;
using llvm::APInt;
using mlir::Value;
namespace arith = mlir::arith;

// The meaning of the bits of a format.
struct Format {
  explicit Format(mlir::FloatType type)
      : semantics(type.getFloatSemantics()),
        width(type.getWidth()),
        mantissa(APFloat::semanticsPrecision(semantics) - 1),
        min_exponent(APFloat::semanticsMinExponent(semantics)),
        has_sign(APFloat::semanticsHasSignedRepr(semantics)),
        has_infinity(APFloat::semanticsHasInf(semantics)),
        has_nan(APFloat::semanticsHasNaN(semantics)),
        greatest(APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue()),
        nan(has_nan ? APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue() : 0) {}

  uint64_t SignBit() const { return uint64_t{1} << (width - 1); }
  // Whether NaN has the code that minus zero would have.
  bool NanIsMinusZero() const { return has_sign && has_nan && nan == SignBit(); }
  int Bias() const { return 1 - min_exponent; }

  const llvm::fltSemantics& semantics;
  unsigned width;
  unsigned mantissa;  // bits
  int min_exponent;   // exponent of the smallest normal number
  bool has_sign;
  bool has_infinity;
  bool has_nan;
  uint64_t greatest;  // code of the largest finite number
  uint64_t nan;
};

// Arithmetic on integers of one width, written as formulas.
class Bits {
 public:
  Bits(mlir::ImplicitLocOpBuilder& builder, unsigned width) : b(builder), type(builder.getIntegerType(width)) {}

  Value Number(uint64_t value) {
    const unsigned width = type.getIntOrFloatBitWidth();
    return arith::ConstantOp::create(b, mlir::IntegerAttr::get(type, APInt(width, value, false, true)));
  }
  Value Add(Value x, uint64_t y) { return arith::AddIOp::create(b, x, Number(y)); }
  Value And(Value x, uint64_t y) { return arith::AndIOp::create(b, x, Number(y)); }
  Value Or(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value Left(Value x, unsigned by) { return arith::ShLIOp::create(b, x, Number(by)); }
  Value Right(Value x, unsigned by) { return arith::ShRUIOp::create(b, x, Number(by)); }
  Value Is(arith::CmpIPredicate predicate, Value x, uint64_t y) {
    return arith::CmpIOp::create(b, predicate, x, Number(y));
  }
  Value Select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, condition, yes, no); }
  Value Resized(Value x) {
    const unsigned from = x.getType().getIntOrFloatBitWidth();
    const unsigned to = type.getIntOrFloatBitWidth();
    if (from == to) return x;
    if (from > to) return arith::TruncIOp::create(b, type, x);
    return arith::ExtUIOp::create(b, type, x);
  }

  mlir::ImplicitLocOpBuilder& b;
  mlir::Type type;
};

using P = arith::CmpIPredicate;

constexpr uint64_t kNan32 = 0x7fc00000;
constexpr unsigned kMantissa32 = 23;
constexpr int kBias32 = 127;

// Decodes a format of powers of two and NaN to the exponent of f32, whose least one is subnormal.
Value DecodeExponent(Bits& i, Value code, const Format& format) {
  Value normal = i.Left(code, kMantissa32);
  Value bits = i.Select(i.Is(P::eq, code, 0), i.Number(uint64_t{1} << (kMantissa32 - 1)), normal);
  return i.Select(i.Is(P::eq, code, format.nan), i.Number(kNan32), bits);
}

// Encodes a format of powers of two. Of two equally near ones, the larger is taken (IEEE 754-2019, 4.3.1, for two
// neighbours that are not even). Everything except positive numbers is NaN.
Value EncodeExponent(mlir::ImplicitLocOpBuilder& b, Value real, const Format& format) {
  constexpr unsigned kMantissa = 52;
  constexpr int kBias = 1023;
  Bits i(b, 64);
  Value bits = arith::BitcastOp::create(b, i.type, ConvertFloat(b, real, b.getF64Type()));
  Value exponent = i.Right(bits, kMantissa);
  Value fraction = i.And(bits, (uint64_t{1} << kMantissa) - 1);
  constexpr uint64_t kHalf = uint64_t{1} << (kMantissa - 1);
  Value up = i.Is(P::uge, fraction, kHalf);
  Value code = i.Add(i.Select(up, i.Add(exponent, 1), exponent), static_cast<uint64_t>(format.Bias() - 1 - kBias));
  const uint64_t least = static_cast<uint64_t>(kBias + format.min_exponent) << kMantissa;
  code = i.Select(i.Is(P::ule, bits, least), i.Number(0), code);
  // NaN is the result for numbers above the greatest one, infinities, NaN and, compared as integers, all numbers with a
  // sign, but not for minus zero.
  const uint64_t past = static_cast<uint64_t>(kBias + format.min_exponent) + format.greatest + 1;
  Value nan = arith::OrIOp::create(b, i.Is(P::uge, exponent, past), i.Is(P::sgt, code, format.greatest));
  nan = arith::AndIOp::create(b, nan, i.Is(P::ne, bits, uint64_t{1} << 63));
  code = i.Select(i.Is(P::eq, bits, uint64_t{1} << 63), i.Number(0), code);
  return i.Select(nan, i.Number(format.nan), code);
}

}  // namespace

Value DecodeFloat(mlir::ImplicitLocOpBuilder& b, Value bits, mlir::FloatType type) {
  const Format format(type);
  Bits i(b, 32);
  mlir::Type f32 = b.getF32Type();
  Value code = i.Resized(bits);
  if (!format.has_sign) return arith::BitcastOp::create(b, f32, DecodeExponent(i, code, format));
  Value magnitude = i.And(code, format.SignBit() - 1);
  Value sign = i.Left(i.And(code, format.SignBit()), 32 - format.width);
  const int rebias = kBias32 - format.Bias();
  Value normal = i.Add(i.Left(magnitude, kMantissa32 - format.mantissa), static_cast<uint64_t>(rebias) << kMantissa32);
  Value steps = arith::UIToFPOp::create(b, f32, magnitude);
  const double step = std::ldexp(1.0, format.min_exponent - static_cast<int>(format.mantissa));
  Value small = arith::MulFOp::create(b, steps, ScalarConstant(b, f32, step));
  Value subnormal = arith::BitcastOp::create(b, i.type, small);
  Value result = i.Select(i.Is(P::ult, magnitude, uint64_t{1} << format.mantissa), subnormal, normal);
  if (format.has_infinity) {
    Value special = i.Select(i.Is(P::eq, magnitude, format.greatest + 1), i.Number(0x7f800000), i.Number(kNan32));
    result = i.Select(i.Is(P::ugt, magnitude, format.greatest), special, result);
  } else if (format.NanIsMinusZero()) {
    result = i.Select(i.Is(P::eq, code, format.nan), i.Number(kNan32), result);
  } else if (format.has_nan) {
    result = i.Select(i.Is(P::ugt, magnitude, format.greatest), i.Number(kNan32), result);
  }
  return arith::BitcastOp::create(b, f32, i.Or(result, sign));
}

Value EncodeFloat(mlir::ImplicitLocOpBuilder& b, Value real, mlir::FloatType type) {
  const Format format(type);
  Bits narrow(b, format.width);
  if (!format.has_sign) return narrow.Resized(EncodeExponent(b, real, format));
  auto source = mlir::cast<mlir::FloatType>(real.getType());
  const unsigned width = source.getWidth();
  const unsigned mantissa = source.getFPMantissaWidth() - 1;
  const int bias = (1 << (width - mantissa - 2)) - 1;
  Bits i(b, width);
  Value bits = arith::BitcastOp::create(b, i.type, real);
  Value magnitude = i.And(bits, (uint64_t{1} << (width - 1)) - 1);
  Value sign = i.Left(i.Right(bits, width - 1), format.width - 1);

  // Normal numbers: the mantissa is rounded to nearest even, which may carry into the exponent; then the bias is
  // changed.
  const unsigned dropped = mantissa - format.mantissa;
  Value odd = i.And(i.Right(magnitude, dropped), 1);
  Value rounded = arith::AddIOp::create(b, i.Add(magnitude, (uint64_t{1} << (dropped - 1)) - 1), odd);
  const auto rebias = static_cast<uint64_t>(bias - format.Bias()) << format.mantissa;
  Value normal = i.Add(i.Right(rounded, dropped), ~rebias + 1);
  // Subnormal numbers: the number of steps, rounded to nearest. The last bit of a sum above 2^mantissa is one step.
  const double steps = std::ldexp(1.0, static_cast<int>(format.mantissa) - format.min_exponent);
  Value positive = arith::BitcastOp::create(b, source, magnitude);
  Value scaled = arith::MulFOp::create(b, positive, ScalarConstant(b, source, steps));
  Value integer = ScalarConstant(b, source, std::ldexp(1.0, static_cast<int>(mantissa)));
  Value sum = arith::BitcastOp::create(b, i.type, arith::AddFOp::create(b, scaled, integer));
  const uint64_t zero = static_cast<uint64_t>(bias + static_cast<int>(mantissa)) << mantissa;
  Value subnormal = i.Add(sum, ~zero + 1);
  const uint64_t least = static_cast<uint64_t>(bias + format.min_exponent) << mantissa;
  Value code = i.Select(i.Is(P::ult, magnitude, least), subnormal, normal);

  const uint64_t infinity = ((uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa;
  Value nan = i.Is(P::ugt, magnitude, infinity);
  // Infinities are too large as well.
  Value large = i.Is(P::ugt, code, format.greatest);
  if (format.has_nan && !format.has_infinity) {
    nan = arith::OrIOp::create(b, nan, large);
  } else {
    code = i.Select(large, i.Number(format.has_infinity ? format.greatest + 1 : format.greatest), code);
  }
  if (format.NanIsMinusZero()) sign = i.Select(i.Is(P::eq, code, 0), code, sign);
  code = i.Or(code, sign);
  // A format without NaN gets minus zero instead.
  code = i.Select(nan, i.Number(format.has_nan ? format.nan : format.SignBit()), code);
  return narrow.Resized(code);
}

Value Widened(mlir::ImplicitLocOpBuilder& b, Value value, mlir::Type element) {
  if (IsStoredFloat(element)) return DecodeFloat(b, value, mlir::cast<mlir::FloatType>(element));
  if (!mlir::isa<mlir::FloatType>(element)) return value;
  return ConvertFloat(b, value, AccumulatorOf(element));
}

Value Narrowed(mlir::ImplicitLocOpBuilder& b, Value value, mlir::Type element) {
  if (!IsStoredFloat(element)) return ConvertFloat(b, value, element);
  if (value.getType().getIntOrFloatBitWidth() < 32) value = ConvertFloat(b, value, b.getF32Type());
  return EncodeFloat(b, value, mlir::cast<mlir::FloatType>(element));
}

}  // namespace opbyop::host
