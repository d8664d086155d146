// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/line_inputs.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "reference/inputs/spread_order.h"
#include "reference/tensor/special_values.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

// Devices cut lines into blocks of at most this many elements.
constexpr int64_t kBlock = 1024;

// Writes stored elements as codes.
class Codes {
 public:
  explicit Codes(InputData& data)
      : bytes_(data.bytes.data()),
        width_(static_cast<int64_t>(data.bytes.size()) / std::max<int64_t>(SizeOf(data.shape), 1)) {}
  void Put(int64_t place, uint64_t code) { std::memcpy(bytes_ + width_ * place, &code, static_cast<size_t>(width_)); }
  void Copy(int64_t from, int64_t to) {
    std::memcpy(bytes_ + width_ * to, bytes_ + width_ * from, static_cast<size_t>(width_));
  }

 private:
  std::byte* bytes_;
  int64_t width_;
};

uint64_t CodeOf(const FloatFormat& format, double value) { return EncodeFloat(format, RoundTo(format, value)); }

uint64_t NegativeNan(const FloatFormat& format) {
  return EncodeFloat(format, RoundTo(format, kNan)) | uint64_t{1} << (format.bits - 1);
}

bool HasPlainNan(const FloatFormat& format) {
  return format.overflow == Overflow::kInfinity && format.has_sign && format.has_negative_zero;
}

enum class Special : uint8_t {
  kNone,
  kNanFirst,
  kNanLast,
  kNanInside,
  kInf,
  kMinusInf,
  kBoth,
  kGreat,
  kMinusGreat,
  kZero
};

// The special values that lines get in turn. The first three are those that a device is most likely to miss.
constexpr std::array kSpecials = {Special::kNanLast,   Special::kInf,       Special::kNanFirst, Special::kBoth,
                                  Special::kNanInside, Special::kZero,      Special::kMinusInf, Special::kGreat,
                                  Special::kNanInside, Special::kMinusGreat};
constexpr std::array kNans = {Special::kNanInside, Special::kNanLast, Special::kNanFirst};
constexpr std::array kOthers = {Special::kInf, Special::kBoth, Special::kMinusInf, Special::kZero};

// Decides which special value a line gets.
class SpecialTurns {
 public:
  SpecialTurns(const Lines& lines, const CounterStream& stream)
      : count_(lines.count()),
        every_(lines.use == LineUse::kFactor || lines.slides ? 6 : 2),
        seed_(stream.Bits(~uint64_t{2})),
        turn_(static_cast<size_t>(seed_ % kSpecials.size())) {
    // If there are few lines, the last one gets none: a fault that reads beyond a line usually affects those after it.
    const int64_t places = every_ < count_ ? every_ : std::max<int64_t>(count_ - 1, 1);
    if (every_ > count_) every_ = count_;
    // With so few special lines, one of them may be the only one with a NaN, so the turn starts with a NaN.
    if (count_ < static_cast<int64_t>(kSpecials.size()) * every_) turn_ = seed_ % 3 * 2;
    offset_ = static_cast<int64_t>((seed_ >> 8) % static_cast<uint64_t>(places));
  }
  Special Of(int64_t line) const {
    if (count_ == 1)
      return seed_ % 4 != 0 ? kNans[(seed_ >> 2) % kNans.size()] : kOthers[(seed_ >> 2) % kOthers.size()];
    if (line % every_ != offset_) return Special::kNone;
    return kSpecials[(turn_ + static_cast<size_t>(line / every_)) % kSpecials.size()];
  }

 private:
  int64_t count_, every_;
  uint64_t seed_;
  size_t turn_;
  int64_t offset_ = 0;
};

bool IsNan(Special special) {
  return special == Special::kNanFirst || special == Special::kNanLast || special == Special::kNanInside;
}

// Chooses the place of the extreme in each line: the ends first, then all other places; or the middle.
class ExtremePlaces {
 public:
  ExtremePlaces(const Lines& lines, const CounterStream& stream, bool in_the_middle)
      : count_(lines.count()),
        in_the_middle_(in_the_middle),
        walk_(static_cast<uint64_t>(lines.length()), stream.Bits(~uint64_t{4})),
        stream_(stream) {}
  int64_t Next(const Line& line) {
    const auto walked = static_cast<int64_t>(walk_.Next());
    if (in_the_middle_) return Middle(line);
    if (count_ == 1) {
      // The elements after the last full group of 8, or the last 8.
      const int64_t tail = std::min(line.length, line.length % 8 == 0 ? 8 : line.length % 8);
      return line.length - 1 - static_cast<int64_t>(stream_.Below(~uint64_t{5}, static_cast<uint64_t>(tail)));
    }
    if (line.number == 0) return line.length - 1;
    if (line.number == 1) return 0;
    return walked % line.length;
  }

 private:
  // Returns a place near the middle, or the end of the block closest to it.
  int64_t Middle(const Line& line) const {
    constexpr int64_t kAround = 16;
    const int64_t half = line.length / 2, around = std::min(kAround, half);
    const uint64_t bits = stream_.Bits(~(static_cast<uint64_t>(line.number) << 3 | 6));
    const int64_t end = (half / kBlock + (half % kBlock >= kBlock / 2 ? 1 : 0)) * kBlock - 1;
    if (bits % 2 == 1 && end > 0 && end < line.length) return end;
    return around == 0 ? 0 : half - around + static_cast<int64_t>((bits >> 1) % static_cast<uint64_t>(2 * around));
  }

  int64_t count_;
  bool in_the_middle_;
  SpreadOrder walk_;
  const CounterStream& stream_;
};

// Codes for the elements of a line with one extreme: numbers around 1, or integers up to 100, on one side of zero.
class ExtremeLineCodes {
 public:
  explicit ExtremeLineCodes(ElementType type) : info_(Info(type)) {
    if (info_.format == nullptr) return;
    one_ = EncodeFloat(*info_.format, 1);
    sign_ = uint64_t{1} << (info_.format->bits - 1);
    mantissa_ = (uint64_t{1} << (info_.format->precision - 1)) - 1;
  }
  // The extreme, the elements equal to each other that it exceeds by one unit, and any other element. `far`: all are on
  // the side of zero where 0 would be the extreme.
  uint64_t Extreme(bool greatest, bool far) const { return Signed(greatest, far, 1); }
  uint64_t Equal(bool greatest, bool far) const { return Signed(greatest, far, 0); }
  uint64_t Other(bool greatest, bool far, uint64_t bits) const {
    if (info_.format == nullptr) return Signed(greatest, far, -1 - static_cast<int64_t>(bits % 97));
    return Signed(greatest, far, -static_cast<int64_t>(bits & mantissa_) - (mantissa_ > 0 ? 0 : 1));
  }

 private:
  // Returns the element that exceeds the equal ones by `better` units.
  uint64_t Signed(bool greatest, bool far, int64_t better) const {
    const bool negative = greatest == far;
    if (info_.format != nullptr) {
      // The greater of two negative numbers has the smaller code, as has the lesser of two positive ones.
      const int64_t away = far ? -better : better;
      return (one_ + static_cast<uint64_t>(away)) | (negative ? sign_ : 0);
    }
    // Moduli from 2 to 100 on either side of zero.
    const int64_t modulus = far ? 2 - better : 99 + better;
    return static_cast<uint64_t>(negative ? -modulus : modulus);
  }

  const ElementTypeInfo& info_;
  uint64_t one_ = 0, sign_ = 0, mantissa_ = 0;
};

// Fills a line for running extremes: each element exceeds all before it, as far as the type has enough numbers.
void PutRamp(const Lines& lines, const Line& line, const FloatFormat* format, bool greatest, Codes& codes) {
  // Moduli from 2^-60 to 2, or integers from 1 to 100.
  const int least = format != nullptr ? std::max(format->min_exponent, -60) : 0;
  const uint64_t low = format != nullptr ? EncodeFloat(*format, std::ldexp(1.0, least)) : 1;
  const uint64_t high = format != nullptr ? EncodeFloat(*format, 2) : 100;
  const uint64_t span = high - low;
  ForEachPlace(line, [&](int64_t k, int64_t place) {
    const int64_t rank = lines.backwards ? line.length - 1 - k : k;
    const auto step = static_cast<uint64_t>(static_cast<unsigned __int128>(span) * static_cast<uint64_t>(rank) /
                                            static_cast<uint64_t>(line.length));
    // The elements approach zero from that side where a 0 would be the extreme at once.
    const uint64_t code = high - step;
    const uint64_t sign = format != nullptr ? uint64_t{1} << (format->bits - 1) : 0;
    codes.Put(place, format != nullptr ? (greatest ? code | sign : code) : greatest ? ~code + 1 : code);
  });
}

}  // namespace

void PutSpecialLines(const InputRole& role, const Lines& lines, const CounterStream& stream, InputData& data) {
  const FloatFormat& format = FormatOf(data.type);
  if (lines.outnumbered) return;
  Codes codes(data);
  const SpecialTurns turns(lines, stream);
  const auto put = [&](int64_t place, double value) {
    const double rounded = RoundTo(format, value);
    if (role.IsSpecified(rounded)) codes.Put(place, EncodeFloat(format, rounded));
  };
  // A small part of the largest finite number can be multiplied and added up in any order without overflow. The number
  // itself comes once in the tensors of every fourth seed, because the order of a sum may decide whether it overflows.
  bool greatest = stream.Bits(~uint64_t{6}) % 4 == 0;
  ForEachLine(lines, [&](const Line& line) {
    Special special = turns.Of(line.number);
    if (special == Special::kNone) return;
    if (IsNan(special) && !lines.takes_nan) special = Special::kInf;
    const auto number = static_cast<uint64_t>(line.number);
    const auto n = static_cast<uint64_t>(line.length);
    const auto inside = static_cast<int64_t>(stream.Below(~(uint64_t{1} << 40 | number), n));
    switch (special) {
      case Special::kNone:
        return;
      case Special::kNanFirst: {
        // A NaN at the start of a running line would make all its results NaN.
        const int64_t first = lines.backwards ? line.length - 1 : 0;
        return put(line.Place(lines.running ? line.length / 2 : first), kNan);
      }
      case Special::kNanLast:
        return put(line.Place(lines.backwards ? 0 : line.length - 1), kNan);
      case Special::kNanInside:
        return put(line.Place(inside), kNan);
      case Special::kInf:
        return put(line.Place(inside), kInf);
      case Special::kMinusInf:
        return put(line.Place(inside), -kInf);
      case Special::kBoth:
        put(line.Place(inside), kInf);
        return put(line.Place((inside + 1 + line.length / 2) % line.length), -kInf);
      case Special::kGreat:
      case Special::kMinusGreat: {
        const double great = greatest ? format.max_finite : format.max_finite / 64;
        greatest = false;
        return put(line.Place(inside), special == Special::kGreat ? great : -great);
      }
      case Special::kZero:
        // The order may decide which of several equal elements is picked.
        if (lines.use == LineUse::kPick && !lines.ordered) return;
        ForEachPlace(line, [&](int64_t, int64_t place) { put(place, -0.0); });
        return;
    }
  });
}

std::optional<ElementType> ExtremesOf(const InputRole& role) {
  if (!role.lines || !role.lines->neutral || !role.TakesZero() || role.ranged || role.whole || role.nonzero)
    return std::nullopt;
  if (role.lines->use != LineUse::kExtreme && role.lines->use != LineUse::kPick) return std::nullopt;
  const std::optional<ElementType> type = Narrower(role.lines->element, role.lines->result);
  if (!type) return type;
  const ElementTypeInfo& info = Info(*type);
  const bool real = info.kind == ElementKind::kFloat && info.format->has_sign && info.format->precision >= 3 &&
                    info.format->min_exponent <= -6;
  return real || (info.kind == ElementKind::kInteger && info.width >= 8) ? type : std::nullopt;
}

void PutExtremeLines(const Lines& lines, const CounterStream& stream, bool in_the_middle, InputData& data) {
  const ElementTypeInfo& info = Info(data.type);
  Codes codes(data);
  const ExtremeLineCodes line_codes(data.type);
  const bool one_sided = info.kind == ElementKind::kInteger && !info.is_signed;
  ExtremePlaces extreme_places(lines, stream, in_the_middle);
  const bool greatest = lines.greatest;
  ForEachLine(lines, [&](const Line& line) {
    // `far` is the side of zero where 0 would be the extreme. Windows that overlap are all on it, so that each of them
    // detects a wrong 0.
    const bool far = one_sided ? !greatest : lines.slides || line.number % 4 < 2;
    const bool runs = lines.running && !one_sided;
    if (runs) return PutRamp(lines, line, info.format, greatest, codes);
    const int64_t extreme_place = lines.slides ? -1 : extreme_places.Next(line);
    ForEachPlace(line, [&](int64_t k, int64_t place) {
      const uint64_t bits = stream.Bits(static_cast<uint64_t>(place));
      const bool equal = bits >> 60 == 0;
      codes.Put(place, k == extreme_place       ? line_codes.Extreme(greatest, far)
                       : equal && !lines.slides ? line_codes.Equal(greatest, far)
                                                : line_codes.Other(greatest, far, bits));
    });
  });
}

std::optional<ElementType> ExactTermsOf(const InputRole& role) {
  if (!role.lines || role.lines->use != LineUse::kSum || role.lines->slides || !role.sums || !role.TakesZero())
    return std::nullopt;
  for (const std::optional<ElementType> type : {role.lines->element, role.lines->result}) {
    if (!type || KindOf(*type) != ElementKind::kFloat) return std::nullopt;
    const FloatFormat& format = FormatOf(*type);
    if (!format.has_sign || !format.has_negative_zero || format.precision < 3) return std::nullopt;
    if (format.min_exponent > -format.precision) return std::nullopt;
  }
  // With more sums than that, the few terms of `sparse` reach every place twice.
  const bool few = 2 * role.lines->length() > 8 * role.lines->count() && role.lines->length() > 15;
  return few ? role.lines->element : std::nullopt;
}

void PutExactLines(const Lines& lines, const CounterStream& stream, InputData& data) {
  const FloatFormat& format = FormatOf(data.type);
  Codes codes(data);
  const int bits = std::min(FormatOf(*lines.result).precision, 52);
  const int64_t held = int64_t{1} << std::min(format.precision, 52);  // units that a term may have
  const int64_t most = int64_t{1} << bits;  // units that a sum may have; in a running sum, of either sign
  const int64_t all = lines.running ? 2 * most : most;
  constexpr int64_t kParts = 16;  // devices split a long sum into equal parts; both sides of each split get a term
  constexpr int64_t kSplits = 2 * (kParts - 1);
  constexpr int64_t kLeast = 16;  // between terms, so that a lost block may have none
  const double unit = std::ldexp(1.0, std::max(-bits, format.min_exponent));
  std::vector<uint64_t> small(64);
  for (size_t v = 0; v < small.size(); ++v) small[v] = CodeOf(format, static_cast<double>(v) * unit);
  const uint64_t sign = uint64_t{1} << (format.bits - 1);
  ForEachLine(lines, [&](const Line& line) {
    const int64_t n = line.length;
    // Each stretch of elements gets one term. A stretch is one element if every element can have a term of at least 1
    // or 2 units.
    int64_t stretch = (n + all - 1) / all;
    const bool splits = !lines.running && stretch > kLeast && all > 2 * kSplits;
    const int64_t dealt = splits ? all - kSplits : all;
    if (splits) stretch = (n + dealt - 1) / dealt;
    if (!lines.running && stretch == 1 && all / n < 2 && n > 1) stretch = 2;
    const int64_t count = (n + stretch - 1) / stretch;
    // Signs in pairs have as many of both, but for one.
    const int64_t each = std::clamp<int64_t>(lines.running ? 2 * most / (count + 1) : dealt / count, 1, held);
    const auto seed = static_cast<uint64_t>(line.number) << 32;
    const bool negative = stream.Bits(~seed) & 1;
    if (stretch > 1) ForEachPlace(line, [&](int64_t, int64_t place) { codes.Put(place, small[0]); });
    for (int64_t s = 0; s < count; ++s) {
      const uint64_t drawn = stream.Bits(seed + static_cast<uint64_t>(s));
      const int64_t first = s * stretch;
      const int64_t last = std::min(n, first + stretch) - 1;
      int64_t k = first;
      if (stretch > 1) {
        // Devices often lose the ends of blocks, so these take precedence over other places.
        const int64_t next = (first + kBlock - 1) / kBlock * kBlock;
        const uint64_t way = drawn % 3;
        k = way == 0   ? first
            : way == 1 ? last
                       : first + static_cast<int64_t>((drawn >> 2) % static_cast<uint64_t>(last - first + 1));
        if (next - 1 >= first && next - 1 <= last) k = next - 1;
        if (next == first) k = first;
        if (s + 1 == count) k = last;
      }
      const uint64_t value = 1 + (drawn >> 20) % static_cast<uint64_t>(each);
      const bool minus =
          lines.running
              ? ((stream.Bits(seed + static_cast<uint64_t>(s / 2) + (uint64_t{1} << 31)) ^ static_cast<uint64_t>(s)) &
                 1) != 0
              : negative;
      const uint64_t code = value < small.size() ? small[value] : CodeOf(format, static_cast<double>(value) * unit);
      codes.Put(line.Place(k), minus ? code | sign : code);
    }
    for (int64_t part = 1; splits && part < kParts; ++part) {
      const int64_t split = n / kParts * part + n % kParts * part / kParts;
      for (const int64_t k : {split - 1, split}) codes.Put(line.Place(k), negative ? small[1] | sign : small[1]);
    }
  });
}

namespace {

// The normal numbers of a type in ascending order: their count, and the code of each.
class Ordinals {
 public:
  explicit Ordinals(const FloatFormat& format)
      : low_(EncodeFloat(format, std::ldexp(1.0, format.min_exponent))),
        side_(EncodeFloat(format, format.max_finite) - low_ + 1),
        sign_(uint64_t{1} << (format.bits - 1)) {}
  uint64_t size() const { return 2 * side_; }
  uint64_t Code(uint64_t i) const { return i < side_ ? sign_ | (low_ + side_ - 1 - i) : low_ + i - side_; }

 private:
  uint64_t low_, side_, sign_;
};

uint64_t DistinctCount(const ElementTypeInfo& info) {
  if (info.format != nullptr) return Ordinals(*info.format).size();
  return info.width < 64 ? uint64_t{1} << info.width : std::numeric_limits<uint64_t>::max();
}

// Returns the code of the element with this rank among `n` different ones.
uint64_t DistinctCode(const ElementTypeInfo& info, uint64_t rank, uint64_t n) {
  if (info.format == nullptr) return rank;
  const Ordinals ordinals(*info.format);
  return ordinals.Code(static_cast<uint64_t>(static_cast<unsigned __int128>(ordinals.size()) * rank / n) %
                       ordinals.size());
}

}  // namespace

void PutSortedLines(const Lines& lines, const CounterStream& stream, const CounterStream& shared, InputData& data) {
  const ElementTypeInfo& info = Info(data.type);
  if (info.kind == ElementKind::kBool || info.kind == ElementKind::kComplex) return;
  if (info.format != nullptr && !HasPlainNan(*info.format)) return;
  Codes codes(data);
  const bool keys = lines.use == LineUse::kSort;
  // Integer keys are already drawn with ties, if they may have ties.
  std::vector<uint64_t> ties;
  if (info.format != nullptr) {
    for (const double v : {0.0, -0.0, 1.0, -1.0, 2.0, kInf, -kInf, 0.5}) ties.push_back(CodeOf(*info.format, v));
    if (!lines.ordered) std::erase(ties, CodeOf(*info.format, -0.0));
    if (lines.takes_nan) {
      ties.push_back(CodeOf(*info.format, kNan));
      ties.push_back(NegativeNan(*info.format));
    }
  }
  ForEachLine(lines, [&](const Line& line) {
    const auto n = static_cast<uint64_t>(line.length);
    const auto number = static_cast<uint64_t>(line.number);
    SpreadOrder walk(n, stream.Bits(~number));
    // If equal keys have no defined order and cannot be avoided, the line is unchanged.
    if (!lines.stable && n > DistinctCount(info)) return;
    if (keys && lines.stable) {
      if (info.format == nullptr) return;
      // Half of the elements, at random places, have equal ones in the line. The rest differ from each other.
      ForEachPlace(line, [&](int64_t, int64_t place) {
        const uint64_t bits = stream.Bits(static_cast<uint64_t>(place));
        const uint64_t rank = walk.Next();
        codes.Put(place, bits % 2 == 0 ? ties[(bits >> 1) % ties.size()] : DistinctCode(info, rank, n));
      });
      return;
    }
    ForEachPlace(line, [&](int64_t k, int64_t place) {
      codes.Put(place, keys ? DistinctCode(info, walk.Next(), n) : DistinctCode(info, static_cast<uint64_t>(k), n));
    });
    if (lines.stable) return;
    // Makes pairs of places equal. The pairs are the same in all operands.
    SpreadOrder pairs(n, shared.Bits(number));
    for (uint64_t p = 0; lines.all_arguments && p < n / 8; ++p) {
      const auto from = static_cast<int64_t>(pairs.Next());
      codes.Copy(line.Place(from), line.Place(static_cast<int64_t>(pairs.Next())));
    }
    if (keys && info.format != nullptr && n >= 8) {
      std::vector<double> once = {kInf, -kInf};
      if (lines.takes_nan) once.push_back(kNan);
      once.push_back(0.0);
      for (const double v : once) codes.Put(line.Place(static_cast<int64_t>(walk.Next())), CodeOf(*info.format, v));
      if (lines.total) {
        codes.Put(line.Place(static_cast<int64_t>(walk.Next())), NegativeNan(*info.format));
        codes.Put(line.Place(static_cast<int64_t>(walk.Next())), CodeOf(*info.format, -0.0));
      }
    }
  });
}

bool TakesDistinctKeys(const InputRole& role, ElementType type) {
  if (!role.lines || role.lines->use != LineUse::kSort || role.lines->stable || !role.lines->paired) return false;
  const ElementTypeInfo& info = Info(type);
  if (info.kind != ElementKind::kFloat || !HasPlainNan(*info.format)) return false;
  // Evenly spread numbers lie between -4 and 4. A quarter of them share the 2^(p - 1) numbers from 2 to 4.
  const int64_t held = int64_t{4} << std::min(info.format->precision - 1, 52);
  return SizeOf(role.lines->shape) >= held && static_cast<uint64_t>(role.lines->length()) <= DistinctCount(info);
}

void PutDistinctKeys(const Lines& lines, const CounterStream& stream, InputData& data) {
  const ElementTypeInfo& info = Info(data.type);
  Codes codes(data);
  ForEachLine(lines, [&](const Line& line) {
    const auto n = static_cast<uint64_t>(line.length);
    SpreadOrder walk(n, stream.Bits(~static_cast<uint64_t>(line.number)));
    ForEachPlace(line, [&](int64_t, int64_t place) { codes.Put(place, DistinctCode(info, walk.Next(), n)); });
  });
}

}  // namespace opbyop::reference
