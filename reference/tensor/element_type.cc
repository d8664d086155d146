// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/element_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tensor/clones.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

constexpr auto kInfinity = Overflow::kInfinity;
constexpr auto kSaturate = Overflow::kSaturate;
// name, bits, precision, min_exponent, bias, max_finite, overflow, -0, sign, NaN
constexpr FloatFormat kFormats[] = {
    {"f64", 64, 53, -1022, 1023, std::numeric_limits<double>::max(), kInfinity, true, true, 0x7FF8000000000000},
    {"f32", 32, 24, -126, 127, std::numeric_limits<float>::max(), kInfinity, true, true, 0x7FC00000},
    {"f16", 16, 11, -14, 15, 65504, kInfinity, true, true, 0x7E00},
    {"bf16", 16, 8, -126, 127, 0x1.FEp127, kInfinity, true, true, 0x7FC0},
    {"f8E5M2", 8, 3, -14, 15, 57344, kInfinity, true, true, 0x7E},
    {"f8E4M3", 8, 4, -6, 7, 240, kInfinity, true, true, 0x7C},
    {"f8E4M3FN", 8, 4, -6, 7, 448, Overflow::kNan, true, true, 0x7F},
    {"f8E3M4", 8, 5, -2, 3, 15.5, kInfinity, true, true, 0x78},
    {"f8E4M3FNUZ", 8, 4, -7, 8, 240, Overflow::kNan, false, true, 0x80},
    {"f8E5M2FNUZ", 8, 3, -15, 16, 57344, Overflow::kNan, false, true, 0x80},
    {"f8E4M3B11FNUZ", 8, 4, -10, 11, 30, Overflow::kNan, false, true, 0x80},
    {"f8E8M0FNU", 8, 1, -127, 127, 0x1p127, Overflow::kNan, false, false, 0xFF},
    {"f6E2M3FN", 6, 4, 0, 1, 7.5, kSaturate, true, true, 0},
    {"f6E3M2FN", 6, 3, -2, 3, 28, kSaturate, true, true, 0},
    {"f4E2M1FN", 4, 2, 0, 1, 6, kSaturate, true, true, 0},
};

using enum ElementKind;
constexpr ElementTypeInfo kTypes[] = {
    {"i1", kBool, false, 1, nullptr},
    {"i2", kInteger, true, 2, nullptr},
    {"i4", kInteger, true, 4, nullptr},
    {"i8", kInteger, true, 8, nullptr},
    {"i16", kInteger, true, 16, nullptr},
    {"i32", kInteger, true, 32, nullptr},
    {"i64", kInteger, true, 64, nullptr},
    {"ui2", kInteger, false, 2, nullptr},
    {"ui4", kInteger, false, 4, nullptr},
    {"ui8", kInteger, false, 8, nullptr},
    {"ui16", kInteger, false, 16, nullptr},
    {"ui32", kInteger, false, 32, nullptr},
    {"ui64", kInteger, false, 64, nullptr},
    {"f64", kFloat, true, 64, &kFormats[0]},
    {"f32", kFloat, true, 32, &kFormats[1]},
    {"f16", kFloat, true, 16, &kFormats[2]},
    {"bf16", kFloat, true, 16, &kFormats[3]},
    {"f8E5M2", kFloat, true, 8, &kFormats[4]},
    {"f8E4M3", kFloat, true, 8, &kFormats[5]},
    {"f8E4M3FN", kFloat, true, 8, &kFormats[6]},
    {"f8E3M4", kFloat, true, 8, &kFormats[7]},
    {"f8E4M3FNUZ", kFloat, true, 8, &kFormats[8]},
    {"f8E5M2FNUZ", kFloat, true, 8, &kFormats[9]},
    {"f8E4M3B11FNUZ", kFloat, true, 8, &kFormats[10]},
    {"f8E8M0FNU", kFloat, true, 8, &kFormats[11]},
    {"f6E2M3FN", kFloat, true, 6, &kFormats[12]},
    {"f6E3M2FN", kFloat, true, 6, &kFormats[13]},
    {"f4E2M1FN", kFloat, true, 4, &kFormats[14]},
    {"complex<f32>", kComplex, true, 64, &kFormats[1]},
    {"complex<f64>", kComplex, true, 128, &kFormats[0]},
};
static_assert(std::ranges::all_of(kTypes, [](const auto& t) { return t.kind != kFloat || t.format->name == t.name; }));

thread_local bool toward_zero = false;

// Returns 2^e. Exponents of normal doubles are assembled from bits, which is faster than ldexp.
double PowerOfTwo(int e) {
  if (e < -1022 || e > 1023) return std::ldexp(1.0, e);
  return std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52);
}

// floor(log2|x|) of a finite nonzero double.
int ExponentOf(double x) {
  const int biased = static_cast<int>((std::bit_cast<uint64_t>(x) >> 52) & 0x7FF);
  return biased == 0 ? std::ilogb(x) : biased - 1023;
}

double Beyond(const FloatFormat& format, double value) {
  switch (format.overflow) {
    case kInfinity:
      return std::copysign(kInf, value);
    case Overflow::kNan:
      return kNan;
    case kSaturate:
      return std::copysign(format.max_finite, value);
  }
  return kNan;
}

// Rounds a finite value beyond the greatest number of the format. Toward zero it becomes that greatest number, unless
// f32 cannot hold it: it then was an infinity before it was stored.
double RoundBeyondGreatest(const FloatFormat& format, double value) {
  const bool stays_finite = toward_zero && std::isfinite(static_cast<float>(value));
  return stays_finite ? std::copysign(format.max_finite, value) : Beyond(format, value);
}

// f8E8M0FNU has only powers of two and NaN: no zero, no sign. Of two numbers that are equally near it takes the larger,
// which is the rule of IEEE 754-2019, 4.3.1 if neither is even.
double RoundToExponentOnly(const FloatFormat& format, double value) {
  if (!(value >= 0) || value == kInf) return kNan;
  const double least = PowerOfTwo(format.min_exponent);
  if (value <= least) return least;
  const double low = PowerOfTwo(ExponentOf(value));
  if (toward_zero) return std::min(low, format.max_finite);
  const double rounded = value - low >= 0.5 * low ? 2 * low : low;
  return rounded > format.max_finite ? kNan : rounded;
}

// Elements that are rounded or encoded at once: they stay in the first-level cache.
constexpr size_t kBlock = 1024;

int UnbiasedExponent(uint64_t bits) { return static_cast<int>((bits >> 52) & 0x7FF) - 1023; }

// Rounds the bits of a double to `drop` fewer digits, to nearest with ties to even. A carry reaches the exponent as it
// should. Right for numbers that are normal before and after.
double RoundBits(uint64_t bits, int drop) {
  const uint64_t up = (uint64_t{1} << (drop - 1)) - 1 + ((bits >> drop) & 1);
  return std::bit_cast<double>((bits + up) >> drop << drop);
}

// True if RoundBits rounds a value to the format as RoundTo does: zeros, and numbers that are normal before and after.
inline bool RoundsByBits(const FloatFormat& format, uint64_t bits, double near) {
  // A NaN of many digits carries into the sign and comes out as a zero.
  const int exponent = UnbiasedExponent(bits);
  const bool normal = exponent >= format.min_exponent && exponent != 1024 && std::fabs(near) <= format.max_finite;
  return normal || (format.has_negative_zero && bits << 1 == 0);
}

// Rounds to nearest by RoundBits. False if some value is not rounded so: its result is wrong.
OPBYOP_CLONES bool RoundNormals(FloatFormat format, std::span<const double> values, double* out) {
  const int drop = 53 - format.precision;
  unsigned exceptions = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<uint64_t>(values[i]);
    out[i] = RoundBits(bits, drop);
    exceptions |= !RoundsByBits(format, bits, out[i]);
  }
  return exceptions == 0;
}

// True if EncodeNormals knows the code: of zeros and normal numbers.
inline bool IsEncodedByBits(const FloatFormat& format, uint64_t bits) {
  const int exponent = UnbiasedExponent(bits);
  return (exponent >= format.min_exponent && exponent != 1024) || bits << 1 == 0;
}

// The codes of a format with a sign and at most 16 bits. False if some value has another code: its result is wrong.
OPBYOP_CLONES bool EncodeNormals(FloatFormat format, std::span<const double> values, uint16_t* codes) {
  const int mantissa_bits = format.precision - 1;
  const uint64_t mask = (uint64_t{1} << mantissa_bits) - 1;
  const uint64_t sign_of_zero = format.has_negative_zero ? 1 : 0;
  unsigned exceptions = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<uint64_t>(values[i]);
    const bool zero = bits << 1 == 0;
    exceptions |= !IsEncodedByBits(format, bits);
    const uint64_t magnitude = (static_cast<uint64_t>(UnbiasedExponent(bits) + format.bias) << mantissa_bits) |
                               ((bits >> (52 - mantissa_bits)) & mask);
    const uint64_t sign = (bits >> 63) & (zero ? sign_of_zero : 1);
    codes[i] = static_cast<uint16_t>(sign << (format.bits - 1) | (zero ? 0 : magnitude));
  }
  return exceptions == 0;
}

}  // namespace

double FloatFormat::UnitRoundoff() const { return PowerOfTwo(-precision); }

double FloatFormat::Ulp(double x) const {
  if (!std::isfinite(x)) return 0;
  const int e = x == 0 ? min_exponent : std::max(ExponentOf(x), min_exponent);
  return PowerOfTwo(e - precision + 1);
}

const ElementTypeInfo& Info(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

std::optional<ElementType> ParseElementType(std::string_view name) {
  if (name == "index") return ElementType::kI64;
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.name == name; });
  if (found == std::end(kTypes)) return std::nullopt;
  return static_cast<ElementType>(found - kTypes);
}

ElementType ComplexOf(ElementType part) { return part == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64; }

ElementType PartOf(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

RoundingTowardZero::RoundingTowardZero(bool on) : before_(toward_zero) { toward_zero = toward_zero || on; }
RoundingTowardZero::~RoundingTowardZero() { toward_zero = before_; }
bool RoundingTowardZero::IsOn() { return toward_zero; }

double RoundTo(const FloatFormat& format, double value) {
  if (format.precision == 53) return value;
  if (format.precision == 24) return static_cast<float>(value);
  if (!format.has_sign) return RoundToExponentOnly(format, value);
  if (std::isnan(value)) return format.nan_code != 0 ? value : -0.0;
  if (std::isinf(value)) return Beyond(format, value);
  if (value == 0) return format.has_negative_zero ? value : 0.0;
  // If the result is normal, the bits of the double are rounded as an integer: a carry into the exponent is correct.
  const auto bits = std::bit_cast<uint64_t>(value);
  if (static_cast<int>((bits >> 52) & 0x7FF) - 1023 >= format.min_exponent) {
    const int drop = 53 - format.precision;
    const double near = toward_zero ? std::bit_cast<double>(bits >> drop << drop) : RoundBits(bits, drop);
    return std::fabs(near) > format.max_finite ? RoundBeyondGreatest(format, value) : near;
  }
  const double quantum = PowerOfTwo(std::max(ExponentOf(value), format.min_exponent) - format.precision + 1);
  const double rounded = (toward_zero ? std::trunc(value / quantum) : std::rint(value / quantum)) * quantum;
  if (std::fabs(rounded) > format.max_finite) return RoundBeyondGreatest(format, value);
  return rounded == 0 && !format.has_negative_zero ? 0.0 : rounded;
}

void RoundSpan(const FloatFormat& format, std::span<double> values) {
  if (format.precision == 53) return;
  if (format.precision == 24) {
    for (double& v : values) v = static_cast<float>(v);
    return;
  }
  if (!format.has_sign || toward_zero) {
    for (double& v : values) v = RoundTo(format, v);
    return;
  }
  std::array<double, kBlock> before;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const std::span<double> block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    std::ranges::copy(block, before.begin());
    if (RoundNormals(format, {before.data(), block.size()}, block.data())) continue;
    for (size_t i = 0; i < block.size(); ++i) {
      if (!RoundsByBits(format, std::bit_cast<uint64_t>(before[i]), block[i])) block[i] = RoundTo(format, before[i]);
    }
  }
}

uint64_t EncodeFloat(const FloatFormat& format, double value) {
  if (format.precision == 53) return std::bit_cast<uint64_t>(value);
  if (format.precision == 24) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return format.nan_code;
  if (!format.has_sign) return static_cast<uint64_t>(int64_t{ExponentOf(value)} + format.bias);
  const int mantissa_bits = format.precision - 1;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (format.bits - 1) : 0;
  if (value == 0) return format.has_negative_zero ? sign : 0;
  const int exponent_bits = format.bits - 1 - mantissa_bits;
  if (std::isinf(value)) return sign | (((uint64_t{1} << exponent_bits) - 1) << mantissa_bits);
  const int e = ExponentOf(value);
  if (e < format.min_exponent) {
    return sign | static_cast<uint64_t>(std::fabs(value) / PowerOfTwo(format.min_exponent - mantissa_bits));
  }
  const uint64_t mantissa =
      (std::bit_cast<uint64_t>(value) >> (52 - mantissa_bits)) & ((uint64_t{1} << mantissa_bits) - 1);
  return sign | (static_cast<uint64_t>(e + format.bias) << mantissa_bits) | mantissa;
}

void EncodeSpan(const FloatFormat& format, std::span<const double> values, std::byte* out) {
  if (format.bits == 64) {
    std::memcpy(out, values.data(), values.size_bytes());
  } else if (format.bits == 32) {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto v = static_cast<float>(values[i]);
      std::memcpy(out + 4 * i, &v, 4);
    }
  } else if (!format.has_sign) {
    for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<std::byte>(EncodeFloat(format, values[i]));
  } else {
    std::array<uint16_t, kBlock> codes;
    for (size_t begin = 0; begin < values.size(); begin += kBlock) {
      const std::span<const double> block = values.subspan(begin, std::min(kBlock, values.size() - begin));
      const bool all = EncodeNormals(format, block, codes.data());
      for (size_t i = 0; !all && i < block.size(); ++i) {
        if (!IsEncodedByBits(format, std::bit_cast<uint64_t>(block[i]))) {
          codes[i] = static_cast<uint16_t>(EncodeFloat(format, block[i]));
        }
      }
      if (format.bits == 16) {
        std::memcpy(out + 2 * begin, codes.data(), 2 * block.size());
      } else {
        for (size_t i = 0; i < block.size(); ++i) out[begin + i] = static_cast<std::byte>(codes[i]);
      }
    }
  }
}

double DecodeFloat(const FloatFormat& format, uint64_t code) {
  if (format.precision == 53) return std::bit_cast<double>(code);
  if (format.precision == 24) return std::bit_cast<float>(static_cast<uint32_t>(code));
  if (format.precision == 8) return std::bit_cast<float>(static_cast<uint32_t>(code << 16));
  if (!format.has_sign) return code == format.nan_code ? kNan : PowerOfTwo(static_cast<int>(code) - format.bias);
  const int mantissa_bits = format.precision - 1;
  const int exponent_bits = format.bits - 1 - mantissa_bits;
  const uint64_t magnitude = code & ((uint64_t{1} << (format.bits - 1)) - 1);
  const bool negative = (code >> (format.bits - 1)) & 1;
  if (!format.has_negative_zero && code == format.nan_code) return kNan;
  const uint64_t exponent = magnitude >> mantissa_bits;
  const uint64_t mantissa = magnitude & ((uint64_t{1} << mantissa_bits) - 1);
  const bool top = exponent == (uint64_t{1} << exponent_bits) - 1;
  double value;
  if (top && format.overflow == kInfinity) {
    value = mantissa == 0 ? kInf : kNan;
  } else if (format.overflow == Overflow::kNan && format.has_negative_zero && magnitude == format.nan_code) {
    value = kNan;
  } else if (exponent == 0) {
    value = static_cast<double>(mantissa) * PowerOfTwo(format.min_exponent - mantissa_bits);
  } else {
    value = static_cast<double>(mantissa | (uint64_t{1} << mantissa_bits)) *
            PowerOfTwo(static_cast<int>(exponent) - format.bias - mantissa_bits);
  }
  return negative ? -value : value;
}

int64_t MinInteger(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  return info.is_signed ? static_cast<int64_t>(~uint64_t{0} << (info.width - 1)) : 0;
}

int64_t MaxInteger(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  return static_cast<int64_t>(~uint64_t{0} >> (64 - info.width + (info.is_signed ? 1 : 0)));
}

}  // namespace opbyop::reference
