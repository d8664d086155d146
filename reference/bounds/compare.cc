// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>

#include "reference/bounds/bound.h"
#include "reference/bounds/comparer.h"
#include "reference/tensor/special_values.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

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
  BlockComparison comparison(output, expected.type(), expected.shape(), options);
  if (!comparison.AddIfSame(expected, bytes)) comparison.Add(expected, bytes);
  if (!comparison.lacks_moments()) return comparison.Finish(bytes);
  BlockComparison again(output, expected.type(), expected.shape(), options);
  again.KeepMoments();
  again.Add(expected, bytes);
  return again.Finish(bytes);
}

BlockComparison::BlockComparison(int64_t output, ElementType type, Shape shape, const CompareOptions& options)
    : options_(options), type_(type), shape_(std::move(shape)) {
  out_.output = output;
  out_.dtype = std::string(NameOf(type));
  out_.elements = SizeOf(shape_);
  if (options.factor > 1) out_.relaxed = options.reason;
}

bool BlockComparison::FollowsRule(const Tensor& expected) {
  const std::string rule = expected.bound() ? expected.bound()->rule : "bit-exact";
  const bool random = expected.provenance().random || (expected.bound() && expected.bound()->random);
  if (!comparer_) {
    out_.rule = rule;
    out_.random = random;
    comparer_.emplace(type_, options_.factor);
    if (keeps_moments_) comparer_->KeepMoments();
    return true;
  }
  const std::optional<std::string> both = JoinRules(out_.rule, rule);
  if (!both || random != out_.random) return false;
  out_.rule = *both;
  return true;
}

bool BlockComparison::Add(const Tensor& expected, std::span<const std::byte> bytes) {
  if (!FollowsRule(expected)) return false;
  out_.unbounded += std::ranges::count(expected.bounds(), kInf);
  comparer_->Add(next_, expected, bytes);
  next_ += expected.size();
  return true;
}

bool BlockComparison::AddIfSame(const Tensor& expected, std::span<const std::byte> bytes) {
  const std::byte* stored = expected.stored();
  if (stored == nullptr || !expected.bounds().empty() || std::memcmp(stored, bytes.data(), bytes.size()) != 0) {
    return false;
  }
  next_ += expected.size();
  return FollowsRule(expected);
}

bool BlockComparison::AddPairs(const Tensor& expected, std::span<const std::byte> bytes,
                               std::span<const int64_t> counts, const Comparer::NextOf& next) {
  if (!FollowsRule(expected)) return false;
  const std::span<const double> bounds = expected.bounds();
  for (size_t k = 0; k < bounds.size(); ++k) out_.unbounded += bounds[k] == kInf ? counts[k] : 0;
  comparer_->AddPairs(expected, bytes, counts, next);
  return true;
}

Comparison BlockComparison::Finish(std::span<const std::byte> bytes) const {
  Comparison out = out_;
  if (comparer_) comparer_->Finish(shape_, out);
  out.constant = IsConstant(bytes, static_cast<size_t>(StoredBytes(type_)));
  if (KindOf(type_) == ElementKind::kBool && HasForeignBooleans(bytes)) {
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
  const double* all = expected.bounds().empty() ? nullptr : expected.bounds().data();
  const Bound* bound = expected.bound().get();
  const double* bounds = bound != nullptr && bound->zero_sign_free && !bound->open_zeros ? all : nullptr;
  Comparer comparer(expected.type(), 1);
  comparer.SetZeroRule(expected.bound(), 0);
  double worst = 0;
  WithStorage(expected.kind(), [&]<typename T>() {
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      if (SameBits(want, given, count)) return;
      if constexpr (std::is_same_v<T, double>) {
        if (bounds != nullptr && WithinBounds(want, given, bounds + at, count, worst)) return;
      }
      comparer.AddBlock<T>(at, std::span(want, static_cast<size_t>(count)), given, all == nullptr ? nullptr : all + at);
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
  const auto is_open = [&](int64_t i) { return expected.bound() && expected.bound()->IsZeroSignFree(i); };
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
        if (w == 0 && std::signbit(w) != std::signbit(g) && bound != kInf && !is_open(at + i)) accepted = false;
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
    if (difference > 0 && worst.Takes(ratio, difference)) worst.Keep(index, ratio, difference);
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
  worst.Describe(0, expected, bytes);
  return worst.Elements(expected.shape());
}

std::vector<int64_t> RefusedElements(const Tensor& expected, std::span<const std::byte> bytes) {
  const auto stored = static_cast<size_t>(*DtypeBytes(NameOf(expected.type())));
  const double* bounds = expected.bounds().empty() ? nullptr : expected.bounds().data();
  Comparer comparer(expected.type(), 1);
  comparer.SetZeroRule(expected.bound(), 0);
  std::vector<int64_t> refused;
  WithStorage(expected.kind(), [&]<typename T>() {
    ForBlocks<T>(expected, bytes, stored, [&](int64_t at, int64_t count, const T* want, const T* given) {
      if (SameBits(want, given, count)) return;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t before = comparer.mismatches();
        comparer.AddBlock<T>(at + i, std::span(want + i, 1), given + i, bounds == nullptr ? nullptr : bounds + at + i);
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
    for (const int64_t i : places) {
      T& value = into[static_cast<size_t>(i)];
      value = other.data<T>()[static_cast<size_t>(i)];
      if constexpr (std::is_same_v<T, double>) {
        // The sign of this zero may be free in `other` alone, so it gets the device's, which `other` does not refuse.
        double got = 0;
        DecodeElements(other.type(), bytes.data() + i * StoredBytes(other.type()), 1, &got);
        if (value == 0 && got == 0) value = got;
      }
    }
  });
  if (expected.bounds().empty() && other.bounds().empty()) return merged;
  auto bound = CopyOfBound(expected, "");
  const Bound& ruling = expected.bound() ? *expected.bound() : *other.bound();
  bound->rule = ruling.rule;
  bound->random = ruling.random;
  bound->open_zeros = ruling.open_zeros;
  for (const int64_t i : places) {
    MutableSpan(*bound)[static_cast<size_t>(i)] = other.bounds().empty() ? 0 : other.bounds()[static_cast<size_t>(i)];
  }
  merged.set_bound(std::move(bound));
  Provenance provenance = expected.provenance();
  provenance.Add(other.provenance());
  merged.set_provenance(provenance);
  return merged;
}

}  // namespace opbyop::reference
