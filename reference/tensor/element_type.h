// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element types of tensors, and the floating-point formats behind them.
//
//   std::optional<ElementType> type = ParseElementType("bf16");
//   double y = RoundTo(FormatOf(*type), 0.1);          // the nearest bf16, ties to even
//   uint64_t bits = EncodeFloat(FormatOf(*type), y);
//
// Evaluation holds every float as double, every complex as a pair of doubles, every integer as 64 bits
// (sign-extended when signed, zero-extended when unsigned) and i1 as one byte.
#ifndef OPBYOP_REFERENCE_TENSOR_ELEMENT_TYPE_H_
#define OPBYOP_REFERENCE_TENSOR_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace opbyop::reference {

enum class ElementKind : uint8_t { kBool, kInteger, kFloat, kComplex };

// The result of rounding a value beyond the largest finite number.
enum class Overflow : uint8_t { kInfinity, kNan, kSaturate };

struct FloatFormat {
  std::string_view name;
  int bits;
  int precision;     // significand bits, the implicit one included
  int min_exponent;  // exponent of the smallest normal number
  int bias;
  double max_finite;
  Overflow overflow;
  bool has_negative_zero;
  bool has_sign;
  uint64_t nan_code;  // 0 if the format has no NaN

  // 2^-precision: half the distance from 1 to its successor.
  double UnitRoundoff() const;
  // Distance between neighbouring numbers at |x|. Below the smallest normal number it is the smallest subnormal.
  double Ulp(double x) const;
};

enum class ElementType : uint8_t {
  kI1,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kUi2,
  kUi4,
  kUi8,
  kUi16,
  kUi32,
  kUi64,
  kF64,
  kF32,
  kF16,
  kBf16,
  kF8E5M2,
  kF8E4M3,
  kF8E4M3Fn,
  kF8E3M4,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF8E4M3B11Fnuz,
  kF8E8M0Fnu,
  kF6E2M3Fn,
  kF6E3M2Fn,
  kF4E2M1Fn,
  kC64,
  kC128,
};

struct ElementTypeInfo {
  std::string_view name;  // MLIR's spelling: "f32", "ui8", "complex<f32>"
  ElementKind kind;
  bool is_signed;             // integers only
  int width;                  // bits, for integers and i1
  const FloatFormat* format;  // for floats, and for both parts of complex types
};

const ElementTypeInfo& Info(ElementType type);
inline ElementKind KindOf(ElementType type) { return Info(type).kind; }
inline std::string_view NameOf(ElementType type) { return Info(type).name; }
// The format of a float type, or of the parts of a complex type.
inline const FloatFormat& FormatOf(ElementType type) { return *Info(type).format; }

// "index" reads as i64. nullopt for quantized and unknown types.
std::optional<ElementType> ParseElementType(std::string_view name);

// ComplexOf returns the complex type with parts of type `part`. PartOf returns the type of a complex type's parts, and
// any other type itself.
ElementType ComplexOf(ElementType part);
ElementType PartOf(ElementType type);

// Rounds the double once, to the nearest number of `format`, ties to even.
double RoundTo(const FloatFormat& format, double value);

// While an object made with `on` lives, its thread rounds to types narrower than f32 toward zero, as a device that
// declares this may. A finite value beyond the greatest number then becomes the greatest number.
class RoundingTowardZero {
 public:
  explicit RoundingTowardZero(bool on);
  RoundingTowardZero(const RoundingTowardZero&) = delete;
  RoundingTowardZero& operator=(const RoundingTowardZero&) = delete;
  ~RoundingTowardZero();
  static bool IsOn();

 private:
  bool before_;
};
void RoundSpan(const FloatFormat& format, std::span<double> values);

// Converts a number of the format to its bits and back. `value` must be a number of the format: round it first.
uint64_t EncodeFloat(const FloatFormat& format, double value);
double DecodeFloat(const FloatFormat& format, uint64_t code);

// Writes the bits of numbers of the format one after the other: 8, 4 or 2 bytes each, as in .npy files, or one byte for
// a format of 8 bits or fewer.
void EncodeSpan(const FloatFormat& format, std::span<const double> values, std::byte* out);

// Returns the low `width` bits of `bits`, sign-extended or zero-extended as the type demands.
inline int64_t WrapInteger(const ElementTypeInfo& info, uint64_t bits) {
  const int drop = 64 - info.width;
  if (info.is_signed) return static_cast<int64_t>(bits << drop) >> drop;
  return static_cast<int64_t>((bits << drop) >> drop);
}

// Least and greatest value of an integer type, in storage form (ui64's greatest is -1 as int64_t bits).
int64_t MinInteger(ElementType type);
int64_t MaxInteger(ElementType type);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_ELEMENT_TYPE_H_
