// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/elementwise_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "reference/inputs/spread_order.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/special_values.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

// The ranges from which a sweep draws.
enum class Region {
  kWhole,    // every binade of a float, every value of a type of at most 16 bits, every length of an integer
  kMiddle,   // binades in which functions vary: from where 1 + x is 1 to where exp(x) exceeds the format
  kNearOne,  // 1 and -1 at every distance: roots, poles and ends of domains
};

// An element chooses one of these entries at random. Half of them are the whole range, because the middle is only a
// tenth of its binades.
constexpr std::array kTurns = {Region::kWhole,  Region::kWhole,  Region::kWhole,  Region::kWhole,
                               Region::kMiddle, Region::kMiddle, Region::kMiddle, Region::kNearOne};
constexpr int kFewBits = 16;

int FloorLog2(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent - 1;
}

// The specification leaves open what most complex functions give for infinities, and for numbers whose squares overflow
// or underflow: the result depends on the formula. The functions here are exceptions: they treat the parts separately,
// or give a modulus, which is finite if it is a number of the type.
bool TakesPartsByThemselves(std::string_view function) {
  constexpr std::array kNames = {"chlo.conj",         "stablehlo.abs",     "stablehlo.add",    "stablehlo.compare",
                                 "stablehlo.complex", "stablehlo.imag",    "stablehlo.negate", "stablehlo.real",
                                 "stablehlo.select",  "stablehlo.subtract"};
  return std::ranges::find(kNames, function) != kNames.end();
}

// Restrictions on the numbers of a Place.
struct NumberRestrictions {
  bool moderate = false;  // a part of a complex number that must not overflow or underflow inside the function
  bool exact = false;     // the result depends on its bits, and the reference keeps only one code for NaN
};

// One of the numbers that make an element: the element itself, a part of a complex element, or one of several that are
// joined.
class Place {
 public:
  Place(const JointArgument& argument, ElementType type, int64_t offset, int64_t stride,
        NumberRestrictions restrictions)
      : role_(argument.role),
        info_(Info(type)),
        type_(type),
        moderate_(restrictions.moderate),
        exact_(restrictions.exact),
        out_(argument.data->bytes.data() + offset),
        bytes_(*DtypeBytes(info_.name)),
        stride_(stride),
        takes_all_(!moderate_ && !exact_ && !role_->nonzero && !role_->whole && std::isinf(role_->least) &&
                   std::isinf(role_->most)) {
    for (const uint64_t code : SpecialCodes(type)) {
      if (Takes(code)) specials_.push_back(code);
    }
  }

  // The number of special values, plus one for the value drawn as for `domain`. A predicate has only special values.
  uint64_t SpecialCount() const { return specials_.size() + (info_.kind == ElementKind::kBool ? 0 : 1); }
  std::optional<uint64_t> Special(uint64_t which) const {
    return which < specials_.size() ? std::optional(specials_[which]) : std::nullopt;
  }

  uint64_t CountOf(Region region) const {
    if (role_->amount && Bits() <= kFewBits) return static_cast<uint64_t>(info_.width);
    if (Bits() <= kFewBits && !moderate_) return uint64_t{1} << Bits();
    if (info_.format == nullptr) return 2 * static_cast<uint64_t>(info_.width);
    if (region == Region::kNearOne && !moderate_) return 4 * static_cast<uint64_t>(info_.format->precision);
    const auto [low, high] = BinadesOf(region);
    return 2 * static_cast<uint64_t>(high - low + 1);
  }
  // Whether the regions of this place differ.
  bool HasRegions() const { return info_.format != nullptr && (Bits() > kFewBits || moderate_); }
  // Returns a number of part `which` of a region, chosen by `random`. nullopt: keep the value drawn as for `domain`.
  std::optional<uint64_t> CodeIn(Region region, uint64_t which, uint64_t random) const {
    if (role_->amount) return Bits() <= kFewBits ? which : random % static_cast<uint64_t>(info_.width);
    const uint64_t code = Bits() <= kFewBits && !moderate_           ? which
                          : info_.format == nullptr                  ? IntegerOf(which, random)
                          : region == Region::kNearOne && !moderate_ ? Encode(NearOne(which, random))
                                                                     : Encode(InBinade(region, which, random));
    return Takes(code) ? std::optional(code) : std::nullopt;
  }

  // Stores the codes `first`, `first` + 1, .... Returns the number of codes that were not allowed and were replaced.
  int64_t CountUp(uint64_t first, int64_t elements) const {
    int64_t open = 0;
    for (int64_t i = 0; i < elements; ++i) {
      const uint64_t code = first + static_cast<uint64_t>(i);
      const bool taken = takes_all_ || Takes(code);
      open += !taken;
      Put(i, taken || specials_.empty() ? code : specials_.front());
    }
    return open;
  }

  // Returns the least number of a signed integer type, in stored form; nullopt for other types.
  std::optional<uint64_t> Least() const {
    if (!info_.is_signed || info_.kind != ElementKind::kInteger) return std::nullopt;
    return uint64_t{1} << (info_.width - 1);
  }
  uint64_t Mask() const { return ~uint64_t{0} >> (64 - Bits()); }
  bool IsNarrow() const { return Bits() <= kFewBits; }

  void Put(int64_t element, uint64_t code) const {
    std::memcpy(out_ + element * stride_, &code, static_cast<size_t>(bytes_));
  }

 private:
  int Bits() const { return info_.format != nullptr ? info_.format->bits : info_.width; }
  uint64_t Encode(double value) const { return EncodeFloat(*info_.format, RoundTo(*info_.format, value)); }

  bool Takes(uint64_t code) const {
    if (info_.kind == ElementKind::kBool) return true;
    if (info_.format == nullptr) {
      const int64_t value = WrapInteger(info_, code);
      return role_->IsSpecified(info_.is_signed ? static_cast<double>(value)
                                                : static_cast<double>(static_cast<uint64_t>(value)));
    }
    const double value = DecodeFloat(*info_.format, code);
    if (exact_ && std::isnan(value) && code != info_.format->nan_code) return false;
    if (moderate_ && !IsModerate(value)) return false;
    return role_->IsSpecified(value);
  }

  // True if the value neither overflows nor underflows inside a complex function, and is not a -0, which may choose the
  // side of a branch cut.
  bool IsModerate(double value) const {
    const auto [low, high] = BinadesOf(Region::kMiddle);
    const double size = std::fabs(value);
    return value == 0 ? !std::signbit(value) : size >= std::ldexp(1.0, low) && size < std::ldexp(1.0, high + 1);
  }

  std::pair<int, int> BinadesOf(Region region) const {
    const FloatFormat& format = *info_.format;
    const int least = format.min_exponent - format.precision + 1;
    if (region == Region::kWhole && !moderate_) return {least, FloorLog2(format.max_finite)};
    const int highest = moderate_ ? 2 : FloorLog2(std::log(format.max_finite));
    return {std::max(least, -format.precision - 2), highest};
  }

  double InBinade(Region region, uint64_t which, uint64_t random) const {
    // Every fourth number has few bits: integers and halves, for which functions are exact and signs of powers change.
    const double full = 1 + static_cast<double>(random >> 12) * 0x1p-52;
    const double significand = (random & 3) == 0 ? std::floor(8 * full) / 8 : full;
    const double v = std::ldexp(significand, BinadesOf(region).first + static_cast<int>(which / 2));
    return which % 2 == 0 ? v : -v;
  }

  static double NearOne(uint64_t which, uint64_t random) {
    const double apart = std::ldexp(1 + static_cast<double>(random >> 12) * 0x1p-52, -static_cast<int>(which / 4) - 2);
    const double v = which % 2 == 0 ? 1 + apart : 1 - apart;
    return which / 2 % 2 == 0 ? v : -v;
  }

  // Returns a number of `which` / 2 bits, or of as many as the type has. Even and odd `which` give opposite signs.
  uint64_t IntegerOf(uint64_t which, uint64_t random) const {
    const auto length = static_cast<int>(which / 2) + (info_.is_signed ? 0 : static_cast<int>(which % 2));
    const uint64_t top = length == 0 ? 0 : uint64_t{1} << (length - 1);
    const uint64_t value = top | (top == 0 ? 0 : random & (top - 1));
    if (!info_.is_signed || which % 2 == 0) return value;
    return length == 0 ? static_cast<uint64_t>(MinInteger(type_)) : uint64_t{0} - value;
  }

  const InputRole* role_;
  const ElementTypeInfo& info_;
  ElementType type_;
  bool moderate_;
  bool exact_;
  std::byte* out_;
  int64_t bytes_;
  int64_t stride_;
  bool takes_all_;
  std::vector<uint64_t> specials_;
};

std::vector<Place> PlacesOf(std::string_view function, std::span<const JointArgument> arguments) {
  std::vector<Place> places;
  for (const JointArgument& argument : arguments) {
    const ElementType type = argument.data->type;
    const ElementType part = PartOf(type);
    const int64_t bytes = *DtypeBytes(NameOf(part));
    if (KindOf(type) != ElementKind::kComplex) {
      const bool exact = function == "stablehlo.bitcast_convert" || argument.one_nan;
      const NumberRestrictions restrictions{.exact = exact && KindOf(type) == ElementKind::kFloat};
      for (int64_t k = 0; k < argument.together; ++k) {
        places.emplace_back(argument, type, k * bytes, argument.together * bytes, restrictions);
      }
      continue;
    }
    const NumberRestrictions restrictions{.moderate = !TakesPartsByThemselves(function)};
    for (int64_t k = 0; k < 2 * argument.together; ++k) {
      places.emplace_back(argument, part, k * bytes, 2 * argument.together * bytes, restrictions);
    }
  }
  return places;
}

// Goes through all combinations of the choices that each place has. If these are too many to count, the remaining
// places are drawn at random.
class Combinations {
 public:
  template <typename Count>
  Combinations(const std::vector<Place>& places, uint64_t seed, Count&& count) {
    constexpr uint64_t kMost = uint64_t{1} << 46;
    uint64_t product = 1;
    for (const Place& place : places) {
      counts_.push_back(count(place));
      if (joint_ + 1 < counts_.size() || product * counts_.back() > kMost) continue;
      product *= counts_.back();
      ++joint_;
    }
    walk_ = SpreadOrder(product, seed);
    size_ = product;
  }
  uint64_t size() const { return size_; }

  // Calls fn(place, which) for every place of the next combination.
  template <typename Fn>
  void Next(const CounterStream& stream, uint64_t element, Fn&& fn) {
    uint64_t rest = walk_.Next();
    for (size_t k = 0; k < counts_.size(); ++k) {
      if (k < joint_) {
        fn(k, rest % counts_[k]);
        rest /= counts_[k];
      } else {
        fn(k, stream.Below(~(element * counts_.size() + k), counts_[k]));
      }
    }
  }

 private:
  std::vector<uint64_t> counts_;
  size_t joint_ = 0;
  uint64_t size_ = 1;
  SpreadOrder walk_{1, 0};
};

// The elements that get a combination: all of a tensor of up to kMost. A larger one has that many, each at a random place
// of its share of the tensor, so that no tile or lane of a device is left out.
class CombinedElements {
 public:
  CombinedElements(int64_t elements, uint64_t seed)
      : elements_(elements), count_(std::min(elements, kMost)), stream_(Mix(~seed)) {}
  int64_t count() const { return count_; }
  int64_t operator[](int64_t k) const {
    if (count_ == elements_) return k;
    const int64_t begin = Begin(k);
    return begin +
           static_cast<int64_t>(stream_.Below(static_cast<uint64_t>(k), static_cast<uint64_t>(Begin(k + 1) - begin)));
  }

 private:
  // Combinations are walked through long before this: sixteen special values of three operands are 4,096.
  static constexpr int64_t kMost = int64_t{1} << 22;

  int64_t Begin(int64_t k) const { return static_cast<int64_t>(static_cast<__int128>(k) * elements_ / count_); }

  int64_t elements_;
  int64_t count_;
  CounterStream stream_;
};

void Enumerate(const std::vector<Place>& places, const CombinedElements& elements, uint64_t seed) {
  const CounterStream stream(seed);
  Combinations combinations(places, seed, [](const Place& place) { return place.SpecialCount(); });
  const auto count = static_cast<uint64_t>(elements.count());
  SpreadOrder order(count, ~seed);
  // Stores every combination once. If there is room, repeats them until a quarter of the tensor is special.
  const uint64_t special = std::max(combinations.size(), count / 4);
  for (int64_t k = 0; k < elements.count(); ++k) {
    if (order.Next() >= special) continue;
    const int64_t i = elements[k];
    combinations.Next(stream, static_cast<uint64_t>(i), [&](size_t place, uint64_t which) {
      if (const auto code = places[place].Special(which)) places[place].Put(i, *code);
    });
  }
}

// The specification leaves a quotient of the least integer open only if the divisor is -1. A dividend that is drawn by
// itself is therefore never the least integer; if the divisor is drawn too, it may be.
bool TakesLeastDividend(std::string_view function, std::span<const Place> places) {
  return (function == "stablehlo.divide" || function == "stablehlo.remainder") && places.size() == 2 &&
         places[0].Least() && places[0].IsNarrow();
}

void Sweep(std::string_view function, const std::vector<Place>& places, const CombinedElements& elements,
           uint64_t seed) {
  const CounterStream stream(seed);
  const bool least_dividend = TakesLeastDividend(function, places);
  std::vector<Combinations> regions;
  for (const Region region : {Region::kWhole, Region::kMiddle, Region::kNearOne}) {
    regions.emplace_back(places, Mix(seed + static_cast<uint64_t>(region)),
                         [&](const Place& place) { return place.CountOf(region); });
  }
  const CounterStream turns(~seed);
  const bool alike = std::ranges::none_of(places, &Place::HasRegions);
  for (int64_t n = 0; n < elements.count(); ++n) {
    const int64_t i = elements[n];
    const auto element = static_cast<uint64_t>(i);
    const Region region = alike ? Region::kWhole : kTurns[turns.Below(element, kTurns.size())];
    bool is_least = false;
    regions[static_cast<size_t>(region)].Next(stream, element, [&](size_t k, uint64_t which) {
      const uint64_t random = stream.Bits(element * places.size() + k);
      const auto code = places[k].CodeIn(region, which, random);
      if (code) places[k].Put(i, *code);
      if (!least_dividend) return;
      if (k == 0) is_least = which == places[0].Least();
      if (k == 1 && is_least && code && *code != places[1].Mask()) places[0].Put(i, *places[0].Least());
    });
  }
}

}  // namespace

std::vector<uint64_t> SpecialCodes(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  std::vector<uint64_t> codes;
  const auto add = [&](uint64_t code) {
    if (std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
  };
  if (info.format == nullptr) {
    const uint64_t mask = ~uint64_t{0} >> (64 - info.width);
    for (const int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, MinInteger(type), MaxInteger(type)}) {
      add(static_cast<uint64_t>(WrapInteger(info, static_cast<uint64_t>(v))) & mask);
    }
    return codes;
  }
  const FloatFormat& format = *info.format;
  const double least = format.Ulp(0);
  const double normal = std::ldexp(1.0, format.min_exponent);
  for (const double v : {0.0, -0.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN(), least, -least, normal,
                         normal - least, format.max_finite, -format.max_finite, 1.0, -1.0, 0.5, -0.5, 2.0}) {
    add(EncodeFloat(format, RoundTo(format, v)));
  }
  return codes;
}

int64_t CountUp(std::string_view function, uint64_t first, const JointArgument& argument) {
  const Place place = PlacesOf(function, {&argument, 1}).front();
  return place.CountUp(first, SizeOf(argument.data->shape));
}

void CombineElements(InputKind kind, std::string_view function, uint64_t seed,
                     std::span<const JointArgument> arguments) {
  if (arguments.empty()) return;
  const std::vector<Place> places = PlacesOf(function, arguments);
  const CombinedElements elements(SizeOf(arguments.front().data->shape) / arguments.front().together, seed);
  if (kind == InputKind::kEdge) {
    Enumerate(places, elements, seed);
  } else {
    Sweep(function, places, elements, seed);
  }
}

}  // namespace opbyop::reference
