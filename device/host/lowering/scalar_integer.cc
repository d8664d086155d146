// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows for bits and integer powers.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace math = mlir::math;

Value AllOnes(const ScalarOp& s, Value like) { return ScalarConstant(s.b, like.getType(), -1); }

Value Not(const ScalarOp& s, ValueRange args) { return arith::XOrIOp::create(s.b, args[0], AllOnes(s, args[0])); }

// A shift by the width or more gives the same as that many shifts by one: no bits, or the sign everywhere. A negative
// amount counts as a large one.
template <typename ShiftT>
Value Shift(const ScalarOp& s, ValueRange args) {
  const unsigned width = args[0].getType().getIntOrFloatBitWidth();
  Value limit = ScalarConstant(s.b, args[0].getType(), width);
  Value most = ScalarConstant(s.b, args[0].getType(), width - 1);
  Value in_range = arith::CmpIOp::create(s.b, arith::CmpIPredicate::ult, args[1], limit);
  if constexpr (std::is_same_v<ShiftT, arith::ShRSIOp>) {
    return ShiftT::create(s.b, args[0], arith::SelectOp::create(s.b, in_range, args[1], most));
  } else {
    Value amount = arith::SelectOp::create(s.b, in_range, args[1], most);
    Value zero = ScalarConstant(s.b, args[0].getType(), 0);
    return arith::SelectOp::create(s.b, in_range, ShiftT::create(s.b, args[0], amount), zero);
  }
}

// Squares and multiplies over the bits of the exponent. A negative exponent gives 1 / base^|exponent| rounded towards
// zero: zero unless the base is 1 or -1.
Value IntegerPower(const ScalarOp& s, Value base, Value exponent) {
  mlir::Type type = base.getType();
  const unsigned width = type.getIntOrFloatBitWidth();
  const auto constant = [&](double value) { return ScalarConstant(s.b, type, value); };
  Value zero = constant(0);
  Value one = constant(1);
  Value result = one;
  Value square = base;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = arith::ConstantOp::create(s.b, mlir::IntegerAttr::get(type, llvm::APInt::getOneBitSet(width, bit)));
    Value set = arith::CmpIOp::create(s.b, arith::CmpIPredicate::ne, arith::AndIOp::create(s.b, exponent, mask), zero);
    result = arith::SelectOp::create(s.b, set, arith::MulIOp::create(s.b, result, square), result);
    if (bit + 1 < width) square = arith::MulIOp::create(s.b, square, square);
  }
  if (IsUnsigned(s.from)) return result;
  Value minus_one = constant(-1);
  Value negative = arith::CmpIOp::create(s.b, arith::CmpIPredicate::slt, exponent, zero);
  Value is_one = arith::CmpIOp::create(s.b, arith::CmpIPredicate::eq, base, one);
  Value is_minus_one = arith::CmpIOp::create(s.b, arith::CmpIPredicate::eq, base, minus_one);
  Value odd = arith::CmpIOp::create(s.b, arith::CmpIPredicate::ne, arith::AndIOp::create(s.b, exponent, one), zero);
  Value unit = arith::SelectOp::create(
      s.b, is_one, one,
      arith::SelectOp::create(s.b, is_minus_one, arith::SelectOp::create(s.b, odd, minus_one, one), zero));
  return arith::SelectOp::create(s.b, negative, unit, result);
}

Value Power(const ScalarOp& s, ValueRange args) {
  if (IsBool(s.from)) return {};
  if (mlir::isa<mlir::IntegerType>(s.from)) return IntegerPower(s, args[0], args[1]);
  if (mlir::isa<mlir::ComplexType>(s.from)) return ComplexPower(s, args);
  return EmitByType<math::PowFOp>(s, args);
}

constexpr ScalarRow kIntegerRows[] = {
    {"stablehlo.and", &EmitByType<void, arith::AndIOp, arith::AndIOp, arith::AndIOp>},
    {"stablehlo.or", &EmitByType<void, arith::OrIOp, arith::OrIOp, arith::OrIOp>},
    {"stablehlo.xor", &EmitByType<void, arith::XOrIOp, arith::XOrIOp, arith::XOrIOp>},
    {"stablehlo.not", &Not},
    {"stablehlo.popcnt", &EmitByType<void, math::CtPopOp, math::CtPopOp>},
    {"stablehlo.count_leading_zeros", &EmitByType<void, math::CountLeadingZerosOp, math::CountLeadingZerosOp>},
    {"stablehlo.shift_left", &Shift<arith::ShLIOp>},
    {"stablehlo.shift_right_arithmetic", &Shift<arith::ShRSIOp>},
    {"stablehlo.shift_right_logical", &Shift<arith::ShRUIOp>},
    {"stablehlo.power", &Power},
};

}  // namespace

llvm::ArrayRef<ScalarRow> IntegerRows() { return kIntegerRows; }

}  // namespace opbyop::host
