// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/comparer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "reference/bounds/narrow_ulp.h"
#include "reference/tensor/clones.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Passes over leading elements, as many as a multiple of four, whose errors are within their bounds and not worse than
// the least of a full list of the worst. Raises `most` and returns the number of elements. For formats narrower
// than f64.
OPBYOP_CLONES size_t PassUnremarkable(const double* want, const double* got, const double* bounds, size_t count,
                                      double factor, int64_t least_exponent, int64_t drop, double least_ratio,
                                      double least_difference, WorstErrors& most) {
  using Four = double __attribute__((vector_size(32)));
  using Bits = int64_t __attribute__((vector_size(32)));
  constexpr int64_t kTwiceOne = int64_t{2046} << 52;  // twice the exponent of 1
  Four abs = {}, rel = {}, ulps = {}, ratios = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four w, g, b;
    Bits expected_bits, device_bits;
    std::memcpy(&w, want + i, sizeof(w));
    std::memcpy(&g, got + i, sizeof(g));
    std::memcpy(&expected_bits, want + i, sizeof(w));
    std::memcpy(&device_bits, got + i, sizeof(g));
    const Bits differs = expected_bits ^ device_bits;
    if ((differs[0] | differs[1] | differs[2] | differs[3]) == 0) continue;
    std::memcpy(&b, bounds + i, sizeof(b));
    b *= factor;
    Four difference = g - w;
    difference = difference < 0 ? -difference : difference;
    const Four ratio = difference == 0 ? Four{} : difference / b;
    const Bits plain =
        ((difference != 0) | (differs == 0)) & (difference <= b) & (difference < kInf) &
        ((ratio < least_ratio) | ((ratio == least_ratio) & (difference <= least_difference)) | (difference == 0));
    if (!(plain[0] & plain[1] & plain[2] & plain[3])) break;
    const Four size = w < 0 ? -w : w;
    const Four relative = size == 0 ? Four{} : difference / size;
    Bits exponents = expected_bits & NarrowUlp::kExponent;
    exponents = (exponents > least_exponent ? exponents : least_exponent + Bits{}) - drop;
    // The inverse of a power of two is exact, and so is the product with it.
    const Bits inverse_bits = kTwiceOne - exponents;
    Four inverse_units;
    std::memcpy(&inverse_units, &inverse_bits, sizeof(inverse_units));
    const Four in_units = difference * inverse_units;
    abs = difference > abs ? difference : abs;
    rel = relative > rel ? relative : rel;
    ulps = in_units > ulps ? in_units : ulps;
    ratios = ratio > ratios ? ratio : ratios;
  }
  for (int lane = 0; lane < 4; ++lane) {
    most.abs = abs[lane] > most.abs ? abs[lane] : most.abs;
    most.rel = rel[lane] > most.rel ? rel[lane] : most.rel;
    most.ulp = ulps[lane] > most.ulp ? ulps[lane] : most.ulp;
    most.bound_ratio = ratios[lane] > most.bound_ratio ? ratios[lane] : most.bound_ratio;
  }
  return i;
}

}  // namespace

void Moments::Add(double x, double y, int64_t times) {
  if (n_ == 0) first_ = Two{x, y};
  AddAfterFirst(x, y, times);
}

void Moments::AddAfterFirst(double x, double y, int64_t times) {
  const Two pair = {x, y};
  n_ += times;
  const Two shifted = pair - first_;
  const Two products = Two{shifted[0], x} * Two{shifted[1], y};
  const double distance = x - y;
  if (times == 1) {
    sums_ += shifted;
    squares_ += shifted * shifted;
    plain_ += pair * pair;
    products_ += products;
    distances_ += distance * distance;
    return;
  }
  const auto weight = static_cast<double>(times);
  sums_ += weight * shifted;
  squares_ += weight * (shifted * shifted);
  plain_ += weight * (pair * pair);
  products_ += weight * products;
  distances_ += weight * (distance * distance);
}

void Moments::AddBooleans(int64_t pairs, int64_t xs, int64_t ys, int64_t both, bool first_x, bool first_y) {
  if (n_ == 0) first_ = Two{first_x ? 1.0 : 0.0, first_y ? 1.0 : 0.0};
  for (const bool x : {false, true}) {
    for (const bool y : {false, true}) {
      const int64_t times = x ? (y ? both : xs - both) : (y ? ys - both : pairs - xs - ys + both);
      if (times > 0) AddAfterFirst(x ? 1 : 0, y ? 1 : 0, times);
    }
  }
}

double Moments::Pcc() const {
  if (n_ == 0) return 1;
  const auto count = static_cast<double>(n_);
  const double vx = squares_[0] - sums_[0] * sums_[0] / count;
  const double vy = squares_[1] - sums_[1] * sums_[1] / count;
  if (vx <= 0 || vy <= 0) return distances_ == 0 ? 1 : 0;
  return std::clamp((products_[0] - sums_[0] * sums_[1] / count) / std::sqrt(vx) / std::sqrt(vy), -1.0, 1.0);
}

double Moments::Cosine() const {
  if (plain_[0] == 0 || plain_[1] == 0) return distances_ == 0 ? 1 : 0;
  return std::clamp(products_[1] / std::sqrt(plain_[0]) / std::sqrt(plain_[1]), -1.0, 1.0);
}

double Moments::Rmse() const { return n_ == 0 ? 0 : std::sqrt(distances_ / static_cast<double>(n_)); }

void WorstList::Keep(int64_t index, double ratio, double difference) {
  Worst entry{index, ratio, difference};
  const auto known = std::ranges::find(list_, index, &Worst::index);
  if (known != list_.end()) {
    if (!IsWorse(entry, *known)) return;
    list_.erase(known);
  }
  list_.insert(std::ranges::find_if(list_, [&](const Worst& w) { return IsWorse(entry, w); }), std::move(entry));
  if (list_.size() > kMost) list_.pop_back();
}

void WorstList::Describe(int64_t first, const Tensor& expected, std::span<const std::byte> bytes) {
  const auto stored = static_cast<size_t>(StoredBytes(expected.type()));
  for (Worst& w : list_) {
    const int64_t at = w.index - first;
    if (at < 0 || at >= expected.size()) continue;
    const auto got = TensorFromBytes(expected.type(), {}, bytes.subspan(static_cast<size_t>(at) * stored, stored));
    w.got = got ? ElementText(*got, 0) : "?";
    w.expected = ElementText(expected, at);
  }
}

void WorstList::Describe(int64_t index, std::string got, std::string expected) {
  const auto entry = std::ranges::find(list_, index, &Worst::index);
  if (entry == list_.end()) return;
  entry->got = std::move(got);
  entry->expected = std::move(expected);
}

std::vector<Comparison::Element> WorstList::Elements(const Shape& shape) const {
  std::vector<Comparison::Element> elements;
  elements.reserve(list_.size());
  for (const Worst& w : list_) elements.push_back({IndexOf(w.index, shape), w.got, w.expected, w.ratio});
  return elements;
}

Comparer::Comparer(ElementType type, double factor)
    : format_(Info(type).format), is_signed_(Info(type).is_signed), factor_(factor) {}

void Comparer::SetZeroRule(std::shared_ptr<const Bound> bound, int64_t first) {
  zero_rule_ = std::move(bound);
  zero_rule_first_ = first;
}

void Comparer::Add(int64_t first, const Tensor& expected, std::span<const std::byte> bytes) {
  SetZeroRule(expected.bound(), first);
  const auto stored = static_cast<size_t>(StoredBytes(expected.type()));
  const double* bounds = expected.bounds().empty() ? nullptr : expected.bounds().data();
  WithStorage(expected.kind(), [&]<typename T>() {
    std::vector<T> got;
    ForValues<T>(expected, [&](int64_t at, std::span<const T> want) {
      got.resize(want.size());
      DecodeElements(expected.type(), bytes.data() + static_cast<size_t>(at) * stored,
                     static_cast<int64_t>(want.size()), got.data());
      AddBlock<T>(first + at, want, got.data(), bounds == nullptr ? nullptr : bounds + at);
    });
  });
  worst_.Describe(first, expected, bytes);
}

template <typename T>
void Comparer::AddBlock(int64_t first, std::span<const T> want, const T* got, const double* bounds) {
  const auto bound = [&](size_t i) { return bounds == nullptr ? 0 : bounds[i] * factor_; };
  const bool same = std::memcmp(want.data(), got, want.size_bytes()) == 0;
  if (same && bounds == nullptr && !keeps_moments_) {
    skipped_ = true;
    return;
  }
  if constexpr (std::is_same_v<T, double>) {
    Moments moments = moments_;  // in registers: a value could have the address of a member
    for (size_t i = 0; i < want.size(); ++i) {
      if (IsFinite(want[i]) && IsFinite(got[i])) moments.Add(got[i], want[i]);
    }
    moments_ = moments;
    if (!same) Reals(first, want, got, bounds);
  } else if constexpr (std::is_same_v<T, Complex>) {
    for (size_t i = 0; i < want.size(); ++i) {
      const auto at = first + static_cast<int64_t>(i);
      const auto part = [&](double expected, double given) {
        if (IsFinite(expected) && IsFinite(given)) moments_.Add(given, expected);
        Real(at, expected, given, bound(i));
      };
      part(want[i].real(), got[i].real());
      part(want[i].imag(), got[i].imag());
    }
  } else {
    if constexpr (std::is_same_v<T, uint8_t>) {
      int64_t gots = 0, wants = 0, both = 0;
      for (size_t i = 0; i < want.size(); ++i) {
        gots += got[i];
        wants += want[i];
        both += got[i] & want[i];
      }
      if (!want.empty()) {
        moments_.AddBooleans(static_cast<int64_t>(want.size()), gots, wants, both, got[0] != 0, want[0] != 0);
      }
    } else {
      for (size_t i = 0; i < want.size(); ++i) moments_.Add(AsNumber(got[i]), AsNumber(want[i]));
    }
    for (size_t i = 0; i < want.size() && !same; ++i) {
      Integer(first + static_cast<int64_t>(i), want[i], got[i], bound(i));
    }
  }
}

template void Comparer::AddBlock(int64_t, std::span<const double>, const double*, const double*);
template void Comparer::AddBlock(int64_t, std::span<const Complex>, const Complex*, const double*);
template void Comparer::AddBlock(int64_t, std::span<const int64_t>, const int64_t*, const double*);
template void Comparer::AddBlock(int64_t, std::span<const uint8_t>, const uint8_t*, const double*);

void Comparer::AddPairs(const Tensor& expected, std::span<const std::byte> bytes, std::span<const int64_t> counts,
                        const NextOf& next) {
  struct PairError {
    size_t pair;
    std::pair<double, double> size;  // in units of the bound, absolute
  };
  const auto stored = static_cast<size_t>(StoredBytes(expected.type()));
  const Expected<Tensor> got = TensorFromBytes(expected.type(), expected.shape(), bytes);
  SetZeroRule(expected.bound(), 0);
  std::vector<PairError> errors;
  WithStorage(expected.kind(), [&]<typename T>() {
    for (size_t k = 0; k < counts.size(); ++k) {
      const T want = expected.data<T>()[k], given = got->data<T>()[k];
      const double bound = expected.bounds().empty() ? 0 : expected.bounds()[k] * factor_;
      worst_ = {};
      if constexpr (std::is_same_v<T, double>) {
        if (IsFinite(want) && IsFinite(given)) moments_.Add(given, want, counts[k]);
        Real(static_cast<int64_t>(k), want, given, bound);
      } else if constexpr (!std::is_same_v<T, Complex>) {
        moments_.Add(AsNumber(given), AsNumber(want), counts[k]);
        Integer(static_cast<int64_t>(k), want, given, bound);
      }
      if (worst_.size() > 0) errors.push_back({k, worst_.Least()});
    }
  });
  worst_ = {};
  std::ranges::sort(errors, std::greater(), &PairError::size);
  // The errors from the greatest down to the last that the list of the worst elements has.
  size_t listed = 0, last = 0;
  while (last < errors.size() && listed < WorstList::kMost) {
    listed += static_cast<size_t>(std::min<int64_t>(counts[errors[last++].pair], WorstList::kMost));
  }
  while (last > 0 && last < errors.size() && errors[last].size == errors[last - 1].size) ++last;
  listed = std::min(listed, WorstList::kMost);
  int64_t above = 0;  // elements with a greater error than the last that the list has
  std::vector<uint8_t> marked(counts.size());
  std::vector<std::pair<double, double>> sizes(counts.size());
  for (const PairError& error : std::span(errors).first(last)) {
    marked[error.pair] = 1;
    sizes[error.pair] = error.size;
    if (error.size > errors[last - 1].size) above += counts[error.pair];
  }
  size_t pair = 0;
  for (int64_t i = 0; worst_.size() < listed || above > 0; ++i) {
    i = next(i, marked, pair);
    const auto [ratio, difference] = sizes[pair];
    if (!worst_.Takes(ratio, difference)) continue;
    worst_.Keep(i, ratio, difference);
    if (sizes[pair] > errors[last - 1].size) --above;
    const auto given = TensorFromBytes(expected.type(), {}, bytes.subspan(pair * stored, stored));
    worst_.Describe(i, given ? ElementText(*given, 0) : "?", ElementText(expected, static_cast<int64_t>(pair)));
  }
}

void Comparer::Reals(int64_t first, std::span<const double> want, const double* got, const double* bounds) {
  constexpr size_t kGroup = 4;
  constexpr int kBitsOfF64 = 53;  // its ULPs may be subnormal
  for (size_t i = 0; i < want.size();) {
    if (bounds != nullptr && format_->precision < kBitsOfF64 && !worst_.Takes(0, 0)) {
      const NarrowUlp ulp(*format_);
      const auto [ratio, difference] = worst_.Least();
      i += PassUnremarkable(want.data() + i, got + i, bounds + i, want.size() - i, factor_, ulp.least(), ulp.drop(),
                            ratio, difference, most_);
    }
    for (const size_t end = std::min(i + kGroup, want.size()); i < end; ++i) {
      Real(first + static_cast<int64_t>(i), want[i], got[i], bounds == nullptr ? 0 : bounds[i] * factor_);
    }
  }
}

void Comparer::Real(int64_t index, double want, double got, double bound) {
  if (want == got) {
    if (want != 0 || std::signbit(want) == std::signbit(got)) return;
    // If the bound is infinite any number passes, so the sign of zero does not matter either.
    const bool open = bound == kInf || (zero_rule_ && zero_rule_->IsZeroSignFree(index - zero_rule_first_));
    if (!open) Mismatch(index, kInf, 0);
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
  most_.abs = std::max(most_.abs, difference);
  if (want != 0) most_.rel = std::max(most_.rel, difference / std::fabs(want));
  most_.ulp = std::max(most_.ulp, difference / format_->Ulp(want));
  Ratio(index, difference, bound);
}

void Comparer::Integer(int64_t index, int64_t want, int64_t got, double bound) {
  if (want == got) return;
  const double difference = std::max(std::fabs(AsNumber(got) - AsNumber(want)), 1.0);
  most_.abs = std::max(most_.abs, difference);
  if (want != 0) most_.rel = std::max(most_.rel, difference / std::fabs(AsNumber(want)));
  most_.ulp = std::max(most_.ulp, difference);
  Ratio(index, difference, bound);
}

void Comparer::Ratio(int64_t index, double difference, double bound) {
  if (difference <= bound) {
    const double ratio = bound == kInf ? 0 : difference / bound;
    most_.bound_ratio = std::max(most_.bound_ratio, ratio);
    if (worst_.Takes(ratio, difference)) worst_.Keep(index, ratio, difference);
    return;
  }
  Mismatch(index, bound > 0 ? difference / bound : kInf, difference);
}

void Comparer::Mismatch(int64_t index, double ratio, double difference) {
  if (last_mismatch_ != index) ++mismatches_;
  last_mismatch_ = index;
  most_.bound_ratio = std::max(most_.bound_ratio, ratio);
  if (worst_.Takes(ratio, difference)) worst_.Keep(index, ratio, difference);
}

void Comparer::Finish(const Shape& shape, Comparison& out) const {
  out.mismatches = mismatches_;
  out.max_abs = most_.abs;
  out.max_rel = most_.rel;
  out.max_ulp = most_.ulp;
  // Equal numbers have these exactly, whatever the sums round to, and need none.
  const bool equal = most_.abs == 0;
  out.pcc = equal ? 1 : moments_.Pcc();
  out.cosine = equal ? 1 : moments_.Cosine();
  out.rmse = equal ? 0 : moments_.Rmse();
  out.nan_mismatches = nan_mismatches_;
  out.inf_mismatches = inf_mismatches_;
  out.bound_ratio = most_.bound_ratio;
  out.accepted = mismatches_ == 0;
  out.worst = worst_.Elements(shape);
}

}  // namespace opbyop::reference
