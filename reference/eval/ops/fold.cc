// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/ops/fold.h"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/exact_sum.h"
#include "reference/eval/combine.h"
#include "reference/eval/free_zeros.h"
#include "reference/eval/movement.h"
#include "reference/eval/quantization.h"
#include "reference/eval/random_order.h"
#include "reference/tensor/compensated_sum.h"

namespace opbyop::reference {
namespace {

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

// Rows of one tensor that a region folds with one scalar function, without being evaluated.
class ScalarFold {
 public:
  // Borrows all.
  ScalarFold(OpContext& context, Combine form, const Tensor& rows, const Tensor& init, int64_t outer, int64_t count)
      : context_(context), form_(form), x_(rows), init_(init), info_(Info(init.type())), outer_(outer), count_(count) {}

  // Returns nothing if the region must be evaluated.
  std::optional<Tensor> Fold() const {
    const bool moves_errors = erroneous_ && (picks() || form_ == Combine::kMultiply || !real());
    if (moves_errors || (sums() && real() && context_.evaluator.options().round_every_step)) return std::nullopt;
    Tensor out = Tensor::Make(init_.type(), {outer_});
    bool folded = false;
    WithStorage(info_.kind, [&]<typename T>() { folded = FoldInto(out.Mutable<T>()); });
    if (!folded) return std::nullopt;
    RoundResult(out);
    if (context_.bounds() && real()) SetBound(out);
    return out;
  }

 private:
  bool sums() const { return form_ == Combine::kAdd || form_ == Combine::kMultiply; }
  bool picks() const { return form_ == Combine::kFirst || form_ == Combine::kSecond; }
  bool real() const { return info_.kind == ElementKind::kFloat || info_.kind == ElementKind::kComplex; }

  // Returns false if there is no such function for the type.
  template <typename T>
  bool FoldInto(std::span<T> out) const {
    const T start = init_.data<T>()[0];
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
      if (IsCompensated(form_, info_)) {
        for (int64_t i = 0; i < outer_; ++i) {
          typename CompensatedOf<T>::type sum(start);
          ForRow<T>(x_, i, count_, [&](int64_t, std::span<const T> values) {
            for (const T& v : values) sum.Add(v);
          });
          out[static_cast<size_t>(i)] = sum.Value();
        }
        return true;
      }
    }
    return WithCombine<T>(form_, info_, [&](auto f) {
      for (int64_t i = 0; i < outer_; ++i) {
        T sum = start;
        ForRow<T>(x_, i, count_, [&](int64_t, std::span<const T> values) {
          for (const T v : values) sum = f(sum, v);
        });
        out[static_cast<size_t>(i)] = sum;
      }
    });
  }

  void SetBound(Tensor& out) const {
    const Tensor* operands[] = {&x_, &init_};
    PooledNumbers propagated = PropagatedErrors();
    if (sums()) return SetSumBound(out, propagated, DepthOf(operands));
    SetElementwiseBound(CombineName(form_), out, {std::move(propagated), DepthOf(operands)});
    FixZeroSigns(context_, out, [&](int64_t i) {
      ZeroSigns signs;
      signs.Add(init_, 0);
      for (int64_t k = 0; k < count_; ++k) signs.Add(x_, i * count_ + k);
      return signs.open();
    });
  }

  // A sum has the sum of the errors, an extremum at most the greatest of them. Empty if the operands have none.
  PooledNumbers PropagatedErrors() const {
    PooledNumbers errors;
    if (!erroneous_) return errors;
    errors.resize(static_cast<size_t>(outer_));
    for (int64_t i = 0; i < outer_; ++i) {
      double total = ErrorAt(init_, 0);
      for (int64_t k = 0; k < count_; ++k) {
        const double e = ErrorAt(x_, i * count_ + k);
        total = sums() ? total + e : std::max(total, e);
      }
      errors[static_cast<size_t>(i)] = total;
    }
    return errors;
  }

  void SetSumBound(Tensor& out, std::span<double> propagated, int depth) const {
    const auto size = static_cast<size_t>(outer_);
    const bool adds = form_ == Combine::kAdd;
    std::vector<double> magnitudes(size);
    std::vector<double> terms(adds ? size : 0);
    std::vector<double> largest(adds && HasDeviations(context_, erroneous_, 1) ? size : 0);
    WithStorage(info_.kind, [&]<typename T>() {
      for (int64_t i = 0; i < outer_; ++i) {
        const auto at = static_cast<size_t>(i);
        if (!adds) {
          magnitudes[at] = MagnitudeOfProduct<T>(i, out.data<T>()[at]);
          continue;
        }
        const SumMagnitude<T> magnitude = MagnitudeOfSum<T>(i);
        magnitudes[at] = magnitude.sum();
        terms[at] = magnitude.roundings();
        if (!largest.empty()) largest[at] = magnitude.largest();
      }
    });
    const EvalOptions& options = context_.evaluator.options();
    const std::vector<uint8_t> exact = adds && !erroneous_ && options.exact_sums ? ExactRows() : std::vector<uint8_t>();
    // Partial results have the type of the region. A product of complex numbers takes three roundings.
    const bool complex_product = !adds && info_.kind == ElementKind::kComplex;
    SetAccumulationBound(out, {.magnitudes = magnitudes,
                               .propagated = propagated,
                               .terms = std::max<int64_t>(count_, 1),
                               .terms_each = terms,
                               .unit = info_.format->UnitRoundoff(),
                               .factor = complex_product ? 3.0 : 1.0,
                               .compensated = IsCompensated(form_, info_),
                               .depth = depth,
                               .largest = largest,
                               .integral = options.exact_integers && AllIntegers(x_) && AllIntegers(init_),
                               .exact = exact,
                               .likely = options.likely,
                               .inexact = erroneous_});
  }

  template <typename T>
  SumMagnitude<T> MagnitudeOfSum(int64_t i) const {
    SumMagnitude<T> magnitude;
    magnitude.Add(init_.data<T>()[0], ErrorAt(init_, 0));
    ForRow<T>(x_, i, count_, [&](int64_t first, std::span<const T> values) {
      for (const T& v : values) magnitude.Add(v, ErrorAt(x_, first + (&v - values.data())));
    });
    return magnitude;
  }

  template <typename T>
  double MagnitudeOfProduct(int64_t i, const T& product) const {
    ProductMagnitude<T> magnitude(*info_.format);
    magnitude.Add(init_.data<T>()[0]);
    ForRow<T>(x_, i, count_, [&](int64_t, std::span<const T> values) {
      for (const T& v : values) magnitude.Add(v);
    });
    return magnitude.Of(product);
  }

  // 1 for each row whose sum every order of additions gives. Empty for complex numbers.
  std::vector<uint8_t> ExactRows() const {
    std::vector<uint8_t> exact(info_.kind == ElementKind::kFloat ? static_cast<size_t>(outer_) : 0);
    for (size_t i = 0; i < exact.size(); ++i) {
      ExactSum sum(*info_.format);
      sum.Add(init_.data<double>()[0]);
      ForRow<double>(x_, static_cast<int64_t>(i), count_, [&](int64_t, std::span<const double> values) {
        for (const double v : values) {
          if (!sum.Add(v)) return;
        }
      });
      exact[i] = sum.exact();
    }
    return exact;
  }

  OpContext& context_;
  const Combine form_;
  const Tensor& x_;
  const Tensor& init_;
  const ElementTypeInfo& info_;
  const int64_t outer_, count_;
  const bool erroneous_ = context_.bounds() && (HasErrors(x_) || HasErrors(init_));
};

// Evaluates a region on many rows at once.
class RegionFold {
 public:
  RegionFold(OpContext& context, mlir::Region& body) : context_(context), body_(body) {}

  // Folds from the left, column by column.
  Expected<std::vector<Tensor>> FoldColumns(std::vector<Tensor> values, const std::vector<Tensor>& rows, int64_t outer,
                                            int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      std::vector<Tensor> columns;
      columns.reserve(rows.size());
      for (const Tensor& t : rows) columns.push_back(Column(t, outer, count, k));
      Expected<std::vector<Tensor>> next = Step(values, columns, outer);
      if (!next) return next;
      values = std::move(*next);
    }
    return values;
  }

  // Folds neighbours, in order, until one column is left.
  Expected<std::vector<Tensor>> FoldHalves(const std::vector<Tensor>& values, std::vector<Tensor> rows, int64_t outer,
                                           int64_t count) {
    for (int64_t width = count; width > 1; width = width / 2 + width % 2) {
      const int64_t half = width / 2;
      std::vector<Tensor> left, right;
      for (const Tensor& t : rows) {
        left.push_back(StridedView(t, {outer, half}, {width, 2}, 0).Reshaped({outer * half}));
        right.push_back(StridedView(t, {outer, half}, {width, 2}, 1).Reshaped({outer * half}));
      }
      Expected<std::vector<Tensor>> next = Step(left, right, outer * half);
      if (!next) return next;
      const int64_t next_width = half + width % 2;
      for (size_t i = 0; i < rows.size(); ++i) {
        Move move((*next)[i].type(), {outer, next_width});
        move.Copy((*next)[i], {outer, half}, {half, 1}, 0, {next_width, 1}, 0);
        if (width % 2) {
          move.Copy(Column(rows[i], outer, width, width - 1), {outer, 1}, {1, 1}, 0, {next_width, 1}, half);
        }
        rows[i] = move.Take();
      }
    }
    for (Tensor& t : rows) t = t.Reshaped({outer});
    return Step(values, rows, outer);
  }

 private:
  Expected<std::vector<Tensor>> Step(const std::vector<Tensor>& a, const std::vector<Tensor>& b, int64_t lanes) {
    std::vector<Tensor> arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    return context_.evaluator.RunBatch(body_, arguments, lanes, context_.scope);
  }

  OpContext& context_;
  mlir::Region& body_;
};

}  // namespace

Expected<std::vector<Tensor>> FoldRows(OpContext& context, mlir::Region& body, std::vector<Tensor> rows,
                                       const std::vector<Tensor>& inits, int64_t outer, int64_t count) {
  const Combine form = CombineOf(body);
  if (rows.size() == 1 && rows[0].type() == inits[0].type() && form != Combine::kOther) {
    std::optional<Tensor> folded = ScalarFold(context, form, rows[0], inits[0], outer, count).Fold();
    if (folded) return std::vector<Tensor>{std::move(*folded)};
  }
  std::vector<Tensor> values;
  values.reserve(inits.size());
  for (const Tensor& init : inits) values.push_back(BroadcastInDim(init.Reshaped({}), {outer}, {}));
  if (count == 0 || outer == 0) return values;
  constexpr int64_t kMostSteps = 4096;
  RegionFold fold(context, body);
  if (count <= kMostSteps) return fold.FoldColumns(std::move(values), rows, outer, count);
  return fold.FoldHalves(values, std::move(rows), outer, count);
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

}  // namespace opbyop::reference
