// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers fft of any length by the length's prime factors, in f64, and rounds once.
//
// For a transform of length p * q over j = q * j1 + j2, let w be the first root of unity of order p * q:
//   y[j2, k1] = sum over j1 of x[j1, j2] * w^(j * k1)
// Transforms of length q over j2 follow for every k1; their k2 gives the index k1 + p * k2 of the result. Each factor
// is therefore one loop nest from [batch, p, q, done] to [batch, q, p * done]. `done` covers the indices that the
// earlier factors produced (and the dimensions after the transformed one).
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cmath>
#include <numbers>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/number.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace tensor = mlir::tensor;

// Factors of four come first: they need half the passes of factors of two.
llvm::SmallVector<int64_t> FactorsOf(int64_t n) {
  llvm::SmallVector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// w^k for k < n as [n, 2]: real and imaginary parts.
Value Roots(mlir::ImplicitLocOpBuilder& b, int64_t n, bool inverse) {
  std::vector<double> parts;
  for (int64_t k = 0; k < n; ++k) {
    const long double turn = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n;
    parts.push_back(static_cast<double>(std::cos(turn)));
    parts.push_back(static_cast<double>(inverse ? std::sin(turn) : -std::sin(turn)));
  }
  const RankedTensorType type = RankedTensorType::get({n, 2}, b.getF64Type());
  return arith::ConstantOp::create(b, type, mlir::DenseElementsAttr::get(type, llvm::ArrayRef(parts)));
}

// One factor: x is [batch, p * q, done], the result [batch, q, p * done].
Value Pass(mlir::ImplicitLocOpBuilder& b, Value x, int64_t p, bool inverse) {
  const int64_t batch = ShapeOf(x)[0], length = ShapeOf(x)[1], done = ShapeOf(x)[2];
  const int64_t q = length / p;
  x = Reshaped(b, x, {batch, p, q, done});
  Value roots = Roots(b, length, inverse);
  const RankedTensorType type = WithShape(x, {batch, q, p, done});
  Value zeros = Filled(b, type, ScalarConstant(b, type.getElementType(), 0));
  const auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  // Loops: batch, j2, k1, j1, done.
  const auto map = [&](llvm::ArrayRef<mlir::AffineExpr> exprs) { return AffineMap::get(5, 0, exprs, b.getContext()); };
  Value y = Generic(
      b, x, zeros, {map({dim(0), dim(3), dim(1), dim(4)}), map({dim(0), dim(1), dim(2), dim(4)})},
      {kParallel, kParallel, kParallel, kReduction, kParallel}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
        const auto index = [&](int64_t i) { return mlir::linalg::IndexOp::create(inner, i).getResult(); };
        Value j =
            arith::AddIOp::create(inner, arith::MulIOp::create(inner, index(3), ConstantIndex(inner, q)), index(1));
        Value power =
            arith::RemUIOp::create(inner, arith::MulIOp::create(inner, j, index(2)), ConstantIndex(inner, length));
        const auto part = [&](int64_t which) {
          return tensor::ExtractOp::create(inner, roots, ValueRange{power, ConstantIndex(inner, which)}).getResult();
        };
        Value root = complex::CreateOp::create(inner, v[0].getType(), part(0), part(1));
        return ValueList{Add(inner, v[1], Multiply(inner, v[0], root))};
      })[0];
  return Reshaped(b, y, {batch, q, p * done});
}

// Transforms along one dimension, without the inverse's factor 1 / n.
Value TransformAlong(mlir::ImplicitLocOpBuilder& b, Value x, size_t dimension, bool inverse) {
  const llvm::SmallVector<int64_t> shape(ShapeOf(x));
  const int64_t length = shape[dimension];
  int64_t batch = 1, inner = 1;
  for (size_t d = 0; d < dimension; ++d) batch *= shape[d];
  for (size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
  x = Reshaped(b, x, {batch, length, inner});
  for (const int64_t p : FactorsOf(length)) x = Pass(b, x, p, inverse);
  return Reshaped(b, x, shape);
}

class FftPattern : public ValuePattern<stablehlo::FftOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::FftOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Type element = type.getElementType();
    const auto kind = op.getFftType();
    const bool inverse = kind == stablehlo::FftType::IFFT || kind == stablehlo::FftType::IRFFT;
    const auto length = op.getFftLength();
    if (type.getNumElements() == 0 ||
        mlir::cast<RankedTensorType>(adaptor.getOperand().getType()).getNumElements() == 0) {
      return Filled(b, type, ScalarConstant(b, element, 0));
    }
    const size_t rank = static_cast<size_t>(type.getRank());
    const size_t first = rank - length.size();
    Value x = Widened(b, adaptor.getOperand());
    // The last dimension is transformed first if it shrinks, and last if it grows.
    if (kind == stablehlo::FftType::IRFFT) {
      for (size_t d = first; d + 1 < rank; ++d) x = TransformAlong(b, x, d, inverse);
      x = TransformAlong(b, CompleteSpectrum(b, x, length.back()), rank - 1, inverse);
    } else {
      x = TransformAlong(b, x, rank - 1, inverse);
      if (kind == stablehlo::FftType::RFFT) x = FirstHalf(b, x);
      for (size_t d = rank - 1; d-- > first;) x = TransformAlong(b, x, d, inverse);
    }
    double scale = 1;
    if (inverse) {
      for (const int64_t n : length) scale /= static_cast<double>(n);
    }
    return Rounded(b, x, type, scale);
  }

 private:
  static Value Widened(mlir::ImplicitLocOpBuilder& b, Value x) {
    mlir::Type from = ElementOf(x.getType());
    mlir::Type wide = mlir::ComplexType::get(b.getF64Type());
    return Pointwise(b, RankedTensorType::get(ShapeOf(x), wide), x,
                     [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
                       return ValueList{EmitConvert(inner, v[0], from, wide)};
                     });
  }

  static Value Rounded(mlir::ImplicitLocOpBuilder& b, Value x, RankedTensorType type, double scale) {
    mlir::Type element = type.getElementType();
    return Pointwise(b, type, x, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange v) {
      Value factor = ScalarConstant(inner, inner.getF64Type(), scale);
      Value re = Multiply(inner, complex::ReOp::create(inner, v[0]), factor);
      Value im = Multiply(inner, complex::ImOp::create(inner, v[0]), factor);
      if (mlir::isa<mlir::FloatType>(element)) return ValueList{ConvertFloat(inner, re, element)};
      mlir::Type part = mlir::cast<mlir::ComplexType>(element).getElementType();
      return ValueList{
          complex::CreateOp::create(inner, element, ConvertFloat(inner, re, part), ConvertFloat(inner, im, part))};
    });
  }

  static Value FirstHalf(mlir::ImplicitLocOpBuilder& b, Value x) {
    llvm::SmallVector<int64_t> shape(ShapeOf(x));
    shape.back() = shape.back() / 2 + 1;
    return CopyThrough(b, WithShape(x, shape), x, b.getMultiDimIdentityMap(static_cast<unsigned>(shape.size())));
  }

  // x[n - k] = conj(x[k]). The values at 0 and n / 2 are real for a real signal, so their imaginary parts are ignored.
  static Value CompleteSpectrum(mlir::ImplicitLocOpBuilder& b, Value x, int64_t n) {
    llvm::SmallVector<int64_t> shape(ShapeOf(x));
    const int64_t have = shape.back();
    shape.back() = n;
    const RankedTensorType type = WithShape(x, shape);
    return Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
      ValueList at;
      for (int64_t i = 0; i < type.getRank(); ++i) at.push_back(mlir::linalg::IndexOp::create(inner, i));
      Value k = at.back();
      const auto compare = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) -> Value {
        return arith::CmpIOp::create(inner, predicate, lhs, ConstantIndex(inner, rhs));
      };
      Value given = compare(arith::CmpIPredicate::ult, k, have);
      Value mirrored = arith::SubIOp::create(inner, ConstantIndex(inner, n), k);
      at.back() = arith::SelectOp::create(inner, given, k, mirrored);
      Value value = tensor::ExtractOp::create(inner, x, at);
      value = arith::SelectOp::create(inner, given, value, Conjugate(inner, value));
      Value real = compare(arith::CmpIPredicate::eq, k, 0);
      if (n % 2 == 0) real = arith::OrIOp::create(inner, real, compare(arith::CmpIPredicate::eq, k, n / 2));
      Value projected = FromReal(inner, value.getType(), RealPart(inner, value));
      return ValueList{arith::SelectOp::create(inner, real, projected, value)};
    });
  }
};

}  // namespace

void PopulateFourier(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<FftPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
