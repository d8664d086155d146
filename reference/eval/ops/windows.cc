// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// reduce_window and select_and_scatter.
#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/exact_sum.h"
#include "reference/eval/combine.h"
#include "reference/eval/cumulative.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/free_zeros.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/fold.h"
#include "reference/eval/quantization.h"
#include "reference/eval/scatter.h"
#include "reference/tensor/compensated_sum.h"
#include "reference/tensor/gemm.h"

namespace opbyop::reference {
namespace {

struct Windows {
  Tensor padded;      // the operand with dilation and padding filled in
  Shape shape;        // shape of the result
  Offsets bases;      // offset of every window in `padded`
  Offsets positions;  // offsets of the elements inside a window
  std::optional<Cumulative> cumulative;
};

struct WindowAttributes {
  std::vector<int64_t> dimensions, strides, base_dilations, window_dilations, padding;
};

WindowAttributes AttributesOf(const OpContext& context, size_t rank) {
  return {context.IntsOr("window_dimensions", rank, 1), context.IntsOr("window_strides", rank, 1),
          context.IntsOr("base_dilations", rank, 1), context.IntsOr("window_dilations", rank, 1),
          context.IntsOr("padding", 2 * rank, 0)};
}

Windows MakeWindows(const Tensor& x, const Tensor& fill, const WindowAttributes& w) {
  const size_t rank = x.shape().size();
  std::vector<int64_t> low(rank);
  std::vector<int64_t> high(rank);
  std::vector<int64_t> interior(rank);
  for (size_t d = 0; d < rank; ++d) {
    low[d] = w.padding[2 * d];
    high[d] = w.padding[2 * d + 1];
    interior[d] = w.base_dilations[d] - 1;
  }
  Windows windows;
  windows.padded = Pad(x, fill, low, high, interior);
  const Shape strides = StridesOf(windows.padded.shape());
  Shape base_strides(rank);
  Shape position_strides(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t reach = w.dimensions[d] == 0 ? 0 : (w.dimensions[d] - 1) * w.window_dilations[d] + 1;
    const int64_t extent = windows.padded.shape()[d];
    windows.shape.push_back(extent == 0 || reach > extent ? 0 : (extent - reach) / w.strides[d] + 1);
    base_strides[d] = strides[d] * w.strides[d];
    position_strides[d] = strides[d] * w.window_dilations[d];
  }
  windows.cumulative =
      CumulativeOf(x.shape(), w.dimensions, w.strides, w.base_dilations, w.window_dilations, w.padding);
  windows.bases = OffsetsOf(windows.shape, base_strides);
  windows.positions = OffsetsOf(w.dimensions, position_strides);
  return windows;
}

// Accumulates the elements of each window, and calls use(window, state) when all of them are in its state. If padding
// does not count, the states of a cumulative line are those of one pass along it.
template <typename Make, typename Add, typename Use>
void ForWindows(const Windows& windows, bool padding_counts, Make&& make, Add&& add, Use&& use) {
  if (!windows.cumulative || padding_counts) {
    for (size_t i = 0; i < windows.bases.size(); ++i) {
      auto state = make();
      for (const int64_t p : windows.positions) add(state, windows.bases[i] + p);
      use(i, state);
    }
    return;
  }
  const auto d = windows.cumulative->dimension;
  const int64_t length = windows.shape[d];
  const int64_t step = StridesOf(windows.shape)[d];
  const int64_t last = windows.positions.empty() ? 0 : windows.positions.back();
  const bool from_the_end = windows.cumulative->from_the_end;
  for (int64_t first = 0; first < static_cast<int64_t>(windows.bases.size()); ++first) {
    if (first / step % length != 0) continue;
    auto state = make();
    for (int64_t k = 0; k < length; ++k) {
      const auto i = static_cast<size_t>(first + (from_the_end ? length - 1 - k : k) * step);
      // The element at the padded end of the window is its own.
      add(state, windows.bases[i] + (from_the_end ? 0 : last));
      use(i, state);
    }
  }
}

// Uses direct loops for a single operand without errors and a region that is one op. Returns nullopt for other cases.
std::optional<Tensor> DirectWindows(const OpContext& context, const Windows& windows, const Tensor& init,
                                    Combine form) {
  const Tensor& x = windows.padded;
  const ElementTypeInfo& info = Info(x.type());
  if (context.bounds() && (HasErrors(x) || HasErrors(init))) return std::nullopt;
  if (context.evaluator.options().round_every_step && info.format != nullptr) return std::nullopt;
  const auto count = static_cast<int64_t>(windows.positions.size());
  Tensor out = Tensor::Make(x.type(), windows.shape);
  bool padding_counts = true;
  bool direct = false;
  WithStorage(info.kind, [&]<typename T>() {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
      if (IsCompensated(form, info)) {
        const auto to = out.Mutable<T>();
        const T* from = x.data<T>().data();
        const T first = init.data<T>()[0];
        padding_counts = first != T{} || form != Combine::kAdd;
        ForWindows(
            windows, padding_counts, [&] { return typename CompensatedOf<T>::type(first); },
            [&](auto& sum, int64_t at) { sum.Add(from[at]); }, [&](size_t i, auto& sum) { to[i] = sum.Value(); });
        direct = true;
        return;
      }
    }
    direct = WithCombine<T>(form, info, [&](auto f) {
      const T* from = x.data<T>().data();
      const auto to = out.Mutable<T>();
      const T first = init.data<T>()[0];
      padding_counts = form == Combine::kFirst || form == Combine::kSecond || !(f(first, first) == first);
      ForWindows(
          windows, padding_counts, [&] { return first; }, [&](T& sum, int64_t at) { sum = f(sum, from[at]); },
          [&](size_t i, const T& sum) { to[i] = sum; });
    });
  });
  if (!direct) return std::nullopt;
  RoundResult(out);
  if (!context.bounds() || (info.kind != ElementKind::kFloat && info.kind != ElementKind::kComplex)) return out;
  if (form == Combine::kAdd || form == Combine::kMultiply) {
    std::vector<double> magnitudes(static_cast<size_t>(out.size()));
    std::vector<double> terms_each(form == Combine::kAdd ? magnitudes.size() : 0);
    const bool deviates = form == Combine::kAdd && context.evaluator.options().deviations;
    std::vector<double> largest(deviates ? magnitudes.size() : 0);
    const bool proves =
        form == Combine::kAdd && context.evaluator.options().exact_sums && info.kind == ElementKind::kFloat;
    std::vector<uint8_t> exact(proves ? magnitudes.size() : 0);
    if (proves) {
      ForWindows(
          windows, padding_counts,
          [&] {
            ExactSum sum(*info.format);
            sum.Add(init.data<double>()[0]);
            return sum;
          },
          [&, from = x.data<double>().data()](ExactSum& sum, int64_t at) { sum.Add(from[at]); },
          [&](size_t i, const ExactSum& sum) { exact[i] = sum.exact(); });
    }
    WithStorage(info.kind, [&]<typename T>() {
      const T* from = x.data<T>().data();
      if (form == Combine::kMultiply) {
        ForWindows(
            windows, padding_counts,
            [&] {
              ProductMagnitude<T> magnitude(*info.format);
              magnitude.Add(init.data<T>()[0]);
              return magnitude;
            },
            [&](auto& magnitude, int64_t at) { magnitude.Add(from[at]); },
            [&](size_t i, const auto& magnitude) { magnitudes[i] = magnitude.Of(out.data<T>()[i]); });
        return;
      }
      ForWindows(
          windows, padding_counts,
          [&] {
            SumMagnitude<T> magnitude;
            magnitude.Add(init.data<T>()[0]);
            return magnitude;
          },
          [&](auto& magnitude, int64_t at) { magnitude.Add(from[at]); },
          [&](size_t i, const auto& magnitude) {
            magnitudes[i] = magnitude.sum();
            terms_each[i] = magnitude.roundings();
            if (deviates) largest[i] = magnitude.largest();
          });
    });
    SetAccumulationBound(out,
                         {.magnitudes = magnitudes,
                          .terms = std::max<int64_t>(count, 1),
                          .terms_each = terms_each,
                          .unit = info.format->UnitRoundoff(),
                          .factor = form == Combine::kMultiply && info.kind == ElementKind::kComplex ? 3.0 : 1.0,
                          .compensated = IsCompensated(form, info),
                          .largest = largest,
                          .integral = context.evaluator.options().exact_integers && AllIntegers(x) && AllIntegers(init),
                          .exact = exact,
                          .likely = context.evaluator.options().likely});
  } else {
    SetElementwiseBound(CombineName(form), out, {});
    std::vector<ZeroSigns> signs;  // of all windows, when the first zero is found
    FixZeroSigns(context, out, [&](int64_t at) {
      if (signs.empty()) {
        signs.resize(static_cast<size_t>(out.size()));
        ZeroSigns of_init;
        of_init.Add(init, 0);
        ForWindows(
            windows, padding_counts, [&] { return of_init; }, [&](ZeroSigns& sum, int64_t k) { sum.Add(x, k); },
            [&](size_t i, const ZeroSigns& sum) { signs[i] = sum; });
      }
      return signs[static_cast<size_t>(at)].open();
    });
  }
  return out;
}

Expected<Values> ReduceWindow(OpContext& context) {
  const size_t n = context.size() / 2;
  const WindowAttributes attributes = AttributesOf(context, context.in(0).shape().size());
  mlir::Region& body = context.op->getRegion(0);
  std::vector<Windows> windows;
  std::vector<Tensor> inits;
  for (size_t i = 0; i < n; ++i) {
    inits.push_back(PromotedOperand(context, n + i));
    windows.push_back(MakeWindows(PromotedOperand(context, i), inits[i], attributes));
  }
  if (n == 1) {
    if (std::optional<Tensor> out = DirectWindows(context, windows[0], inits[0], CombineOf(body))) {
      return Values{std::move(*out)};
    }
  }
  const auto outer = static_cast<int64_t>(windows[0].bases.size());
  const auto count = static_cast<int64_t>(windows[0].positions.size());
  std::vector<Tensor> rows;
  for (size_t i = 0; i < n; ++i) {
    std::vector<int64_t> places;
    places.reserve(static_cast<size_t>(outer * count));
    for (const int64_t base : windows[i].bases) {
      for (const int64_t p : windows[i].positions) places.push_back(base + p);
    }
    rows.push_back(TakeElements(windows[i].padded, places));
  }
  Expected<std::vector<Tensor>> results = FoldRows(context, body, std::move(rows), inits, outer, count);
  if (!results) return Unexpected(results.error());
  Values out;
  for (Tensor& t : *results) out.emplace_back(t.Reshaped(windows[0].shape));
  return out;
}

double ModulusAt(const Tensor& t, int64_t i) {
  return WithStorage(t.kind(), [&]<typename T>() -> double {
    if constexpr (std::is_same_v<T, Complex>) {
      return std::abs(ValueAt<T>(t, i));
    } else {
      return std::fabs(static_cast<double>(ValueAt<T>(t, i)));
    }
  });
}

Expected<Values> SelectAndScatter(OpContext& context) {
  const Tensor& operand = context.in(0);
  const Tensor& source = context.in(1);
  const Tensor& init = context.in(2);
  const WindowAttributes w = AttributesOf(context, operand.shape().size());
  mlir::Region& select = context.op->getRegion(0);
  const size_t rank = operand.shape().size();
  const Shape strides = StridesOf(operand.shape());
  const auto count = static_cast<size_t>(source.size());

  // The place in the operand that each window selects. -1 until one of its positions is inside the operand.
  std::vector<int64_t> chosen(count, -1);
  // Other places that a device may select, because the comparison of inexact elements is undecided.
  struct Rival {
    size_t window;
    int64_t place;
  };
  std::vector<Rival> rivals;
  std::vector<Shape> corners(count, Shape(rank));
  Shape index(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = 0; d < rank; ++d) corners[i][d] = index[d] * w.strides[d] - w.padding[2 * d];
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < source.shape()[d]) break;
      index[d] = 0;
    }
  }
  const int64_t positions = SizeOf(w.dimensions);
  Shape position(rank, 0);
  for (int64_t p = 0; p < positions; ++p) {
    std::vector<size_t> contested;
    std::vector<int64_t> candidates;
    for (size_t i = 0; i < count; ++i) {
      int64_t place = 0;
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t at = corners[i][d] + position[d];
        inside = inside && at >= 0 && at < operand.shape()[d];
        place += at * strides[d];
      }
      if (!inside) continue;
      if (chosen[i] < 0) {
        chosen[i] = place;
      } else {
        contested.push_back(i);
        candidates.push_back(place);
      }
    }
    if (!contested.empty()) {
      std::vector<int64_t> holders;
      for (const size_t i : contested) holders.push_back(chosen[i]);
      Expected<std::vector<Tensor>> keep =
          context.evaluator.RunBatch(select, {TakeElements(operand, holders), TakeElements(operand, candidates)},
                                     static_cast<int64_t>(contested.size()), context.scope);
      if (!keep) return Unexpected(keep.error());
      const auto kept = (*keep)[0].data<uint8_t>();
      for (size_t c = 0; c < contested.size(); ++c) {
        if (ErrorAt((*keep)[0], static_cast<int64_t>(c)) > 0) {
          rivals.push_back({contested[c], kept[c] ? candidates[c] : chosen[contested[c]]});
        }
        if (!kept[c]) chosen[contested[c]] = candidates[c];
      }
    }
    for (size_t d = rank; d-- > 0;) {
      if (++position[d] < w.dimensions[d]) break;
      position[d] = 0;
    }
  }
  mlir::Region& scatter = context.op->getRegion(1);
  const auto promoted = [&](const Tensor& t, unsigned i) {
    return ToDestinationType(t, context.op->getOperand(i).getType(), scatter.getArgument(0).getType());
  };
  std::vector<Tensor> result{BroadcastInDim(promoted(init, 2), operand.shape(), {})};
  Expected<std::vector<Tensor>> done = ScatterInto(context, scatter, std::move(result), {promoted(source, 1)}, chosen);
  if (!done) return Unexpected(done.error());
  if (!rivals.empty()) {
    // Where they are added up, a source that goes to another place is missing here and too much there.
    const bool adds = CombineOf(scatter) == Combine::kAdd;
    auto bound = CopyOfBound((*done)[0], "selected among inexact elements");
    const std::span<double> errors = MutableSpan(*bound);
    for (const auto& [window, place] : rivals) {
      const auto i = static_cast<int64_t>(window);
      const double reach = adds ? ModulusAt(source, i) + ErrorAt(source, i) : std::numeric_limits<double>::infinity();
      const double most = std::isnan(reach) ? std::numeric_limits<double>::infinity() : reach;
      for (const int64_t at : {place, chosen[window]}) errors[static_cast<size_t>(at)] += most;
    }
    (*done)[0].set_bound(std::move(bound));
  }
  return Values{std::move((*done)[0])};
}

}  // namespace

void AddWindows(EvalTableType& table) {
  table["stablehlo.reduce_window"] = &ReduceWindow;
  table["stablehlo.select_and_scatter"] = &SelectAndScatter;
}

}  // namespace opbyop::reference
