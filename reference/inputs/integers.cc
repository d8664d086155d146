// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/integers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/tensor/clones.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kIntegersAtOnce = 1024;

// out[i] = low + stream.Below(begin + i, span), without the product of 128 bits that no vector instruction has.
OPBYOP_CLONES void DrawBelow(CounterStream stream, uint64_t begin, int64_t low, uint32_t span, std::span<int64_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t bits = stream.Bits(begin + i);
    const uint64_t of_low_bits = (bits & 0xFFFFFFFF) * span >> 32;
    out[i] = low + static_cast<int64_t>(((bits >> 32) * span + of_low_bits) >> 32);
  }
}

OPBYOP_CLONES void DrawBooleans(CounterStream stream, uint64_t begin, std::span<std::byte> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(stream.Bits(begin + i) >> 63);
}

}  // namespace

Integers::Integers(ElementType type, const InputRole& role, InputKind kind, const CounterStream& stream, int64_t count)
    : type_(type),
      role_(role),
      kind_(kind),
      stream_(stream),
      every_bit_(role.ranged && role.low <= -kEveryBit && role.high >= kEveryBit),
      is_shape_(role.elements.size() == static_cast<size_t>(count)),
      special_(stream, kind == InputKind::kEdge && !is_shape_ ? static_cast<uint64_t>(count) : 0,
               EdgePlaces::Of::kLines) {
  const ElementTypeInfo& info = Info(type);
  // At most a quarter of the type's range, so that a single operation does not overflow by accident.
  const double limit = std::ldexp(1.0, info.width - 2) - (info.width <= 2 ? 0 : 1);
  double low = role.ranged ? std::ceil(role.low) : -100;
  double high = role.ranged ? std::floor(role.high) : 100;
  if (kind == InputKind::kExactInt && !role.ranged) {
    low = -4;
    high = 4;
  }
  if (!info.is_signed) {
    if (!role.ranged) high = kind == InputKind::kExactInt ? 8 : 200;
    low = std::max(low, 0.0);
  }
  low = std::max(low, -limit - 1);
  high = std::max(std::min(high, limit), low);
  low_ = static_cast<int64_t>(low);
  high_ = static_cast<int64_t>(high);
  span_ = static_cast<uint64_t>(high - low) + 1;
  // A single number may be a factor of all others. It is not zero, because results that are all zero prove nothing.
  const bool alone = kind == InputKind::kDomain && count == 1 && (low <= -1 || high >= 1);
  avoids_zero_ = role.away > 0 || alone;
}

int64_t Integers::At(uint64_t i) const {
  const ElementTypeInfo& info = Info(type_);
  if (is_shape_) {
    const auto [least, most] = role_.elements[i];
    return least + static_cast<int64_t>(stream_.Below(i, static_cast<uint64_t>(most - least) + 1));
  }
  if (kind_ == InputKind::kEdge && special_.Has(i)) {
    const std::array<int64_t, 6> edges = {0, 1, -1, MinInteger(type_), MaxInteger(type_), 2};
    const int64_t v = WrapInteger(info, static_cast<uint64_t>(edges[special_.Choice(i) % edges.size()]));
    const double value = info.is_signed ? static_cast<double>(v) : static_cast<double>(static_cast<uint64_t>(v));
    if (role_.IsSpecified(value)) return v;
  }
  if (every_bit_) {
    // Half of the numbers have fewer bits, down to none.
    const uint64_t more = stream_.Bits(~i) >> 2;
    const uint64_t fewer = more & 1 ? (more >> 1) % static_cast<uint64_t>(info.width + 1) : 0;
    const uint64_t bits = stream_.Bits(i) >> (64 - info.width);
    return WrapInteger(info, fewer < 64 ? bits >> fewer : 0);
  }
  auto v = low_ + static_cast<int64_t>(stream_.Below(i, span_));
  if (avoids_zero_ && v == 0) v = high_ >= 1 ? 1 : -1;
  return WrapInteger(info, static_cast<uint64_t>(v));
}

void Integers::Store(int64_t first, int64_t count, std::byte* out) const {
  std::array<int64_t, kIntegersAtOnce> values;
  const int64_t bytes = StoredBytes(type_);
  const bool even = !is_shape_ && kind_ != InputKind::kEdge && !every_bit_ && !avoids_zero_ &&
                    span_ <= std::numeric_limits<uint32_t>::max();
  for (int64_t begin = 0; begin < count; begin += kIntegersAtOnce) {
    const int64_t here = std::min(kIntegersAtOnce, count - begin);
    const auto number = static_cast<uint64_t>(first + begin);
    const std::span<int64_t> block(values.data(), static_cast<size_t>(here));
    if (even) {
      DrawBelow(stream_, number, low_, static_cast<uint32_t>(span_), block);
    } else {
      for (size_t i = 0; i < block.size(); ++i) block[i] = At(number + i);
    }
    EncodeElements(type_, values.data(), here, out + begin * bytes);
  }
}

void StoreBooleans(const CounterStream& stream, bool holds, int64_t first, std::span<std::byte> out) {
  if (holds) {
    std::ranges::fill(out, std::byte{1});
  } else {
    DrawBooleans(stream, static_cast<uint64_t>(first), out);
  }
}

}  // namespace opbyop::reference
