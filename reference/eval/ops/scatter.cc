// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// scatter. Updates to the same place are applied in the order of the update index.
#include "reference/eval/scatter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/zero_signs.h"
#include "reference/eval/combine.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/ops/inexact_indices.h"
#include "reference/eval/quantization.h"
#include "reference/tensor/compensated_sum.h"
#include "reference/tensor/index_map.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Returns the destination of every update element in row-major order. -1: it falls outside of the operand.
std::vector<int64_t> Destinations(const stablehlo::ScatterDimensionNumbersAttr& numbers, const Tensor& indices,
                                  const Shape& operand, const Shape& updates) {
  IndexMap map{numbers.getScatterDimsToOperandDims(), numbers.getInputBatchingDims(),
               numbers.getScatterIndicesBatchingDims(), numbers.getIndexVectorDim()};
  const Shape operand_strides = StridesOf(operand);
  const Shape update_strides = StridesOf(updates);
  std::vector<size_t> window_operand_dims;
  for (size_t d = 0; d < operand.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), dim)) {
      window_operand_dims.push_back(d);
    }
  }
  std::vector<size_t> scatter_dims;
  Shape window;
  Shape window_strides;
  for (size_t d = 0; d < updates.size(); ++d) {
    if (llvm::is_contained(numbers.getUpdateWindowDims(), static_cast<int64_t>(d))) {
      window.push_back(updates[d]);
      window_strides.push_back(update_strides[d]);
    } else {
      scatter_dims.push_back(d);
    }
  }
  std::vector<int64_t> destinations(static_cast<size_t>(SizeOf(updates)), -1);
  const int64_t window_size = SizeOf(window);
  Shape position(window.size());
  map.ForEach(indices, operand, [&](const Shape& batch, const Shape& start) {
    int64_t from = 0;
    for (size_t b = 0; b < batch.size(); ++b) from += batch[b] * update_strides[scatter_dims[b]];
    std::fill(position.begin(), position.end(), 0);
    for (int64_t w = 0; w < window_size; ++w) {
      int64_t update = from;
      int64_t to = 0;
      bool inside = true;
      size_t window_dim = 0;
      for (size_t d = 0; d < operand.size(); ++d) {
        int64_t at = start[d];
        if (window_dim < window_operand_dims.size() && window_operand_dims[window_dim] == d) {
          at += position[window_dim];
          update += position[window_dim] * window_strides[window_dim];
          ++window_dim;
        }
        inside = inside && at >= 0 && at < operand[d];
        to += at * operand_strides[d];
      }
      if (inside) destinations[static_cast<size_t>(update)] = to;
      for (size_t d = window.size(); d-- > 0;) {
        if (++position[d] < window[d]) break;
        position[d] = 0;
      }
    }
  });
  return destinations;
}

// Whether the results may depend on the order of the updates: if they are stored, or combined by an unknown region.
bool OrderMatters(Combine form) { return form == Combine::kSecond || form == Combine::kOther; }

// A place whose value depends on the order. In another order the value may differ by `error`.
struct Contended {
  int64_t place;
  double error;
};

// Returns the places to which updates with different values are stored.
std::vector<Contended> OverwrittenPlaces(const Tensor& updates, const std::vector<int64_t>& to, int64_t places) {
  std::vector<Contended> contended;
  std::vector<int64_t> first(static_cast<size_t>(places), -1);
  WithStorage(updates.kind(), [&]<typename T>() {
    const T* values = updates.data<T>().data();
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] < 0) continue;
      int64_t& known = first[static_cast<size_t>(to[i])];
      if (known < 0) {
        known = static_cast<int64_t>(i);
      } else if (std::memcmp(values + known, values + i, sizeof(T)) != 0) {
        contended.push_back({to[i], kInf});
      }
    }
  });
  return contended;
}

// Counts the updates to each place.
std::vector<int64_t> CountUpdates(const std::vector<int64_t>& to, int64_t places) {
  std::vector<int64_t> counts(static_cast<size_t>(places));
  for (const int64_t place : to) {
    if (place >= 0) ++counts[static_cast<size_t>(place)];
  }
  return counts;
}

// Returns the places whose values differ if the updates are applied from last to first. For two updates these are all
// the orders, so the error is known; for more updates it is infinite.
std::vector<Contended> OrderedPlaces(const Tensor& forward, const Tensor& backward,
                                     const std::vector<int64_t>& counts) {
  std::vector<Contended> contended;
  WithStorage(forward.kind(), [&]<typename T>() {
    const auto a = forward.data<T>(), b = backward.data<T>();
    for (size_t i = 0; i < counts.size(); ++i) {
      if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
      double error = kInf;
      if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
        const double difference = std::abs(a[i] - b[i]);
        if (counts[i] == 2 && std::isfinite(difference)) {
          error = difference + ErrorAt(backward, static_cast<int64_t>(i));
        }
      }
      contended.push_back({static_cast<int64_t>(i), error});
    }
  });
  return contended;
}

// Adds the errors to the bound.
void Widen(Tensor& t, const std::vector<Contended>& contended) {
  if (contended.empty()) return;
  auto bound = CopyOfBound(t, "any order of the updates");
  const std::span<double> errors = MutableSpan(*bound);
  for (const Contended& c : contended) errors[static_cast<size_t>(c.place)] += c.error;
  t.set_bound(std::move(bound));
}

Expected<Values> Scatter(OpContext& context) {
  const size_t n = (context.size() - 1) / 2;
  std::vector<Tensor> results;
  std::vector<Tensor> updates;
  mlir::Region& body = context.op->getRegion(0);
  const auto promoted = [&](size_t operand, size_t accumulator) {
    return ToDestinationType(context.in(operand), context.op->getOperand(static_cast<unsigned>(operand)).getType(),
                             body.getArgument(static_cast<unsigned>(accumulator)).getType());
  };
  for (size_t i = 0; i < n; ++i) {
    results.push_back(promoted(i, i));
    updates.push_back(promoted(n + 1 + i, i));
  }
  const auto numbers = context.op->getAttrOfType<stablehlo::ScatterDimensionNumbersAttr>("scatter_dimension_numbers");
  const std::vector<int64_t> to = Destinations(numbers, context.in(n), results[0].shape(), updates[0].shape());
  Expected<std::vector<Tensor>> done = ScatterInto(context, body, std::move(results), updates, to);
  if (!done) return Unexpected(done.error());
  Values values(done->begin(), done->end());
  if (context.bounds()) OpenIfIndicesAreInexact(context, values);
  return values;
}

// Computes results[r][to[i]] = combine(results...[to[i]], updates...[i]) for i in order.
Expected<std::vector<Tensor>> InOrder(OpContext& context, mlir::Region& combine, std::vector<Tensor> results,
                                      const std::vector<Tensor>& updates, const std::vector<int64_t>& to) {
  const Combine form = CombineOf(combine);
  const ElementTypeInfo& info = Info(results[0].type());
  if (results.size() == 1 && updates[0].type() == results[0].type() && form != Combine::kOther) {
    const bool moves = form == Combine::kSecond || form == Combine::kFirst;
    const bool sums = form == Combine::kAdd || form == Combine::kMultiply;
    const bool real = info.kind == ElementKind::kFloat || info.kind == ElementKind::kComplex;
    const bool erroneous = HasErrors(results[0]) || HasErrors(updates[0]);
    Tensor out = results[0];
    std::vector<double> magnitudes;
    std::vector<double> counts;   // for each place: terms of a sum, or factors of a product
    std::vector<double> largest;  // for each place: its largest term, if deviations are wanted
    const bool wants_sum_bound = context.bounds() && real && sums && !erroneous;
    bool direct =
        (!context.bounds() || !erroneous || moves) && !(sums && real && context.evaluator.options().round_every_step);
    if (direct) {
      if (wants_sum_bound) {
        magnitudes.resize(static_cast<size_t>(out.size()));
        counts.assign(static_cast<size_t>(out.size()), 0);
        if (form == Combine::kAdd && context.evaluator.options().deviations) largest.resize(counts.size());
        if (form == Combine::kAdd) {
          WithStorage(info.kind, [&]<typename T>() {
            for (size_t i = 0; i < counts.size(); ++i) counts[i] = results[0].data<T>()[i] != T{};
          });
        }
      }
      WithStorage(info.kind, [&]<typename T>() {
        const auto from = updates[0].data<T>();
        const auto into = out.Mutable<T>();
        std::vector<ProductMagnitude<T>> products;
        if (wants_sum_bound && form == Combine::kMultiply) {
          products.assign(into.size(), ProductMagnitude<T>(*info.format));
          for (size_t i = 0; i < into.size(); ++i) products[i].Add(into[i]);
        } else if (wants_sum_bound) {
          for (size_t i = 0; i < into.size(); ++i) magnitudes[i] = FiniteModulusOf<T>(into[i]);
          std::ranges::copy_n(magnitudes.begin(), static_cast<std::ptrdiff_t>(largest.size()), largest.begin());
        }
        const auto for_updates = [&](auto&& apply) {
          for (size_t i = 0; i < from.size(); ++i) {
            if (to[i] < 0) continue;
            const auto at = static_cast<size_t>(to[i]);
            apply(at, from[i]);
            if (!wants_sum_bound) continue;
            counts[at] += form != Combine::kAdd || from[i] != T{};
            if (form == Combine::kAdd) {
              const double modulus = FiniteModulusOf<T>(from[i]);
              magnitudes[at] += modulus;
              if (!largest.empty()) largest[at] = std::max(largest[at], modulus);
            } else {
              products[at].Add(from[i]);
            }
          }
        };
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
          if (IsCompensated(form, info)) {
            std::vector<typename CompensatedOf<T>::type> totals;
            for (const T& start : into) totals.emplace_back(start);
            for_updates([&](size_t at, const T& update) { totals[at].Add(update); });
            for (size_t i = 0; i < into.size(); ++i) into[i] = totals[i].Value();
            return;
          }
        }
        direct = WithCombine<T>(form, info, [&](auto f) {
          for_updates([&](size_t at, const T& update) { into[at] = f(into[at], update); });
        });
        for (size_t i = 0; i < products.size(); ++i) magnitudes[i] = counts[i] > 0 ? products[i].Of(into[i]) : 0;
      });
    }
    if (direct) {
      if (!moves) RoundResult(out);
      if (wants_sum_bound) {
        if (form == Combine::kAdd) {
          for (double& count : counts) count = RoundingsOfSum(count);
        }
        SetAccumulationBound(out, {.magnitudes = magnitudes,
                                   .terms_each = counts,
                                   .unit = info.format->UnitRoundoff(),
                                   .compensated = IsCompensated(form, info),
                                   .largest = largest,
                                   .integral = context.evaluator.options().exact_integers && AllIntegers(results[0]) &&
                                               AllIntegers(updates[0]),
                                   .likely = context.evaluator.options().likely});
      } else if (context.bounds() && moves && erroneous) {
        Move move(results[0]);
        for (size_t i = 0; i < to.size() && form == Combine::kSecond; ++i) {
          if (to[i] >= 0) move.Copy(updates[0], {1}, {1}, static_cast<int64_t>(i), {1}, to[i]);
        }
        out = move.Take();
      } else if (context.bounds() && !moves && !sums) {
        SetElementwiseBound(CombineName(form), out, {});
      }
      return std::vector<Tensor>{std::move(out)};
    }
  }

  // The general case applies updates in rounds. Updates of one round go to different places and are evaluated as one
  // batch.
  std::vector<int64_t> round_of(to.size(), -1);
  std::vector<int64_t> seen(static_cast<size_t>(results[0].size()), 0);
  int64_t rounds = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0) continue;
    round_of[i] = seen[static_cast<size_t>(to[i])]++;
    rounds = std::max(rounds, round_of[i] + 1);
  }
  std::vector<std::vector<int64_t>> members(static_cast<size_t>(rounds));
  for (size_t i = 0; i < to.size(); ++i) {
    if (round_of[i] >= 0) members[static_cast<size_t>(round_of[i])].push_back(static_cast<int64_t>(i));
  }
  for (const std::vector<int64_t>& round : members) {
    std::vector<int64_t> places;
    for (const int64_t i : round) places.push_back(to[static_cast<size_t>(i)]);
    std::vector<Tensor> arguments;
    for (const Tensor& t : results) arguments.push_back(TakeElements(t, places));
    for (const Tensor& t : updates) arguments.push_back(TakeElements(t, round));
    Expected<std::vector<Tensor>> values =
        context.evaluator.RunBatch(combine, arguments, static_cast<int64_t>(round.size()), context.scope);
    if (!values) return Unexpected(values.error());
    for (size_t r = 0; r < results.size(); ++r) PutElements(results[r], (*values)[r], places);
  }
  return results;
}

Expected<std::vector<Tensor>> Scattered(OpContext& context, mlir::Region& combine, std::vector<Tensor> results,
                                        const std::vector<Tensor>& updates, const std::vector<int64_t>& to) {
  const Combine form = CombineOf(combine);
  if (!context.bounds() || !OrderMatters(form)) return InOrder(context, combine, std::move(results), updates, to);
  Expected<std::vector<Tensor>> done = InOrder(context, combine, results, updates, to);
  if (!done) return done;
  if (form == Combine::kSecond && results.size() == 1) {
    Widen((*done)[0], OverwrittenPlaces(updates[0], to, results[0].size()));
    return done;
  }
  const std::vector<int64_t> counts = CountUpdates(to, results[0].size());
  if (std::ranges::none_of(counts, [](int64_t count) { return count > 1; })) return done;
  // Nothing is known about the region, so the updates are also applied from last to first.
  std::vector<int64_t> backwards(to.size());
  for (size_t i = 0; i < to.size(); ++i) backwards[i] = static_cast<int64_t>(to.size() - 1 - i);
  std::vector<Tensor> last_first;
  for (const Tensor& t : updates) last_first.push_back(TakeElements(t, backwards));
  const Expected<std::vector<Tensor>> other =
      InOrder(context, combine, std::move(results), last_first, {to.rbegin(), to.rend()});
  if (!other) return other;
  for (size_t r = 0; r < done->size(); ++r) Widen((*done)[r], OrderedPlaces((*done)[r], (*other)[r], counts));
  return done;
}

// A result of so many elements, of which updates reach at most one in four, is computed from those that they reach.
constexpr int64_t kMany = int64_t{1} << 20;
constexpr int64_t kFewReached = 4;

// The places that updates reach, ascending.
std::vector<int64_t> PlacesOf(const std::vector<int64_t>& to) {
  std::vector<int64_t> places(to);
  std::ranges::sort(places);
  const auto [first, last] = std::ranges::unique(places);
  places.erase(first, last);
  if (!places.empty() && places.front() < 0) places.erase(places.begin());
  return places;
}

// `base` with the elements of `part` at these places. Its other elements are exact.
Tensor Spread(const Tensor& base, Tensor part, const std::vector<int64_t>& places) {
  const std::shared_ptr<const Bound> own = part.bound();
  part.set_bound(nullptr);
  Move move(base);
  std::vector<Move::Place> moved;
  moved.reserve(places.size());
  for (size_t i = 0; i < places.size(); ++i) moved.push_back({static_cast<int64_t>(i), places[i]});
  move.CopyEach(part, {{1}, {1}, {1}}, moved);
  Tensor whole = move.Take();
  if (!own || own->size == 0) {
    whole.set_bound(own);
    return whole;
  }
  auto bound = MakeBound(base.size(), own->rule, own->depth);
  bound->zero_sign_free = own->zero_sign_free;
  bound->random = own->random;
  const auto spread = [&](std::span<const double> from, std::span<double> into) {
    for (size_t i = 0; i < from.size(); ++i) into[static_cast<size_t>(places[i])] = from[i];
  };
  spread(own->span(), MutableSpan(*bound));
  if (const std::span<const double> deviations = own->deviation_span(); !deviations.empty()) {
    bound->deviations = Buffer(bound->values.bytes());
    const std::span<double> into{reinterpret_cast<double*>(bound->deviations.data()), static_cast<size_t>(bound->size)};
    std::ranges::fill(into, 0.0);
    spread(deviations, into);
  }
  whole.set_bound(std::move(bound));
  return whole;
}

}  // namespace

Expected<std::vector<Tensor>> ScatterInto(OpContext& context, mlir::Region& combine, std::vector<Tensor> results,
                                          const std::vector<Tensor>& updates, const std::vector<int64_t>& to) {
  if (results[0].size() >= kMany && std::ranges::none_of(results, &HasErrors)) {
    const std::vector<int64_t> places = PlacesOf(to);
    if (!places.empty() && static_cast<int64_t>(places.size()) <= results[0].size() / kFewReached) {
      std::vector<Tensor> reached;
      reached.reserve(results.size());
      for (const Tensor& t : results) reached.push_back(TakeElements(t, places));
      std::vector<int64_t> at(to.size(), -1);
      for (size_t i = 0; i < to.size(); ++i) {
        if (to[i] >= 0) at[i] = std::ranges::lower_bound(places, to[i]) - places.begin();
      }
      Expected<std::vector<Tensor>> done = Scattered(context, combine, std::move(reached), updates, at);
      for (size_t r = 0; done && r < results.size(); ++r)
        (*done)[r] = Spread(results[r], std::move((*done)[r]), places);
      return done;
    }
  }
  return Scattered(context, combine, std::move(results), updates, to);
}

Tensor TakeElements(const Tensor& t, const std::vector<int64_t>& places) {
  if (t.stored() != nullptr && !HasErrors(t)) {
    Move move(t.type(), {static_cast<int64_t>(places.size())});
    std::vector<Move::Place> moved;
    moved.reserve(places.size());
    for (size_t i = 0; i < places.size(); ++i) moved.push_back({places[i], static_cast<int64_t>(i)});
    move.CopyEach(t, {{1}, {1}, {1}}, moved);
    return move.Take();
  }
  Tensor out = Tensor::Make(t.type(), {static_cast<int64_t>(places.size())});
  WithStorage(t.kind(), [&]<typename T>() {
    const auto from = t.data<T>();
    const auto into = out.Mutable<T>();
    for (size_t i = 0; i < places.size(); ++i) into[i] = from[static_cast<size_t>(places[i])];
  });
  if (HasErrors(t)) {
    auto bound = MakeBound(out.size(), t.bound()->rule, t.bound()->depth);
    bound->zero_sign_free = true;
    bound->random = t.bound()->random;
    for (size_t i = 0; i < places.size(); ++i) MutableSpan(*bound)[i] = t.bounds()[static_cast<size_t>(places[i])];
    out.set_bound(std::move(bound));
  }
  return out;
}

void PutElements(Tensor& t, const Tensor& values, const std::vector<int64_t>& places) {
  WithStorage(t.kind(), [&]<typename T>() {
    const auto from = values.data<T>();
    const auto into = t.Mutable<T>();
    for (size_t i = 0; i < places.size(); ++i) into[static_cast<size_t>(places[i])] = from[i];
  });
  if (!HasErrors(t) && !HasErrors(values)) {
    // The sign of a zero that a maximum gives is open. It is a fact of the whole tensor.
    if (values.bound() && values.bound()->zero_sign_free) t.set_bound(BoundWhenMoved(values.bound()));
    return;
  }
  auto bound = MakeBound(t.size(), "",
                         std::max(HasErrors(t) ? t.bound()->depth : 0, HasErrors(values) ? values.bound()->depth : 0));
  bound->rule = "propagated over " + std::to_string(bound->depth) + " ops";
  bound->zero_sign_free = true;
  const std::span<double> errors = MutableSpan(*bound);
  if (HasErrors(t)) std::ranges::copy(t.bounds(), errors.begin());
  for (size_t i = 0; i < places.size(); ++i) {
    errors[static_cast<size_t>(places[i])] = ErrorAt(values, static_cast<int64_t>(i));
  }
  t.set_bound(std::move(bound));
}

void AddScatter(EvalTableType& table) { table["stablehlo.scatter"] = &Scatter; }

}  // namespace opbyop::reference
