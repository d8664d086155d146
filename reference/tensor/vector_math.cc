// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/tensor/clones.h"
#include "reference/tensor/libmvec.h"
#include "reference/tensor/special_functions.h"

namespace opbyop::reference {
namespace {

// Rounds the results of a vector function to f32. Marks those for which the error decides the result, and those that
// are no ordinary numbers. Returns the number of marks.
OPBYOP_CLONES size_t RoundCertain(const double* values, size_t count, double relative, double absolute, double* out,
                                  uint8_t* doubtful) {
  // Far inside the range of f64, so that a relative error is one, and far outside that of f32.
  constexpr double kLeast = 0x1p-900, kMost = 0x1p900;
  size_t marks = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = values[i];
    const double size = std::fabs(value);
    const double error = relative * size + absolute;
    const auto low = static_cast<float>(value - error), high = static_cast<float>(value + error);
    const bool certain = (size > kLeast) & (size < kMost) & (low == high) & ((low != 0) | (absolute == 0));
    out[i] = high;
    doubtful[i] = certain ? 0 : 1;
    marks += doubtful[i];
  }
  return marks;
}

#ifdef OPBYOP_HAS_LIBMVEC

constexpr VectorFunction kFunctions[] = {
    {"chlo.acos", 1, &OfOne<&Libmvec::acos>},
    {"chlo.acosh", 1, &OfOne<&Libmvec::acosh>},
    {"chlo.asin", 1, &OfOne<&Libmvec::asin>},
    {"chlo.asinh", 1, &OfOne<&Libmvec::asinh>},
    {"chlo.atan", 1, &OfOne<&Libmvec::atan>},
    {"chlo.atanh", 1, &OfOne<&Libmvec::atanh>},
    {"chlo.bessel_i1e", 1, &BesselI1eOfMany, 0x1p-42},
    {"chlo.cosh", 1, &OfOne<&Libmvec::cosh>},
    {"chlo.digamma", 1, &DigammaOfMany, 0x1p-47, 0x1p-46},
    {"chlo.erf", 1, &OfOne<&Libmvec::erf>},
    {"chlo.erf_inv", 1, &ErfInvOfMany, 0x1p-44},
    {"chlo.erfc", 1, &OfOne<&Libmvec::erfc>},
    {"chlo.lgamma", 1, &LgammaOfMany, 0x1p-46, 0x1p-44},
    {"chlo.polygamma", 2, &PolygammaOfMany, 0x1p-42},
    {"chlo.sinh", 1, &OfOne<&Libmvec::sinh>},
    {"chlo.tan", 1, &OfOne<&Libmvec::tan>},
    {"chlo.zeta", 2, &ZetaOfMany, 0x1p-42},
    {"stablehlo.atan2", 2, &OfTwo<&Libmvec::atan2>},
    {"stablehlo.cbrt", 1, &OfOne<&Libmvec::cbrt>},
    {"stablehlo.cosine", 1, &OfOne<&Libmvec::cos>},
    {"stablehlo.exponential", 1, &OfOne<&Libmvec::exp>},
    {"stablehlo.exponential_minus_one", 1, &OfOne<&Libmvec::expm1>},
    {"stablehlo.log", 1, &OfOne<&Libmvec::log>},
    {"stablehlo.log_plus_one", 1, &OfOne<&Libmvec::log1p>},
    {"stablehlo.logistic", 1, &LogisticOfMany},
    {"stablehlo.power", 2, &OfTwo<&Libmvec::pow>},
    {"stablehlo.rsqrt", 1, &RsqrtOfMany},
    {"stablehlo.sine", 1, &OfOne<&Libmvec::sin>},
    {"stablehlo.sqrt", 1, &SqrtOfMany},
    {"stablehlo.tan", 1, &OfOne<&Libmvec::tan>},
    {"stablehlo.tanh", 1, &TanhOfMany},
};

#endif

}  // namespace

std::span<const VectorFunction> VectorFunctions() {
#ifdef OPBYOP_HAS_LIBMVEC
  if (InstalledLibmvec() != nullptr) return kFunctions;
#endif
  return {};
}

const VectorFunction* FindVectorFunction(std::string_view op) {
  const std::span<const VectorFunction> all = VectorFunctions();
  const auto found = std::ranges::lower_bound(all, op, {}, &VectorFunction::op);
  return found == all.end() || found->op != op ? nullptr : &*found;
}

void MapToF32(const VectorFunction& function, VectorOperand x, VectorOperand y, int64_t count, double* out,
              llvm::function_ref<double(int64_t)> exact) {
  std::array<double, kVectorBlock> some_x, some_y, values;
  std::array<uint8_t, kVectorBlock> doubtful;
  const auto size = static_cast<size_t>(count);
  for (size_t at = 0; at < size; at += kVectorBlock) {
    const size_t part = std::min(kVectorBlock, size - at);
    const size_t padded = (part + 3) / 4 * 4;
    // Returns `padded` numbers of the operand.
    const auto numbers = [&](const VectorOperand& operand, std::array<double, kVectorBlock>& copy) -> const double* {
      if (operand.values == nullptr) return nullptr;
      if (operand.same) {
        if (at == 0) copy.fill(*operand.values);
        return copy.data();
      }
      if (padded == part) return operand.values + at;
      std::copy_n(operand.values + at, part, copy.begin());
      std::fill(copy.begin() + part, copy.begin() + padded, copy[part - 1]);
      return copy.data();
    };
    function.approximate(numbers(x, some_x), numbers(y, some_y), padded, values.data());
    if (RoundCertain(values.data(), part, function.relative, function.absolute, out + at, doubtful.data()) == 0) {
      continue;
    }
    for (size_t i = 0; i < part; ++i) {
      if (doubtful[i] != 0) out[at + i] = static_cast<float>(exact(static_cast<int64_t>(at + i)));
    }
  }
}

}  // namespace opbyop::reference
