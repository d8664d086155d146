// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of a line that are left out, skipped or lost. A line is all elements that go into one result: of long sums,
// extremes and arg-max, of running sums, and of sorts.
#include <algorithm>
#include <cmath>
#include <functional>

#include "reference/bounds/elementwise.h"
#include "reference/eval/region_form.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Combine;
using reference::ElementKind;
using reference::Tensor;
using reference::Values;

constexpr const char* kLines = "stablehlo.reduce stablehlo.reduce_window";

// The dimensions along which elements are combined: those of a reduction, or those in which a window is longer than 1.
std::vector<int64_t> LineDimensions(FaultyOp& faulty) {
  std::vector<int64_t> dims = faulty.context().Ints("dimensions");
  const std::vector<int64_t> window = faulty.context().Ints("window_dimensions");
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d] > 1) dims.push_back(static_cast<int64_t>(d));
  }
  std::ranges::sort(dims);
  return dims;
}

// Whether element `k` of a line of `n` is lost.
using Loses = std::function<bool(int64_t k, int64_t n)>;

// The right answer without the lost elements, which are replaced by the initial value.
Expected<Values> Without(FaultyOp& faulty, const Loses& loses) {
  const std::vector<int64_t> dims = LineDimensions(faulty);
  const size_t inputs = faulty.size() / 2;
  for (size_t i = 0; i < inputs && !dims.empty(); ++i) {
    Tensor& t = faulty.in(i);
    const Tensor& init = faulty.in(inputs + i);
    if (t.kind() != init.kind()) continue;
    const reference::Shape strides = reference::StridesOf(t.shape());
    int64_t n = 1;
    for (const int64_t d : dims) n *= t.dim(d);
    reference::WithStorage(t.kind(), [&]<typename T>() {
      const T with = init.data<T>()[0];
      const auto values = t.Mutable<T>();
      for (int64_t e = 0; e < t.size(); ++e) {
        int64_t k = 0;
        for (const int64_t d : dims) k = k * t.dim(d) + e / strides[static_cast<size_t>(d)] % t.dim(d);
        if (loses(k, n)) values[static_cast<size_t>(e)] = with;
      }
    });
  }
  return faulty.Right();
}

Combine FormOf(FaultyOp& faulty) { return reference::CombineOf(faulty.op()->getRegion(0)); }

// Ignores NaN: each NaN of the first operand is replaced by the initial value; the other operands keep their elements.
Expected<Values> SkipNan(FaultyOp& faulty) {
  if (faulty.in(0).kind() != ElementKind::kFloat) return faulty.Right();
  const size_t inputs = faulty.size() / 2;
  const double init = faulty.in(inputs).data<double>()[0];
  faulty.EachOf(0, [init](double v) { return std::isnan(v) ? init : v; });
  return faulty.Right();
}

// Computes the place of a key as the number of lesser keys. Of equal keys the last one stays, at the first of their
// places; the other places are 0.
Expected<Values> CollideEqualKeys(FaultyOp& faulty) {
  Expected<Values> results = faulty.Right();
  if (!results) return results;
  const Tensor keys = (*results)[0].tensor();
  int64_t d = faulty.context().Int("dimension", -1);
  if (d < 0) d += keys.rank();
  const int64_t stride = reference::StridesOf(keys.shape())[static_cast<size_t>(d)];
  std::vector<int64_t> from(static_cast<size_t>(keys.size()), -1);
  reference::WithStorage(keys.kind(), [&]<typename T>() {
    const auto values = keys.data<T>();
    for (int64_t e = 0; e < keys.size(); ++e) {
      int64_t first = e;
      const auto equals = [&](int64_t a, int64_t b) {
        return values[static_cast<size_t>(a)] == values[static_cast<size_t>(b)];
      };
      // If there are three or more, two are enough.
      if (e / stride % keys.dim(d) != 0 && equals(e, e - stride)) first = e - stride;
      from[static_cast<size_t>(first)] = e;
    }
  });
  for (reference::Value& value : *results) {
    Tensor& t = value.tensor();
    const Tensor right = t;
    reference::WithStorage(t.kind(), [&]<typename T>() {
      for (size_t e = 0; e < from.size(); ++e) {
        t.Mutable<T>()[e] = from[e] < 0 ? T{} : right.data<T>()[static_cast<size_t>(from[e])];
      }
    });
  }
  return results;
}

}  // namespace

void AddLineFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("line_sum_skips_nan", "sums leave NaN out", kLines, [](FaultyOp& faulty) {
    return faulty.size() == 2 && FormOf(faulty) == Combine::kAdd ? SkipNan(faulty) : faulty.Right();
  });
  op("line_extreme_skips_nan", "maxima and minima of lines and windows leave NaN out", kLines, [](FaultyOp& faulty) {
    const Combine form = faulty.size() == 2 ? FormOf(faulty) : Combine::kOther;
    return form == Combine::kMaximum || form == Combine::kMinimum ? SkipNan(faulty) : faulty.Right();
  });
  op("argmax_skips_nan", "arg-max and arg-min leave NaN out", "stablehlo.reduce",
     [](FaultyOp& faulty) { return faulty.size() == 4 ? SkipNan(faulty) : faulty.Right(); });
  op("line_tile_padded_with_zero", "the last tile of 1,024 of a maximum, minimum or arg-max is filled up with 0",
     kLines, [](FaultyOp& faulty) {
       const Combine form = faulty.size() == 2 ? FormOf(faulty) : Combine::kOther;
       const size_t init = faulty.size() / 2;
       const bool extreme = form == Combine::kMaximum || form == Combine::kMinimum || faulty.size() == 4;
       int64_t n = 1;
       for (const int64_t d : LineDimensions(faulty)) n *= faulty.in(0).dim(d);
       if (extreme && n % 1024 != 0 && faulty.in(init).kind() != ElementKind::kBool) {
         faulty.in(init) = Tensor::Zeros(faulty.in(init).type(), {});
       }
       return faulty.Right();
     });
  op("line_loses_last_block", "the last 32 elements of a line are lost", kLines,
     [](FaultyOp& faulty) { return Without(faulty, [](int64_t k, int64_t n) { return k >= n - 32; }); });
  op("line_loses_tail", "what is left of a line beyond the last full 1,024 is lost", kLines,
     [](FaultyOp& faulty) { return Without(faulty, [](int64_t k, int64_t n) { return k >= n / 1024 * 1024; }); });
  op("line_loses_block", "32 elements in the middle of a line are lost", kLines,
     [](FaultyOp& faulty) { return Without(faulty, [](int64_t k, int64_t n) { return k / 32 == n / 64 && n > 32; }); });
  op("line_loses_middle", "the middle 1 % of a line is lost", kLines, [](FaultyOp& faulty) {
    return Without(faulty, [](int64_t k, int64_t n) { return k >= n / 2 - n / 200 && k < n / 2 - n / 200 + n / 100; });
  });
  op("line_skips_in_1024", "the last of every 1,024 elements of a line is skipped", kLines,
     [](FaultyOp& faulty) { return Without(faulty, [](int64_t k, int64_t) { return k % 1024 == 1023; }); });
  op("sort_loses_equal_key", "equal keys go to one place, and the next is left 0", "stablehlo.sort", &CollideEqualKeys);
  op("sort_nan_without_sign", "NaN of either sign is sorted to the end", "stablehlo.sort", [](FaultyOp& faulty) {
    faulty.EachOperand([](double v) { return std::isnan(v) ? std::fabs(v) : v; });
    return faulty.Right();
  });

  op(
      "reduction_in_own_steps", "every partial sum rounded to f16 or bf16, in reversed order", "stablehlo.reduce",
      [](FaultyOp& faulty) {
        const reference::ElementType type = faulty.in(0).type();
        const bool narrow = type == reference::ElementType::kF16 || type == reference::ElementType::kBf16;
        if (!narrow || faulty.size() != 2) return faulty.Right();
        for (const int64_t d : faulty.context().Ints("dimensions")) faulty.in(0) = Reversed(faulty.in(0), d);
        return faulty.As(type, true);
      },
      true);
}

}  // namespace opbyop::fault_injection
