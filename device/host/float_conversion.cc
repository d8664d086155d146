// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/float_conversion.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace opbyop::host {
namespace {

// The ABI passes _Float16 and __bf16 in the low bits of an SSE register, as it does float, so the 16 bits are passed in
// a float.
float InRegister(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint16_t FromRegister(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value)); }

// Rounds `value` once, to nearest even, to a format of `mantissa` stored bits and the given exponent range. Scaling by
// a power of two is exact, so nearbyint is the only rounding.
template <int kMantissa, int kMinExponent, int kMaxExponent>
uint16_t Truncate(double value) {
  constexpr int kExponentBits = 15 - kMantissa;
  constexpr uint16_t kInfinity = ((1u << kExponentBits) - 1) << kMantissa;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | kInfinity | (1u << (kMantissa - 1));
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | kInfinity;
  int exponent = std::ilogb(magnitude);
  if (exponent < kMinExponent) exponent = kMinExponent;  // subnormal: the spacing is that of the least exponent
  const double units = std::nearbyint(std::ldexp(magnitude, kMantissa - exponent));
  // A carry out of the mantissa increments the exponent field, as it must; so does overflow to infinity.
  const int64_t field = static_cast<int64_t>(units) + (static_cast<int64_t>(exponent - kMinExponent) << kMantissa);
  return sign | static_cast<uint16_t>(field >= kInfinity || exponent > kMaxExponent ? kInfinity : field);
}

uint16_t ToHalf(double value) { return Truncate<10, -14, 15>(value); }
uint16_t ToBfloat(double value) { return Truncate<7, -126, 127>(value); }

float HalfToFloat(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  float value;
  if (exponent == 0x1f) {
    value = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else {
    value = exponent ? std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25)
                     : std::ldexp(static_cast<float>(mantissa), -24);
  }
  return bits & 0x8000 ? -value : value;
}

float TruncateFloatToBfloat(float value) { return InRegister(ToBfloat(value)); }
float TruncateDoubleToBfloat(double value) { return InRegister(ToBfloat(value)); }
float TruncateFloatToHalf(float value) { return InRegister(ToHalf(value)); }
float TruncateDoubleToHalf(double value) { return InRegister(ToHalf(value)); }
float ExtendHalfToFloat(float half) { return HalfToFloat(FromRegister(half)); }

}  // namespace

std::span<const FloatConversion> FloatConversions() {
  static const std::array<FloatConversion, 5> conversions = {{
      {"__truncsfbf2", reinterpret_cast<void*>(&TruncateFloatToBfloat)},
      {"__truncdfbf2", reinterpret_cast<void*>(&TruncateDoubleToBfloat)},
      {"__truncsfhf2", reinterpret_cast<void*>(&TruncateFloatToHalf)},
      {"__truncdfhf2", reinterpret_cast<void*>(&TruncateDoubleToHalf)},
      {"__extendhfsf2", reinterpret_cast<void*>(&ExtendHalfToFloat)},
  }};
  return conversions;
}

}  // namespace opbyop::host
