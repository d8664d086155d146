// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/real_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tensor/clones.h"

namespace opbyop::reference {
namespace {

// One feature in this many has a small spread, and never all of them.
constexpr uint64_t kShares = 4;

// Returns epsilon, or 0 if a quotient by its square root would overflow the format, or if epsilon itself is not
// representable.
double SmallVariance(double epsilon, const FloatFormat& format) {
  constexpr double kRoom = 16;
  const bool fits = epsilon > 4 * format.Ulp(0) && kRoom / std::sqrt(epsilon) < format.max_finite;
  return fits ? epsilon : 0;
}

// Elements that are normalized themselves have this too, in the types whose roundings do not hide it.
double SmallSpread(double epsilon, const FloatFormat& format) {
  const bool fits = format.precision >= 8 && epsilon >= std::ldexp(4.0, format.min_exponent);
  return fits ? std::sqrt(SmallVariance(epsilon, format)) : 0;
}

// The special values of `edge`; nullopt for those that the role does not allow. Elements of sums take only the first ones,
// which leave sums finite.
std::vector<std::optional<double>> EdgeValues(const InputRole& role, const FloatFormat& format) {
  const double inf = std::numeric_limits<double>::infinity();
  const double least = format.Ulp(0);
  const double normal = std::ldexp(1.0, format.min_exponent);
  std::vector<std::optional<double>> values = {0.0, -0.0, least, -least, normal, normal - least,
                                               1.0, -1.0, 0.5,   -0.5,   2.0};
  if (role.elements_per_result <= 1) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    values.insert(values.end(), {inf, -inf, nan, format.max_finite, -format.max_finite});
  }
  for (std::optional<double>& value : values) {
    if (!role.IsSpecified(*value)) value.reset();
  }
  return values;
}

// The loops of a block. They must round as RealNumbers::At does, so no multiplication is fused with an addition (the
// file is compiled with -ffp-contract=off).

OPBYOP_CLONES void Uniform(CounterStream stream, uint64_t begin, double low, double span, std::span<double> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = low + span * stream.Unit(begin + i);
}

OPBYOP_CLONES void Round(double grid, std::span<double> values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = grid * std::rint(values[i] / grid);
}

OPBYOP_CLONES void Choose(CounterStream stream, uint64_t begin, std::span<uint8_t> chosen) {
  for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = static_cast<uint8_t>(IsChosen(stream, begin + i));
}

OPBYOP_CLONES void ToFloats(std::span<const double> values, std::byte* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto v = static_cast<float>(values[i]);
    std::memcpy(out + 4 * i, &v, 4);
  }
}

}  // namespace

RealNumbers::RealNumbers(const InputRole& role, InputKind kind, const FloatFormat& format, const CounterStream& stream,
                         int64_t count)
    : role_(role),
      low_(role.low),
      high_(role.high),
      away_(role.away),
      grid_(role.grid),
      specials_(role.specials),
      whole_(role.whole),
      epsilon_(role.feature == 0 ? SmallVariance(role.epsilon, format) : 0),
      spread_(role.feature > 0 ? SmallSpread(role.epsilon, format) : 0),
      shares_(std::min<uint64_t>(kShares, static_cast<uint64_t>(role.features))),
      kind_(kind),
      format_(format),
      stream_(stream),
      edges_(stream, kind == InputKind::kEdge ? static_cast<uint64_t>(count) : 0,
             role.elements_per_result > 1 ? EdgePlaces::Of::kLines : EdgePlaces::Of::kElements),
      edge_values_(EdgeValues(role, format)) {
  if (kind == InputKind::kExactInt) TakeIntegers();
}

double RealNumbers::At(uint64_t i) const {
  if (kind_ == InputKind::kExactInt) return Integer(i);
  if (const std::optional<double> special = Special(i)) return *special;
  double v = low_ + (high_ - low_) * stream_.Unit(i);
  if (grid_ > 0) v = grid_ * std::rint(v / grid_);
  if (whole_) v = std::rint(v);
  if (spread_ > 0 && IsOfSmallSpread(i)) v *= spread_;
  return AwayFromZero(v);
}

void RealNumbers::Fill(uint64_t begin, std::span<double> out) const {
  if (kind_ == InputKind::kExactInt) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = Integer(begin + i);
    return;
  }
  Uniform(stream_, begin, low_, high_ - low_, out);
  if (grid_ > 0) Round(grid_, out);
  if (whole_) Round(1, out);
  for (size_t i = 0; spread_ > 0 && i < out.size(); ++i) {
    if (IsOfSmallSpread(begin + i)) out[i] *= spread_;
  }
  for (size_t i = 0; away_ != 0 && i < out.size(); ++i) out[i] = AwayFromZero(out[i]);
  if (!HasSpecials()) return;
  if (edges_.share() > 0 && !specials_ && epsilon_ == 0) {
    for (uint64_t share = begin / edges_.share();; ++share) {
      const uint64_t place = edges_.PlaceIn(share);
      if (place >= begin + out.size()) break;
      if (place < begin) continue;
      if (const std::optional<double> special = Special(place)) out[place - begin] = *special;
    }
    return;
  }
  std::array<uint8_t, 256> chosen;
  for (size_t first = 0; first < out.size(); first += chosen.size()) {
    const size_t here = std::min(chosen.size(), out.size() - first);
    Choose(stream_, begin + first, {chosen.data(), here});
    for (size_t i = 0; i < here; ++i) {
      if (chosen[i] == 0 && edges_.share() == 0) continue;
      if (const std::optional<double> special = Special(begin + first + i)) out[first + i] = *special;
    }
  }
  if (const auto certain = edges_.certain(); certain && *certain >= begin && *certain - begin < out.size()) {
    out[*certain - begin] = At(*certain);
  }
}

void RealNumbers::Store(int64_t first, int64_t count, std::byte* out) const {
  constexpr int64_t kBlock = 1024;
  std::array<double, kBlock> values;
  const int64_t bytes = (format_.bits + 7) / 8;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const std::span<double> block(values.data(), static_cast<size_t>(std::min(kBlock, count - begin)));
    Fill(static_cast<uint64_t>(first + begin), block);
    if (format_.bits == 32) {
      ToFloats(block, out + bytes * begin);
    } else {
      RoundSpan(format_, block);
      EncodeSpan(format_, block, out + bytes * begin);
    }
  }
}

// Chooses integers so small that sums of products stay exact as long as possible. Factors of a matrix product are added
// up in f32 even for f16 and bf16, so their sums may need more digits than these types have; other sums must stay exact
// in the format.
void RealNumbers::TakeIntegers() {
  constexpr double kFewest = 1, kFourDigits = 15;
  const bool factors = role_.alone && role_.lines && role_.lines->use == LineUse::kFactor;
  if (factors && format_.bits >= 16) {
    const double most = std::floor(std::sqrt(0x1p24 / static_cast<double>(role_.elements_per_result)));
    high_ = std::clamp(most, kFewest, kFourDigits);
    low_ = -high_;
    return;
  }
  const double most = format_.precision >= 24 ? 4 : format_.precision >= 11 ? 2 : 1;
  low_ = std::ceil(std::max(low_, -most));
  high_ = std::floor(std::min(high_, most));
  if (low_ > high_) low_ = high_ = std::rint(0.5 * (role_.low + role_.high));
}

double RealNumbers::Integer(uint64_t i) const {
  const auto span = static_cast<uint64_t>(high_ - low_) + 1;
  const double v = low_ + static_cast<double>(stream_.Below(i, span));
  return away_ > 0 && v == 0 ? (high_ >= 1 ? 1 : low_) : v;
}

std::optional<double> RealNumbers::Special(uint64_t i) const {
  if (kind_ == InputKind::kEdge && edges_.Has(i)) {
    const std::optional<double>& edge = edge_values_[edges_.Choice(i) % edge_values_.size()];
    if (edge) return edge;
  }
  if (!(specials_ || epsilon_ > 0) || !IsChosen(stream_, i)) return std::nullopt;
  if (specials_) {
    const double inf = std::numeric_limits<double>::infinity();
    const std::array values = {inf, -inf, std::numeric_limits<double>::quiet_NaN()};
    return values[(stream_.Bits(~i) >> 2) % values.size()];
  }
  // If the error of a result may be as large as the result, a missing epsilon must make it several times as large.
  const double halvings = format_.precision < 8 ? 6 : 2;
  return epsilon_ * std::exp2((halvings + 2) * stream_.Unit(i) - halvings);
}

double RealNumbers::AwayFromZero(double v) const {
  if (away_ == 0 || std::fabs(v) >= away_) return v;
  return std::copysign(away_ + (std::max(std::fabs(high_), away_) - away_) * std::fabs(v) / away_, v);
}

bool RealNumbers::IsOfSmallSpread(uint64_t i) const {
  const uint64_t feature = i / static_cast<uint64_t>(role_.feature) % static_cast<uint64_t>(role_.features);
  return shares_ > 1 && feature % shares_ == stream_.Bits(~uint64_t{0}) % shares_;
}

}  // namespace opbyop::reference
