// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>

#include "reference/bounds/bound.h"
#include "reference/tensor/special_values.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

constexpr size_t kWorst = 5;

// Sums for PCC, cosine and RMSE, shifted by the first pair so that a large common offset causes no cancellation.
struct Moments {
  int64_t n = 0;
  double x0 = 0, y0 = 0;
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;  // shifted
  double xx = 0, yy = 0, xy = 0, dd = 0;             // plain

  void Add(double x, double y) {
    if (n++ == 0) {
      x0 = x;
      y0 = y;
    }
    const double u = x - x0;
    const double v = y - y0;
    sx += u;
    sy += v;
    sxx += u * u;
    syy += v * v;
    sxy += u * v;
    xx += x * x;
    yy += y * y;
    xy += x * y;
    dd += (x - y) * (x - y);
  }

  // Adds the same numbers in the same order as Add(x, x) for each.
  void AddEqual(std::span<const double> values) {
    if (values.empty()) return;
    if (n == 0) x0 = y0 = values.front();
    n += static_cast<int64_t>(values.size());
    // While all pairs were equal the sums are too, and three are enough.
    if (x0 == y0 && sx == sy && sxx == syy && sxx == sxy && xx == yy && xx == xy) {
      double s = sx, ss = sxx, plain = xx;
      for (const double x : values) {
        const double u = x - x0;
        s += u;
        ss += u * u;
        plain += x * x;
      }
      sx = sy = s;
      sxx = syy = sxy = ss;
      xx = yy = xy = plain;
      return;
    }
    for (const double x : values) {
      const double u = x - x0;
      const double v = x - y0;
      sx += u;
      sy += v;
      sxx += u * u;
      syy += v * v;
      sxy += u * v;
      xx += x * x;
      yy += x * x;
      xy += x * x;
    }
  }

  // Adds Add(1, 1) `ones` times and Add(0, 0) for the others. These sums are exact in any order.
  void AddEqualBits(int64_t ones, int64_t zeros, bool first) {
    if (n == 0) x0 = y0 = first;
    n += ones + zeros;
    const auto of_one = static_cast<double>(ones);
    const auto of_zero = static_cast<double>(zeros);
    sx += of_one * (1 - x0) - of_zero * x0;
    sy += of_one * (1 - y0) - of_zero * y0;
    sxx += of_one * (1 - x0) * (1 - x0) + of_zero * x0 * x0;
    syy += of_one * (1 - y0) * (1 - y0) + of_zero * y0 * y0;
    sxy += of_one * (1 - x0) * (1 - y0) + of_zero * x0 * y0;
    xx += of_one;
    yy += of_one;
    xy += of_one;
  }

  double Pcc() const {
    if (n == 0) return 1;
    const auto count = static_cast<double>(n);
    const double vx = sxx - sx * sx / count;
    const double vy = syy - sy * sy / count;
    if (vx <= 0 || vy <= 0) return dd == 0 ? 1 : 0;
    return std::clamp((sxy - sx * sy / count) / std::sqrt(vx) / std::sqrt(vy), -1.0, 1.0);
  }
  double Cosine() const {
    if (xx == 0 || yy == 0) return dd == 0 ? 1 : 0;
    return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
  }
  double Rmse() const { return n == 0 ? 0 : std::sqrt(dd / static_cast<double>(n)); }
};

bool ZeroSignFree(const Tensor& expected) { return expected.bound() && expected.bound()->zero_sign_free; }

struct Worst {
  int64_t index;
  double ratio;
  double difference;
};

// The worst elements, worst first. Each element is listed once.
class WorstList {
 public:
  void Keep(Worst entry) {
    const auto known = std::ranges::find(list_, entry.index, &Worst::index);
    if (known != list_.end()) {
      if (!IsWorse(entry, *known)) return;
      list_.erase(known);
    }
    list_.insert(std::ranges::find_if(list_, [&](const Worst& w) { return IsWorse(entry, w); }), entry);
    if (list_.size() > kWorst) list_.pop_back();
  }
  // Whether the list would keep an entry with this ratio and distance.
  bool Takes(double ratio, double difference) const {
    return list_.size() < kWorst || IsWorse({0, ratio, difference}, list_.back());
  }
  std::vector<Comparison::Element> Elements(const Tensor& expected, std::span<const std::byte> bytes) const {
    std::vector<Comparison::Element> elements;
    const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
    for (const Worst& w : list_) {
      Comparison::Element& element = elements.emplace_back();
      element.index = IndexOf(w.index, expected.shape());
      const auto got =
          TensorFromBytes(expected.type(), {}, bytes.subspan(static_cast<size_t>(w.index) * stored, stored));
      element.got = got ? ElementText(*got, 0) : "?";
      element.expected = ElementText(expected, w.index);
      element.bound_ratio = w.ratio;
    }
    return elements;
  }

 private:
  static bool IsWorse(const Worst& a, const Worst& b) {
    return a.ratio > b.ratio || (a.ratio == b.ratio && a.difference > b.difference);
  }

  std::vector<Worst> list_;
};

class Comparer {
 public:
  Comparer(const Tensor& expected, double factor)
      : bounds_(expected.bounds()),
        signed_zeros_(!ZeroSignFree(expected)),
        factor_(factor),
        format_(Info(expected.type()).format) {}

  // Compares one real number. The two parts of a complex element are passed one after the other with the same index.
  void Real(int64_t index, double want, double got) {
    const double bound = bounds_.empty() ? 0 : bounds_[static_cast<size_t>(index)] * factor_;
    if (want == got) {
      if (std::isfinite(want)) moments_.Add(got, want);
      // If the bound is infinite any number passes, so the sign of zero does not matter either.
      const bool signed_zero = want == 0 && signed_zeros_ && bound != kInf;
      if (signed_zero && std::signbit(want) != std::signbit(got)) Mismatch(index, kInf, 0);
      return;
    }
    // In types of 8 bits or fewer, a device may give the greatest number if the expected value is beyond it.
    constexpr int kNarrow = 8;
    const bool is_beyond = std::isinf(want) || (std::isnan(want) && format_->overflow == Overflow::kNan);
    const bool saturates = is_beyond && format_->bits <= kNarrow && bound > 0 && std::fabs(got) == format_->max_finite;
    if (saturates && std::signbit(got) == std::signbit(want)) return;
    const bool nan = std::isnan(want) || std::isnan(got);
    if (nan) {
      // The expected value is finite and the device gave NaN, in a type whose overflow is NaN.
      const bool may_overflow = bound > 0 && std::isfinite(want) && format_->overflow == Overflow::kNan &&
                                std::fabs(want) + bound > format_->max_finite;
      if (may_overflow) return;
      if (std::isnan(want) && std::isnan(got)) return;
      // With an infinite bound the order of the operations decides whether the result is a number at all.
      if (bound == kInf) return;
      ++nan_mismatches_;
      return Mismatch(index, kInf, kInf);
    }
    if (std::isinf(want) || std::isinf(got)) {
      if (bound == kInf) return;
      // A value within its bound of the largest finite number may round to infinity.
      const bool may_overflow = bound > 0 && std::isinf(got) && std::fabs(want) + bound > format_->max_finite;
      if (may_overflow && std::signbit(got) == std::signbit(want)) return;
      ++inf_mismatches_;
      return Mismatch(index, kInf, kInf);
    }
    const double difference = std::fabs(got - want);
    moments_.Add(got, want);
    max_abs_ = std::max(max_abs_, difference);
    if (want != 0) max_rel_ = std::max(max_rel_, difference / std::fabs(want));
    max_ulp_ = std::max(max_ulp_, difference / format_->Ulp(want));
    Ratio(index, difference, bound);
  }

  // The block has the same bits in both tensors. False if it has to be compared one by one.
  bool TakesEqual(std::span<const double> values) {
    const auto is_finite = [](bool all, double v) {
      return all & (std::fabs(v) <= std::numeric_limits<double>::max());
    };
    if (!std::accumulate(values.begin(), values.end(), true, is_finite)) return false;
    moments_.AddEqual(values);
    return true;
  }
  bool TakesEqual(std::span<const uint8_t> values) {
    const auto ones = static_cast<int64_t>(std::ranges::count_if(values, [](uint8_t v) { return v != 0; }));
    moments_.AddEqualBits(ones, static_cast<int64_t>(values.size()) - ones, values.front() != 0);
    return true;
  }

  void Integer(int64_t index, int64_t want, int64_t got, bool is_signed) {
    const auto value = [&](int64_t v) {
      return is_signed ? static_cast<double>(v) : static_cast<double>(static_cast<uint64_t>(v));
    };
    moments_.Add(value(got), value(want));
    if (want == got) return;
    const double difference = std::max(std::fabs(value(got) - value(want)), 1.0);
    max_abs_ = std::max(max_abs_, difference);
    if (want != 0) max_rel_ = std::max(max_rel_, difference / std::fabs(value(want)));
    max_ulp_ = std::max(max_ulp_, difference);
    Ratio(index, difference, bounds_.empty() ? 0 : bounds_[static_cast<size_t>(index)] * factor_);
  }

  int64_t mismatches() const { return mismatches_; }
  double bound_ratio() const { return bound_ratio_; }

  void Finish(const Tensor& expected, std::span<const std::byte> bytes, Comparison& out) const {
    out.mismatches = mismatches_;
    out.max_abs = max_abs_;
    out.max_rel = max_rel_;
    out.max_ulp = max_ulp_;
    out.pcc = moments_.Pcc();
    out.cosine = moments_.Cosine();
    out.rmse = moments_.Rmse();
    out.nan_mismatches = nan_mismatches_;
    out.inf_mismatches = inf_mismatches_;
    out.bound_ratio = bound_ratio_;
    out.accepted = mismatches_ == 0;
    out.worst = worst_.Elements(expected, bytes);
  }

 private:
  void Ratio(int64_t index, double difference, double bound) {
    if (difference <= bound) {
      const double ratio = bound == kInf ? 0 : difference / bound;
      bound_ratio_ = std::max(bound_ratio_, ratio);
      if (worst_.Takes(ratio, difference)) worst_.Keep({index, ratio, difference});
      return;
    }
    Mismatch(index, bound > 0 ? difference / bound : kInf, difference);
  }

  void Mismatch(int64_t index, double ratio, double difference) {
    if (last_mismatch_ != index) ++mismatches_;
    last_mismatch_ = index;
    bound_ratio_ = std::max(bound_ratio_, ratio);
    if (worst_.Takes(ratio, difference)) worst_.Keep({index, ratio, difference});
  }

  std::span<const double> bounds_;
  bool signed_zeros_;
  double factor_;
  const FloatFormat* format_;
  Moments moments_;
  double max_abs_ = 0, max_rel_ = 0, max_ulp_ = 0, bound_ratio_ = 0;
  int64_t mismatches_ = 0, nan_mismatches_ = 0, inf_mismatches_ = 0;
  int64_t last_mismatch_ = -1;
  WorstList worst_;
};

// Computes the error of each element of a block in units of its bound, four at a time, and raises `worst` to the
// greatest. Ignores the sign of zero. Returns false if an error is above 1 or an element is NaN or infinite: the
// Comparer then judges the block.
bool WithinBounds(const double* want, const double* got, const double* bounds, int64_t count, double& worst) {
  using Four = double __attribute__((vector_size(32)));
  using Mask = int64_t __attribute__((vector_size(32)));
  Four most = {};
  Mask within = ~Mask{};
  const auto four = [&](const double* w, const double* g, const double* b) {
    Four want4, got4, bound4;
    std::memcpy(&want4, w, sizeof(want4));
    std::memcpy(&got4, g, sizeof(got4));
    std::memcpy(&bound4, b, sizeof(bound4));
    Four difference = got4 - want4;
    difference = difference < 0 ? -difference : difference;
    const Four ratio = difference == 0 ? Four{} : difference / bound4;
    within &= ratio <= 1;
    most = ratio > most ? ratio : most;
  };
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) four(want + i, got + i, bounds + i);
  if (i < count) {
    std::array<double, 4> w{}, g{}, b{};
    std::copy(want + i, want + count, w.begin());
    std::copy(got + i, got + count, g.begin());
    std::copy(bounds + i, bounds + count, b.begin());
    four(w.data(), g.data(), b.data());
  }
  if (!(within[0] & within[1] & within[2] & within[3])) return false;
  worst = std::max({worst, most[0], most[1], most[2], most[3]});
  return true;
}

// True if all elements have the same bits, which every rule accepts.
template <typename T>
bool SameBits(const T* want, const T* got, int64_t count) {
  return std::memcmp(want, got, static_cast<size_t>(count) * sizeof(T)) == 0;
}

// Calls fn(first element, count, expected values, device's values) for every block of elements.
template <typename T, typename Fn>
void ForBlocks(const Tensor& expected, std::span<const std::byte> bytes, size_t stored, Fn&& fn) {
  std::vector<T> got;
  ForValues<T>(expected, [&](int64_t at, std::span<const T> want) {
    got.resize(want.size());
    const auto count = static_cast<int64_t>(want.size());
    DecodeElements(expected.type(), bytes.data() + static_cast<size_t>(at) * stored, count, got.data());
    fn(at, count, want.data(), got.data());
  });
}

template <typename T>
void CompareBlock(int64_t at, int64_t count, const T* want, const T* got, bool is_signed, Comparer& comparer) {
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      comparer.Real(at + i, want[i], got[i]);
    } else if constexpr (std::is_same_v<T, Complex>) {
      comparer.Real(at + i, want[i].real(), got[i].real());
      comparer.Real(at + i, want[i].imag(), got[i].imag());
    } else {
      comparer.Integer(at + i, want[i], got[i], is_signed);
    }
  }
}

bool IsConstant(std::span<const std::byte> bytes, size_t stored) {
  // An output is constant if it equals itself shifted by one element.
  return bytes.size() > stored && std::equal(bytes.begin() + static_cast<int64_t>(stored), bytes.end(), bytes.begin());
}

// A boolean byte other than 0 and 1 would be read as true and hide a broken device.
bool HasForeignBooleans(std::span<const std::byte> bytes) {
  return std::ranges::any_of(bytes, [](std::byte b) { return b > std::byte{1}; });
}

}  // namespace

Expected<Comparison> CompareOutput(int64_t output, const Tensor& expected, std::span<const std::byte> bytes,
                                   const CompareOptions& options) {
  const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
  if (bytes.size() != static_cast<size_t>(expected.size()) * stored) {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("output {}: the device gave {} bytes, expected {} elements of {} in {} bytes", output, bytes.size(),
                    expected.size(), NameOf(expected.type()), static_cast<size_t>(expected.size()) * stored));
  }
  Comparison out;
  out.output = output;
  out.dtype = std::string(NameOf(expected.type()));
  out.elements = expected.size();
  out.unbounded = std::ranges::count(expected.bounds(), kInf);
  out.rule = expected.bound() ? expected.bound()->rule : "bit-exact";
  out.random = expected.provenance().random || (expected.bound() && expected.bound()->random);
  if (options.factor > 1) out.relaxed = options.reason;
  Comparer comparer(expected, options.factor);
  const bool is_signed = Info(expected.type()).is_signed;
  WithStorage(expected.kind(), [&]<typename T>() {
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      if constexpr (std::is_same_v<T, double> || std::is_same_v<T, uint8_t>) {
        if (SameBits(want, given, count) && comparer.TakesEqual(std::span(want, static_cast<size_t>(count)))) return;
      }
      CompareBlock(at, count, want, given, is_signed, comparer);
    });
  });
  comparer.Finish(expected, bytes, out);
  out.constant = IsConstant(bytes, stored);
  if (expected.kind() == ElementKind::kBool && HasForeignBooleans(bytes)) {
    out.accepted = false;
    out.mismatches = std::max<int64_t>(out.mismatches, 1);
    out.rule += ", bytes 0 or 1";
  }
  return out;
}

std::optional<double> RatioIfAccepted(const Tensor& expected, std::span<const std::byte> bytes) {
  const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
  if (bytes.size() != static_cast<size_t>(expected.size()) * stored) return std::nullopt;
  if (expected.kind() == ElementKind::kBool && HasForeignBooleans(bytes)) return std::nullopt;
  const bool is_signed = Info(expected.type()).is_signed;
  const double* bounds = expected.bounds().empty() || !ZeroSignFree(expected) ? nullptr : expected.bounds().data();
  Comparer comparer(expected, 1);
  double worst = 0;
  WithStorage(expected.kind(), [&]<typename T>() {
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      if (SameBits(want, given, count)) return;
      if constexpr (std::is_same_v<T, double>) {
        if (bounds != nullptr && WithinBounds(want, given, bounds + at, count, worst)) return;
      }
      CompareBlock(at, count, want, given, is_signed, comparer);
    });
  });
  if (comparer.mismatches() > 0) return std::nullopt;
  return std::max(worst, comparer.bound_ratio());
}

std::optional<WorstErrors> ErrorsIfAccepted(const Tensor& expected, std::span<const std::byte> bytes) {
  const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
  if (bytes.size() != static_cast<size_t>(expected.size()) * stored) return std::nullopt;
  if (expected.kind() != ElementKind::kFloat) {
    if (!std::ranges::equal(TensorToBytes(expected), bytes)) return std::nullopt;
    WorstErrors equal;
    equal.unbounded = std::ranges::count(expected.bounds(), kInf);
    return equal;
  }
  const FloatFormat& format = *Info(expected.type()).format;
  const bool signed_zeros = !ZeroSignFree(expected);
  const double* bounds = expected.bounds().empty() ? nullptr : expected.bounds().data();
  WorstErrors worst;
  bool accepted = true;
  ForBlocks<double>(expected, bytes, stored, [&](int64_t at, int64_t count, const double* want, const double* got) {
    if (bounds == nullptr && SameBits(want, got, count)) return;
    for (int64_t i = 0; i < count && accepted; ++i) {
      const double w = want[i];
      const double g = got[i];
      const double bound = bounds == nullptr ? 0 : bounds[at + i];
      worst.unbounded += bound == kInf;
      if (w == g) {
        if (w == 0 && signed_zeros && bound != kInf && std::signbit(w) != std::signbit(g)) accepted = false;
        continue;
      }
      if (bound == kInf || (std::isnan(w) && std::isnan(g))) continue;
      const double difference = std::fabs(g - w);
      if (!(difference <= bound)) {  // also true if one side is NaN or infinite
        accepted = false;
        continue;
      }
      worst.abs = std::max(worst.abs, difference);
      if (w != 0) worst.rel = std::max(worst.rel, difference / std::fabs(w));
      worst.ulp = std::max(worst.ulp, difference / format.Ulp(w));
      worst.bound_ratio = std::max(worst.bound_ratio, difference / bound);
    }
  });
  return accepted ? std::optional(worst) : std::nullopt;
}

std::vector<Comparison::Element> FurthestElements(const Tensor& expected, std::span<const std::byte> bytes,
                                                  double allowed) {
  WorstList worst;
  const bool is_signed = Info(expected.type()).is_signed;
  const auto keep = [&](int64_t index, double want, double got) {
    const double difference = AbsoluteDifference(got, want);
    const double ratio = difference == 0 ? 0 : allowed > 0 ? difference / allowed : kInf;
    if (difference > 0 && worst.Takes(ratio, difference)) worst.Keep({index, ratio, difference});
  };
  WithStorage(expected.kind(), [&]<typename T>() {
    const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<T, Complex>) {
          keep(at + i, want[i].real(), given[i].real());
          keep(at + i, want[i].imag(), given[i].imag());
        } else if (std::is_same_v<T, int64_t> && !is_signed) {
          keep(at + i, static_cast<double>(static_cast<uint64_t>(want[i])),
               static_cast<double>(static_cast<uint64_t>(given[i])));
        } else {
          keep(at + i, static_cast<double>(want[i]), static_cast<double>(given[i]));
        }
      }
    });
  });
  return worst.Elements(expected, bytes);
}

std::vector<int64_t> RefusedElements(const Tensor& expected, std::span<const std::byte> bytes) {
  const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
  const bool is_signed = Info(expected.type()).is_signed;
  Comparer comparer(expected, 1);
  std::vector<int64_t> refused;
  WithStorage(expected.kind(), [&]<typename T>() {
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      if (SameBits(want, given, count)) return;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t before = comparer.mismatches();
        CompareBlock(at + i, 1, want + i, given + i, is_signed, comparer);
        if (comparer.mismatches() > before) refused.push_back(at + i);
      }
    });
  });
  return refused;
}

Tensor TakeWhereRefused(const Tensor& expected, const Tensor& other, std::span<const std::byte> bytes, int64_t& taken) {
  taken = 0;
  std::vector<int64_t> places;
  std::ranges::set_difference(RefusedElements(expected, bytes), RefusedElements(other, bytes),
                              std::back_inserter(places));
  if (places.empty()) return expected;
  taken = static_cast<int64_t>(places.size());
  Tensor merged = expected;
  WithStorage(merged.kind(), [&]<typename T>() {
    const auto into = merged.Mutable<T>();
    for (const int64_t i : places) into[static_cast<size_t>(i)] = other.data<T>()[static_cast<size_t>(i)];
  });
  if (expected.bounds().empty() && other.bounds().empty()) return merged;
  auto bound = CopyOfBound(expected, "");
  const Bound& ruling = expected.bound() ? *expected.bound() : *other.bound();
  bound->rule = ruling.rule;
  bound->random = ruling.random;
  for (const int64_t i : places) {
    MutableSpan(*bound)[static_cast<size_t>(i)] = other.bounds().empty() ? 0 : other.bounds()[static_cast<size_t>(i)];
  }
  merged.set_bound(std::move(bound));
  merged.set_provenance({std::max(expected.provenance().scale, other.provenance().scale),
                         expected.provenance().open || other.provenance().open,
                         expected.provenance().random || other.provenance().random});
  return merged;
}

}  // namespace opbyop::reference
