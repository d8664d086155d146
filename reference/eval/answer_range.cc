// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/answer_range.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "reference/bounds/bound.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Calls fn(place, number, element) for every real number of a tensor. A complex element has two places.
template <typename Fn>
void ForNumbers(const Tensor& t, Fn&& fn) {
  WithStorage(t.kind(), [&]<typename T>() {
    const auto values = t.data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, Complex>) {
        fn(2 * i, values[i].real(), i);
        fn(2 * i + 1, values[i].imag(), i);
      } else {
        const bool is_unsigned = std::is_same_v<T, int64_t> && !Info(t.type()).is_signed;
        fn(i, is_unsigned ? static_cast<double>(static_cast<uint64_t>(values[i])) : static_cast<double>(values[i]), i);
      }
    }
  });
}

size_t NumbersOf(const Tensor& t) {
  return static_cast<size_t>(t.size()) * (t.kind() == ElementKind::kComplex ? 2 : 1);
}

double BoundAt(const Tensor& t, size_t i) { return t.bounds().empty() ? 0 : t.bounds()[i]; }

// Returns the tensor with a bound of at least `least[i]` for each element i. Returns it unchanged if its own bound is
// wide enough.
Tensor Widened(Tensor t, std::span<const double> least, const std::string& why) {
  bool wider = false;
  for (size_t i = 0; i < least.size() && !wider; ++i) wider = least[i] > BoundAt(t, i);
  if (!wider) return t;
  const int depth = t.bound() ? t.bound()->depth : 0;
  auto bound = MakeBound(t.size(), (t.bound() ? t.bound()->rule + ", " : std::string()) + why, depth + 1);
  bound->zero_sign_free = true;
  bound->random = t.bound() && t.bound()->random;
  const std::span<double> out = MutableSpan(*bound);
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::max(least[i], BoundAt(t, i));
  t.set_bound(std::move(bound));
  return t;
}

}  // namespace

bool IsUndecided(const Tensor& predicate) { return !predicate.bounds().empty() && predicate.bounds()[0] > 0; }

void AnswerRange::Add(const Values& values) {
  ranges_.resize(values.size());
  for (size_t v = 0; v < values.size(); ++v) {
    if (!values[v].is_tensor()) continue;
    const Tensor& t = values[v].tensor();
    Range& range = ranges_[v];
    if (range.low.empty()) {
      range.low.assign(NumbersOf(t), kInf);
      range.high.assign(NumbersOf(t), -kInf);
      range.nan.assign(NumbersOf(t), 0);
      range.number.assign(NumbersOf(t), 0);
    }
    ForNumbers(t, [&](size_t place, double number, size_t element) {
      const double bound = BoundAt(t, element);
      if (std::isnan(number)) {
        range.nan[place] = 1;
        if (bound != kInf) return;
      }
      range.number[place] = 1;
      range.low[place] = std::min(range.low[place], bound == kInf ? -kInf : number - bound);
      range.high[place] = std::max(range.high[place], bound == kInf ? kInf : number + bound);
    });
  }
}

Values AnswerRange::Around(Values centre, const std::string& why) const {
  for (size_t v = 0; v < centre.size() && v < ranges_.size(); ++v) {
    if (!centre[v].is_tensor()) continue;
    Tensor& t = centre[v].tensor();
    const Range& range = ranges_[v];
    PooledNumbers least(static_cast<size_t>(t.size()));
    ForNumbers(t, [&](size_t place, double number, size_t element) {
      double reach = 0;
      if (std::isnan(number)) {
        reach = range.number[place] ? kInf : 0;
      } else if (range.nan[place]) {
        reach = kInf;
      } else if (range.low[place] != range.high[place] || range.low[place] != number) {
        reach = std::max(range.high[place] - number, number - range.low[place]);
        if (std::isnan(reach)) reach = kInf;
      }
      least[element] = std::max(least[element], reach);
    });
    t = Widened(std::move(t), least, why);
  }
  return centre;
}

Values AnswerRange::Open(Values centre, const std::string& why) {
  for (Value& value : centre) {
    if (!value.is_tensor()) continue;
    Tensor& t = value.tensor();
    const PooledNumbers infinite(static_cast<size_t>(t.size()), kInf);
    t = Widened(std::move(t), infinite, why);
  }
  return centre;
}

}  // namespace opbyop::reference
