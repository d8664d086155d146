// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows for arithmetic, comparison and selection.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>

#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace math = mlir::math;

bool IsComplex(Type type) { return mlir::isa<mlir::ComplexType>(type); }

Value Constant(const ScalarOp& s, Value like, double value) { return ScalarConstant(s.b, like.getType(), value); }

Value CompareFloat(const ScalarOp& s, arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(s.b, predicate, lhs, rhs);
}

Value CompareInteger(const ScalarOp& s, arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(s.b, predicate, lhs, rhs);
}

Value Select(const ScalarOp& s, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(s.b, condition, yes, no);
}

// Division that cannot trap. Dividing by zero gives all ones (quotient) or the dividend (remainder); dividing the least
// integer by minus one gives the least integer or zero. The specification leaves these results open.
template <typename SignedT, typename UnsignedT>
Value DivideInteger(const ScalarOp& s, ValueRange args, bool remainder) {
  Value zero = Constant(s, args[0], 0);
  Value one = Constant(s, args[0], 1);
  Value minus_one = Constant(s, args[0], -1);
  Value by_zero = CompareInteger(s, arith::CmpIPredicate::eq, args[1], zero);
  Value divisor = Select(s, by_zero, one, args[1]);
  Value on_zero = remainder ? args[0] : minus_one;
  if (IsUnsigned(s.from)) {
    return Select(s, by_zero, on_zero, UnsignedT::create(s.b, args[0], divisor));
  }
  const unsigned width = args[0].getType().getIntOrFloatBitWidth();
  Value least =
      arith::ConstantOp::create(s.b, mlir::IntegerAttr::get(args[0].getType(), llvm::APInt::getSignedMinValue(width)));
  Value overflows = arith::AndIOp::create(s.b, CompareInteger(s, arith::CmpIPredicate::eq, args[0], least),
                                          CompareInteger(s, arith::CmpIPredicate::eq, args[1], minus_one));
  divisor = Select(s, overflows, one, divisor);
  Value result = SignedT::create(s.b, args[0], divisor);
  if (remainder) result = Select(s, overflows, zero, result);
  return Select(s, by_zero, on_zero, result);
}

Value Divide(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return arith::DivFOp::create(s.b, args[0], args[1]);
  if (IsComplex(s.from)) return complex::DivOp::create(s.b, args[0], args[1]);
  if (IsBool(s.from)) return {};
  return DivideInteger<arith::DivSIOp, arith::DivUIOp>(s, args, /*remainder=*/false);
}

Value Remainder(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return arith::RemFOp::create(s.b, args[0], args[1]);
  if (IsComplex(s.from) || IsBool(s.from)) return {};
  return DivideInteger<arith::RemSIOp, arith::RemUIOp>(s, args, /*remainder=*/true);
}

// Complex numbers are ordered by real part, then by imaginary part.
Value ComplexLess(const ScalarOp& s, Value lhs, Value rhs) {
  Value lhs_re = complex::ReOp::create(s.b, lhs);
  Value rhs_re = complex::ReOp::create(s.b, rhs);
  Value im_less =
      CompareFloat(s, arith::CmpFPredicate::OLT, complex::ImOp::create(s.b, lhs), complex::ImOp::create(s.b, rhs));
  return Select(s, CompareFloat(s, arith::CmpFPredicate::OEQ, lhs_re, rhs_re), im_less,
                CompareFloat(s, arith::CmpFPredicate::OLT, lhs_re, rhs_re));
}

Value Maximum(const ScalarOp& s, ValueRange args) {
  if (IsComplex(s.from)) return Select(s, ComplexLess(s, args[0], args[1]), args[1], args[0]);
  return EmitByType<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::OrIOp>(s, args);
}

Value Minimum(const ScalarOp& s, ValueRange args) {
  if (IsComplex(s.from)) return Select(s, ComplexLess(s, args[1], args[0]), args[1], args[0]);
  return EmitByType<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp>(s, args);
}

Value Clamp(const ScalarOp& s, ValueRange args) {
  Value low = Maximum(s, {args[1], args[0]});
  return low ? Minimum(s, {low, args[2]}) : Value();
}

Value Negate(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return arith::NegFOp::create(s.b, args[0]);
  if (IsComplex(s.from)) return complex::NegOp::create(s.b, args[0]);
  return arith::SubIOp::create(s.b, Constant(s, args[0], 0), args[0]);
}

Value Abs(const ScalarOp& s, ValueRange args) {
  if (IsFloat(s.from)) return math::AbsFOp::create(s.b, args[0]);
  if (IsComplex(s.from)) return ComplexModulus(s, args[0]);
  if (IsUnsigned(s.from) || IsBool(s.from)) return args[0];
  return arith::MaxSIOp::create(s.b, args[0], Negate(s, args));
}

// Keeps NaN and the sign of zero.
Value Sign(const ScalarOp& s, ValueRange args) {
  if (IsComplex(s.from)) return complex::SignOp::create(s.b, args[0]);
  Value zero = Constant(s, args[0], 0);
  Value one = Constant(s, args[0], 1);
  if (IsFloat(s.from)) {
    Value ordered = CompareFloat(s, arith::CmpFPredicate::ONE, args[0], zero);
    return Select(s, ordered, math::CopySignOp::create(s.b, one, args[0]), args[0]);
  }
  Value nonzero = Select(s, CompareInteger(s, arith::CmpIPredicate::eq, args[0], zero), zero, one);
  if (IsUnsigned(s.from)) return nonzero;
  return Select(s, CompareInteger(s, arith::CmpIPredicate::slt, args[0], zero), Constant(s, args[0], -1), nonzero);
}

// The bits of a float as an integer that is ordered like IEEE 754's totalOrder: all bits except the sign bit of
// negative numbers are flipped.
Value TotalOrderKey(const ScalarOp& s, Value value) {
  const unsigned width = value.getType().getIntOrFloatBitWidth();
  Type integer = s.b.getIntegerType(width);
  Value bits = arith::BitcastOp::create(s.b, integer, value);
  Value shift = arith::ConstantOp::create(s.b, s.b.getIntegerAttr(integer, width - 1));
  Value all_ones_if_negative = arith::ShRSIOp::create(s.b, bits, shift);
  Value magnitude =
      arith::ConstantOp::create(s.b, mlir::IntegerAttr::get(integer, llvm::APInt::getSignedMaxValue(width)));
  return arith::XOrIOp::create(s.b, bits, arith::AndIOp::create(s.b, all_ones_if_negative, magnitude));
}

Value CompareSigned(const ScalarOp& s, stablehlo::ComparisonDirection direction, Value lhs, Value rhs,
                    bool is_unsigned) {
  using P = arith::CmpIPredicate;
  switch (direction) {
    case stablehlo::ComparisonDirection::EQ:
      return CompareInteger(s, P::eq, lhs, rhs);
    case stablehlo::ComparisonDirection::NE:
      return CompareInteger(s, P::ne, lhs, rhs);
    case stablehlo::ComparisonDirection::GE:
      return CompareInteger(s, is_unsigned ? P::uge : P::sge, lhs, rhs);
    case stablehlo::ComparisonDirection::GT:
      return CompareInteger(s, is_unsigned ? P::ugt : P::sgt, lhs, rhs);
    case stablehlo::ComparisonDirection::LE:
      return CompareInteger(s, is_unsigned ? P::ule : P::sle, lhs, rhs);
    case stablehlo::ComparisonDirection::LT:
      return CompareInteger(s, is_unsigned ? P::ult : P::slt, lhs, rhs);
  }
  return {};
}

Value CompareFloats(const ScalarOp& s, stablehlo::ComparisonDirection direction, Value lhs, Value rhs) {
  using P = arith::CmpFPredicate;
  switch (direction) {
    case stablehlo::ComparisonDirection::EQ:
      return CompareFloat(s, P::OEQ, lhs, rhs);
    case stablehlo::ComparisonDirection::NE:
      return CompareFloat(s, P::UNE, lhs, rhs);
    case stablehlo::ComparisonDirection::GE:
      return CompareFloat(s, P::OGE, lhs, rhs);
    case stablehlo::ComparisonDirection::GT:
      return CompareFloat(s, P::OGT, lhs, rhs);
    case stablehlo::ComparisonDirection::LE:
      return CompareFloat(s, P::OLE, lhs, rhs);
    case stablehlo::ComparisonDirection::LT:
      return CompareFloat(s, P::OLT, lhs, rhs);
  }
  return {};
}

Value Compare(const ScalarOp& s, ValueRange args) {
  auto compare = mlir::cast<stablehlo::CompareOp>(s.op);
  const auto direction = compare.getComparisonDirection();
  if (IsComplex(s.from)) {
    if (direction == stablehlo::ComparisonDirection::EQ) return complex::EqualOp::create(s.b, args[0], args[1]);
    if (direction == stablehlo::ComparisonDirection::NE) return complex::NotEqualOp::create(s.b, args[0], args[1]);
    return {};
  }
  if (!IsFloat(s.from)) {
    return CompareSigned(s, direction, args[0], args[1], IsUnsigned(s.from) || IsBool(s.from));
  }
  if (compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER) {
    return CompareSigned(s, direction, TotalOrderKey(s, args[0]), TotalOrderKey(s, args[1]), /*is_unsigned=*/false);
  }
  return CompareFloats(s, direction, args[0], args[1]);
}

Value SelectRow(const ScalarOp& s, ValueRange args) { return Select(s, args[0], args[1], args[2]); }

// Rounds the mantissa of a subnormal number, held in a wider type, to `kept` bits. The mantissa bits of all subnormal
// numbers have the weights of the least normal number's.
Value RoundSubnormal(const ScalarOp& s, Value value, const llvm::fltSemantics& semantics, unsigned kept) {
  const int least = llvm::APFloat::semanticsMinExponent(semantics);
  auto type = mlir::cast<mlir::FloatType>(value.getType());
  // The last bit of numbers near this constant is the last bit that is kept.
  Value large = Constant(
      s, value, std::ldexp(1.5, least - static_cast<int>(kept) + static_cast<int>(type.getFPMantissaWidth()) - 1));
  Value rounded = arith::SubFOp::create(s.b, arith::AddFOp::create(s.b, value, large), large);
  rounded = math::CopySignOp::create(s.b, rounded, value);
  Value magnitude = math::AbsFOp::create(s.b, value);
  Value normal = Constant(s, value, std::ldexp(1.0, least));
  return Select(s, CompareFloat(s, arith::CmpFPredicate::OLT, magnitude, normal), rounded, value);
}

// Rounds the mantissa to nearest even, then maps numbers beyond the smaller exponent range to infinity or zero.
Value ReducePrecision(const ScalarOp& s, ValueRange args) {
  auto op = mlir::cast<stablehlo::ReducePrecisionOp>(s.op);
  auto format = mlir::cast<mlir::FloatType>(args[0].getType());
  const unsigned width = format.getWidth();
  const unsigned mantissa = format.getFPMantissaWidth() - 1;
  const unsigned exponent = width - 1 - mantissa;
  Type integer = s.b.getIntegerType(width);
  const auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(s.b, mlir::IntegerAttr::get(integer, llvm::APInt(width, value)));
  };
  const llvm::fltSemantics& semantics = mlir::cast<mlir::FloatType>(s.from).getFloatSemantics();
  const unsigned kept = op.getMantissaBits();
  Value value = args[0];
  if (s.from != format && kept + 1 < llvm::APFloat::semanticsPrecision(semantics)) {
    value = RoundSubnormal(s, value, semantics, kept);
  }
  Value bits = arith::BitcastOp::create(s.b, integer, value);
  if (kept < mantissa) {
    const uint64_t last = uint64_t{1} << (mantissa - kept);
    Value odd =
        arith::ShRUIOp::create(s.b, arith::AndIOp::create(s.b, bits, constant(last)), constant(mantissa - kept));
    Value bias = arith::AddIOp::create(s.b, odd, constant((last >> 1) - 1));
    bits = arith::AndIOp::create(s.b, arith::AddIOp::create(s.b, bits, bias), constant(~(last - 1)));
  }
  const unsigned kept_exponent = op.getExponentBits();
  if (kept_exponent < exponent) {
    const uint64_t bias = (uint64_t{1} << (exponent - 1)) - 1;
    const uint64_t reduced_bias = (uint64_t{1} << (kept_exponent - 1)) - 1;
    const uint64_t mask = ((uint64_t{1} << exponent) - 1) << mantissa;
    Value field = arith::AndIOp::create(s.b, bits, constant(mask));
    Value zero = arith::AndIOp::create(s.b, bits, constant(uint64_t{1} << (width - 1)));
    Value infinity = arith::OrIOp::create(s.b, zero, constant(mask));
    Value over = CompareInteger(s, arith::CmpIPredicate::ugt, field, constant((bias + reduced_bias) << mantissa));
    Value under = CompareInteger(s, arith::CmpIPredicate::ule, field, constant((bias - reduced_bias) << mantissa));
    bits = Select(s, over, infinity, bits);
    // Subnormal numbers become zero only if the least normal number of the reduced format is larger.
    if (1 - static_cast<int>(reduced_bias) > llvm::APFloat::semanticsMinExponent(semantics)) {
      bits = Select(s, under, zero, bits);
    }
  }
  Value result = arith::BitcastOp::create(s.b, format, bits);
  Value of_nan = args[0];
  if (kept == 0) {
    // Without mantissa bits, a NaN can only be encoded as infinity.
    Value sign = arith::AndIOp::create(s.b, arith::BitcastOp::create(s.b, integer, args[0]),
                                       constant(uint64_t{1} << (width - 1)));
    Value infinity = arith::OrIOp::create(s.b, sign, constant(((uint64_t{1} << exponent) - 1) << mantissa));
    of_nan = arith::BitcastOp::create(s.b, format, infinity);
  }
  return Select(s, CompareFloat(s, arith::CmpFPredicate::UNO, args[0], args[0]), of_nan, result);
}

Value IsFinite(const ScalarOp& s, ValueRange args) { return math::IsFiniteOp::create(s.b, args[0]); }

constexpr ScalarRow kArithmeticRows[] = {
    {"stablehlo.add", &EmitByType<arith::AddFOp, arith::AddIOp, arith::AddIOp, arith::OrIOp, complex::AddOp>},
    {"stablehlo.subtract", &EmitByType<arith::SubFOp, arith::SubIOp, arith::SubIOp, void, complex::SubOp>},
    {"stablehlo.multiply", &EmitByType<arith::MulFOp, arith::MulIOp, arith::MulIOp, arith::AndIOp, complex::MulOp>},
    {"stablehlo.divide", &Divide},
    {"stablehlo.remainder", &Remainder},
    {"stablehlo.maximum", &Maximum},
    {"stablehlo.minimum", &Minimum},
    {"stablehlo.clamp", &Clamp},
    {"stablehlo.negate", &Negate},
    {"stablehlo.abs", &Abs},
    {"stablehlo.sign", &Sign},
    {"stablehlo.compare", &Compare},
    {"stablehlo.select", &SelectRow},
    {"stablehlo.floor", &EmitByType<math::FloorOp>},
    {"stablehlo.ceil", &EmitByType<math::CeilOp>},
    {"stablehlo.round_nearest_afz", &EmitByType<math::RoundOp>},
    {"stablehlo.round_nearest_even", &EmitByType<math::RoundEvenOp>},
    {"stablehlo.is_finite", &IsFinite},
    {"stablehlo.reduce_precision", &ReducePrecision},
};

}  // namespace

llvm::ArrayRef<ScalarRow> ArithmeticRows() { return kArithmeticRows; }

}  // namespace opbyop::host
