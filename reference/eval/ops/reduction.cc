// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// reduce with any region. Elements are combined in index order.
#include <algorithm>
#include <cmath>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/exact_sum.h"
#include "reference/eval/combine.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/fold.h"
#include "reference/eval/free_zeros.h"
#include "reference/eval/movement.h"
#include "reference/eval/quantization.h"
#include "reference/eval/random_order.h"
#include "reference/tensor/compensated_sum.h"

namespace opbyop::reference {
namespace {

// Returns the operand as a matrix [outer, reduced], with kept dimensions first. Shares the elements if they already
// have this order.
Tensor AsRows(const Tensor& x, const std::vector<int64_t>& kept, const std::vector<int64_t>& reduced) {
  std::vector<int64_t> permutation = kept;
  permutation.insert(permutation.end(), reduced.begin(), reduced.end());
  return std::ranges::is_sorted(permutation) ? x : Transpose(x, permutation);
}

Expected<Values> Reduce(OpContext& context) {
  const size_t n = context.size() / 2;
  const std::vector<int64_t> reduced = context.Ints("dimensions");
  const Tensor& first = context.in(0);
  std::vector<int64_t> kept;
  Shape shape;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (std::ranges::find(reduced, d) != reduced.end()) continue;
    kept.push_back(d);
    shape.push_back(first.dim(d));
  }
  std::vector<int64_t> sorted = reduced;
  std::ranges::sort(sorted);
  const int64_t outer = SizeOf(shape);
  int64_t count = 1;
  for (const int64_t d : sorted) count *= first.dim(d);

  std::vector<Tensor> rows;
  std::vector<Tensor> inits;
  for (size_t i = 0; i < n; ++i) {
    rows.push_back(AsRows(PromotedOperand(context, i), kept, sorted));
    inits.push_back(PromotedOperand(context, n + i));
  }
  Expected<std::vector<Tensor>> results =
      FoldRows(context, context.op->getRegion(0), std::move(rows), inits, outer, count);
  if (!results) return Unexpected(results.error());
  Values out;
  for (Tensor& t : *results) out.emplace_back(t.Reshaped(shape));
  return out;
}

// Calls fn(first, values) for the elements of row i, `count` each. A long row in stored form is decoded block by block.
template <typename T, typename Fn>
void ForRow(const Tensor& rows, int64_t i, int64_t count, Fn&& fn) {
  constexpr int64_t kLong = 4096;
  const int64_t begin = i * count;
  if (rows.stored() != nullptr && count >= kLong) {
    return ForValues<T>(rows, begin, begin + count, std::forward<Fn>(fn));
  }
  fn(begin, rows.data<T>().subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
}

// Returns column k of a matrix as a vector.
Tensor Column(const Tensor& rows, int64_t outer, int64_t count, int64_t k) {
  return StridedView(rows, {outer}, {count}, k);
}

}  // namespace

Expected<std::vector<Tensor>> FoldRows(OpContext& context, mlir::Region& body, std::vector<Tensor> rows,
                                       const std::vector<Tensor>& inits, int64_t outer, int64_t count) {
  const Combine form = CombineOf(body);
  const ElementTypeInfo& info = Info(inits[0].type());
  const bool same = rows[0].type() == inits[0].type();
  if (rows.size() == 1 && same && form != Combine::kOther) {
    const Tensor& x = rows[0];
    const bool real = info.kind == ElementKind::kFloat || info.kind == ElementKind::kComplex;
    const bool sums = form == Combine::kAdd || form == Combine::kMultiply;
    const bool picks = form == Combine::kFirst || form == Combine::kSecond;
    const bool erroneous = context.bounds() && (HasErrors(x) || HasErrors(inits[0]));
    Tensor out = Tensor::Make(inits[0].type(), {outer});
    bool direct = !(erroneous && (picks || form == Combine::kMultiply || !real)) &&
                  !(sums && real && context.evaluator.options().round_every_step);
    if (direct) {
      WithStorage(info.kind, [&]<typename T>() {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
          if (IsCompensated(form, info)) {
            for (int64_t i = 0; i < outer; ++i) {
              typename CompensatedOf<T>::type sum(inits[0].data<T>()[0]);
              ForRow<T>(x, i, count, [&](int64_t, std::span<const T> values) {
                for (const T& v : values) sum.Add(v);
              });
              out.Mutable<T>()[static_cast<size_t>(i)] = sum.Value();
            }
            return;
          }
        }
        direct = WithCombine<T>(form, info, [&](auto f) {
          const auto to = out.Mutable<T>();
          for (int64_t i = 0; i < outer; ++i) {
            T sum = inits[0].data<T>()[0];
            ForRow<T>(x, i, count, [&](int64_t, std::span<const T> values) {
              for (const T v : values) sum = f(sum, v);
            });
            to[static_cast<size_t>(i)] = sum;
          }
        });
      });
    }
    if (direct) {
      RoundResult(out);
      if (!context.bounds() || !real) return std::vector<Tensor>{std::move(out)};
      PooledNumbers propagated;
      const Tensor* operands[] = {&x, &inits[0]};
      const int depth = DepthOf(operands);
      if (erroneous) {
        propagated.resize(static_cast<size_t>(outer));
        for (int64_t i = 0; i < outer; ++i) {
          // A sum has the sum of the errors, an extremum at most the greatest of them.
          double total = ErrorAt(inits[0], 0);
          for (int64_t k = 0; k < count; ++k) {
            const double e = ErrorAt(x, i * count + k);
            total = sums ? total + e : std::max(total, e);
          }
          propagated[static_cast<size_t>(i)] = total;
        }
      }
      if (sums) {
        std::vector<double> magnitudes(static_cast<size_t>(outer));
        std::vector<double> terms_each(form == Combine::kAdd ? magnitudes.size() : 0);
        const bool deviates = form == Combine::kAdd && HasDeviations(context, erroneous, 1);
        std::vector<double> largest(deviates ? magnitudes.size() : 0);
        const bool proves = form == Combine::kAdd && !erroneous && context.evaluator.options().exact_sums &&
                            info.kind == ElementKind::kFloat;
        std::vector<uint8_t> exact(proves ? magnitudes.size() : 0);
        for (size_t i = 0; i < exact.size(); ++i) {
          ExactSum sum(*info.format);
          sum.Add(inits[0].data<double>()[0]);
          ForRow<double>(x, static_cast<int64_t>(i), count, [&](int64_t, std::span<const double> values) {
            for (const double v : values) {
              if (!sum.Add(v)) return;
            }
          });
          exact[i] = sum.exact();
        }
        WithStorage(info.kind, [&]<typename T>() {
          for (int64_t i = 0; i < outer; ++i) {
            if (form == Combine::kMultiply) {
              ProductMagnitude<T> magnitude(*info.format);
              magnitude.Add(inits[0].data<T>()[0]);
              ForRow<T>(x, i, count, [&](int64_t, std::span<const T> values) {
                for (const T& v : values) magnitude.Add(v);
              });
              magnitudes[static_cast<size_t>(i)] = magnitude.Of(out.data<T>()[static_cast<size_t>(i)]);
              continue;
            }
            SumMagnitude<T> magnitude;
            magnitude.Add(inits[0].data<T>()[0], ErrorAt(inits[0], 0));
            ForRow<T>(x, i, count, [&](int64_t first, std::span<const T> values) {
              for (const T& v : values) magnitude.Add(v, ErrorAt(x, first + (&v - values.data())));
            });
            magnitudes[static_cast<size_t>(i)] = magnitude.sum();
            terms_each[static_cast<size_t>(i)] = magnitude.roundings();
            if (deviates) largest[static_cast<size_t>(i)] = magnitude.largest();
          }
        });
        // Partial results have the type of the region. A product of complex numbers takes three roundings.
        const bool complex_product = form == Combine::kMultiply && info.kind == ElementKind::kComplex;
        SetAccumulationBound(
            out, {.magnitudes = magnitudes,
                  .propagated = propagated,
                  .terms = std::max<int64_t>(count, 1),
                  .terms_each = terms_each,
                  .unit = info.format->UnitRoundoff(),
                  .factor = complex_product ? 3.0 : 1.0,
                  .compensated = IsCompensated(form, info),
                  .depth = depth,
                  .largest = largest,
                  .integral = context.evaluator.options().exact_integers && AllIntegers(x) && AllIntegers(inits[0]),
                  .exact = exact,
                  .likely = context.evaluator.options().likely,
                  .inexact = erroneous});
      } else {
        SetElementwiseBound(CombineName(form), out, {std::move(propagated), depth});
        FixZeroSigns(context, out, [&](int64_t i) {
          ZeroSigns signs;
          signs.Add(inits[0], 0);
          for (int64_t k = 0; k < count; ++k) signs.Add(x, i * count + k);
          return signs.open();
        });
      }
      return std::vector<Tensor>{std::move(out)};
    }
  }

  // The general case folds from the left over columns, or halves in order if that would take too many steps.
  std::vector<Tensor> values;
  for (const Tensor& init : inits) values.push_back(BroadcastInDim(init.Reshaped({}), {outer}, {}));
  if (count == 0 || outer == 0) return values;
  const auto step = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                        int64_t lanes) -> Expected<std::vector<Tensor>> {
    std::vector<Tensor> arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    return context.evaluator.RunBatch(body, arguments, lanes, context.scope);
  };
  constexpr int64_t kMostSteps = 4096;
  if (count <= kMostSteps) {
    for (int64_t k = 0; k < count; ++k) {
      std::vector<Tensor> columns;
      for (const Tensor& t : rows) columns.push_back(Column(t, outer, count, k));
      Expected<std::vector<Tensor>> next = step(values, columns, outer);
      if (!next) return Unexpected(next.error());
      values = std::move(*next);
    }
    return values;
  }
  int64_t width = count;
  while (width > 1) {
    const int64_t half = width / 2;
    std::vector<Tensor> left;
    std::vector<Tensor> right;
    std::vector<Tensor> odd;
    for (const Tensor& t : rows) {
      left.push_back(StridedView(t, {outer, half}, {width, 2}, 0).Reshaped({outer * half}));
      right.push_back(StridedView(t, {outer, half}, {width, 2}, 1).Reshaped({outer * half}));
      if (width % 2) odd.push_back(Column(t, outer, width, width - 1));
    }
    Expected<std::vector<Tensor>> next = step(left, right, outer * half);
    if (!next) return Unexpected(next.error());
    const int64_t next_width = half + width % 2;
    for (size_t i = 0; i < rows.size(); ++i) {
      Move move((*next)[i].type(), {outer, next_width});
      move.Copy((*next)[i], {outer, half}, {half, 1}, 0, {next_width, 1}, 0);
      if (width % 2) move.Copy(odd[i], {outer, 1}, {1, 1}, 0, {next_width, 1}, half);
      rows[i] = move.Take();
    }
    width = next_width;
  }
  std::vector<Tensor> folded;
  for (const Tensor& t : rows) folded.push_back(t.Reshaped({outer}));
  return step(values, folded, outer);
}

Tensor PromotedOperand(const OpContext& context, size_t i) {
  mlir::Region& body = context.op->getRegion(0);
  const auto index = static_cast<unsigned>(i);
  if (index >= body.getNumArguments()) return context.in(i);
  // Accumulators are the first arguments of the region. Elements have the type of their accumulator.
  const unsigned accumulator = index % (body.getNumArguments() / 2);
  return ToDestinationType(context.in(i), context.op->getOperand(index).getType(),
                           body.getArgument(accumulator).getType());
}

Expected<Tensor> FoldMembers(OpContext& context, mlir::Region& body, Tensor rows, int64_t outer, int64_t count) {
  const Combine form = CombineOf(body);
  if (form == Combine::kAdd || form == Combine::kMultiply) {
    // The neutral element must preserve every bit, so it is -0 for a sum: -0 + x is x.
    Tensor neutral = Tensor::Zeros(rows.type(), {});
    WithStorage(rows.kind(), [&]<typename T>() {
      T& v = neutral.Mutable<T>()[0];
      if (form == Combine::kMultiply) v = T(1);
      if constexpr (std::is_same_v<T, double>) {
        if (form == Combine::kAdd) v = -0.0;
      } else if constexpr (std::is_same_v<T, Complex>) {
        if (form == Combine::kAdd) v = {-0.0, -0.0};
      }
    });
    Expected<std::vector<Tensor>> folded = FoldRows(context, body, {std::move(rows)}, {neutral}, outer, count);
    if (!folded) return Unexpected(folded.error());
    return std::move((*folded)[0]);
  }
  Tensor value = Column(rows, outer, count, 0);
  for (int64_t k = 1; k < count && outer > 0; ++k) {
    Expected<std::vector<Tensor>> next =
        context.evaluator.RunBatch(body, {value, Column(rows, outer, count, k)}, outer, context.scope);
    if (!next) return Unexpected(next.error());
    value = std::move((*next)[0]);
  }
  return value;
}

void AddReductions(EvalTableType& table) { table["stablehlo.reduce"] = &Reduce; }

}  // namespace opbyop::reference
