// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sort with any comparator, always stable; chlo.top_k.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/flushing.h"
#include "reference/eval/nan_bits.h"
#include "reference/eval/ops/uncertain_order.h"
#include "reference/eval/scatter.h"

namespace opbyop::reference {
namespace {

// A comparator that consists of one comparison of the two arguments of one operand.
struct SimpleComparator {
  size_t operand;
  bool descending;
  bool total_order;
};

std::optional<SimpleComparator> Recognise(mlir::Region& region) {
  mlir::Block& block = region.front();
  mlir::Operation& last = block.back();
  if (last.getNumOperands() != 1) return std::nullopt;
  mlir::Operation* op = last.getOperand(0).getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.compare") return std::nullopt;
  auto lhs = llvm::dyn_cast<mlir::BlockArgument>(op->getOperand(0));
  auto rhs = llvm::dyn_cast<mlir::BlockArgument>(op->getOperand(1));
  if (!lhs || !rhs || lhs.getOwner() != &block || rhs.getOwner() != &block) return std::nullopt;
  if (lhs.getArgNumber() % 2 != 0 || rhs.getArgNumber() != lhs.getArgNumber() + 1) return std::nullopt;
  const auto direction = op->getAttrOfType<stablehlo::ComparisonDirectionAttr>("comparison_direction").getValue();
  if (direction != stablehlo::ComparisonDirection::LT && direction != stablehlo::ComparisonDirection::GT) {
    return std::nullopt;
  }
  const auto type = op->getAttrOfType<stablehlo::ComparisonTypeAttr>("compare_type");
  return SimpleComparator{lhs.getArgNumber() / 2, direction == stablehlo::ComparisonDirection::GT,
                          type && type.getValue() == stablehlo::ComparisonType::TOTALORDER};
}

int64_t OrderKey(double v) {
  const auto bits = std::bit_cast<int64_t>(v);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

template <typename T, typename Less>
void SortLine(const T* keys, int64_t stride, std::vector<int64_t>& order, Less less) {
  struct Keyed {
    T key;
    int64_t place;
  };
  std::vector<Keyed> line(order.size());  // a key beside its place is in the cache when it is compared
  for (size_t i = 0; i < line.size(); ++i) line[i] = {keys[order[i] * stride], order[i]};
  // Ties are broken by position. The sort is therefore stable, without the memory that std::stable_sort needs.
  std::ranges::sort(line, [&](const Keyed& a, const Keyed& b) {
    if (less(a.key, b.key)) return true;
    return a.place < b.place && !less(b.key, a.key);
  });
  for (size_t i = 0; i < line.size(); ++i) order[i] = line[i].place;
}

// Sorts the positions 0..n-1 of one line by their keys, which start at `base`.
void SortSimple(const Tensor& key, int64_t base, int64_t stride, const SimpleComparator& how,
                std::vector<int64_t>& order) {
  WithStorage(key.kind(), [&]<typename T>() {
    const T* keys = key.data<T>().data() + base;
    const auto with = [&](auto less) {
      if (how.descending) {
        SortLine(keys, stride, order, [&](const T& a, const T& b) { return less(b, a); });
      } else {
        SortLine(keys, stride, order, less);
      }
    };
    if constexpr (std::is_same_v<T, double>) {
      if (how.total_order) {
        with([](double a, double b) { return OrderKey(a) < OrderKey(b); });
      } else {
        with([](double a, double b) { return a < b; });
      }
    } else if constexpr (std::is_same_v<T, int64_t>) {
      if (Info(key.type()).is_signed) {
        with([](int64_t a, int64_t b) { return a < b; });
      } else {
        with([](int64_t a, int64_t b) { return static_cast<uint64_t>(a) < static_cast<uint64_t>(b); });
      }
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      with([](uint8_t a, uint8_t b) { return a < b; });
    } else {
      with([](const Complex& a, const Complex& b) {
        return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
      });
    }
  });
}

bool HasNan(const Tensor& t) {
  if (t.kind() != ElementKind::kFloat) return false;
  return std::ranges::any_of(t.data<double>(), [](double v) { return std::isnan(v); });
}

// A merge in progress: positions [left, middle) and [middle, right) of the `order` of one line.
struct Merge {
  int64_t* order;
  int64_t left, middle, right;  // `left` is the next position of the left run, `middle` that of the right run
  int64_t middle_end;
  std::vector<int64_t> out;
};

// Bottom-up merge sort of all lines at once. Every step runs the comparator as one batch, for all merges in progress.
Expected<bool> SortGeneral(OpContext& context, const std::vector<int64_t>& bases, int64_t stride, int64_t n,
                           std::vector<std::vector<int64_t>>& orders) {
  mlir::Region& region = context.op->getRegion(0);
  for (int64_t width = 1; width < n; width *= 2) {
    std::vector<Merge> merges;
    std::vector<size_t> line_of;
    for (size_t line = 0; line < bases.size(); ++line) {
      for (int64_t at = 0; at + width < n; at += 2 * width) {
        merges.push_back({orders[line].data() + at, 0, width, std::min(2 * width, n - at), width, {}});
        line_of.push_back(line);
      }
    }
    std::vector<size_t> active(merges.size());
    std::iota(active.begin(), active.end(), size_t{0});
    while (!active.empty()) {
      std::vector<int64_t> lhs;
      std::vector<int64_t> rhs;
      for (const size_t m : active) {
        const Merge& merge = merges[m];
        // To be stable, the element of the right run goes first only if it is strictly less.
        lhs.push_back(bases[line_of[m]] + merge.order[merge.middle] * stride);
        rhs.push_back(bases[line_of[m]] + merge.order[merge.left] * stride);
      }
      std::vector<Tensor> arguments;
      for (size_t i = 0; i < context.size(); ++i) {
        arguments.push_back(TakeElements(context.in(i), lhs));
        arguments.push_back(TakeElements(context.in(i), rhs));
      }
      Expected<std::vector<Tensor>> less =
          context.evaluator.RunBatch(region, arguments, static_cast<int64_t>(active.size()), context.scope);
      if (!less) return Unexpected(less.error());
      const auto right_first = (*less)[0].data<uint8_t>();
      std::vector<size_t> still;
      for (size_t a = 0; a < active.size(); ++a) {
        Merge& merge = merges[active[a]];
        merge.out.push_back(right_first[a] ? merge.order[merge.middle++] : merge.order[merge.left++]);
        if (merge.left < merge.middle_end && merge.middle < merge.right) still.push_back(active[a]);
      }
      active = std::move(still);
    }
    for (Merge& merge : merges) {
      merge.out.insert(merge.out.end(), merge.order + merge.left, merge.order + merge.middle_end);
      merge.out.insert(merge.out.end(), merge.order + merge.middle, merge.order + merge.right);
      std::ranges::copy(merge.out, merge.order);
    }
  }
  return true;
}

bool IsSameElement(const Tensor& a, const Tensor& b, size_t at) {
  return WithStorage(a.kind(), [&]<typename T>() {
    using Bytes = std::array<std::byte, sizeof(T)>;
    return std::bit_cast<Bytes>(a.data<T>()[at]) == std::bit_cast<Bytes>(b.data<T>()[at]);
  });
}

// Marks the lines that the comparator gives no order: it says of two elements that stand together, and that differ, that
// the second is less. By GE or LE each of two equal elements is less than the other.
Expected<std::vector<bool>> LinesWithoutOrder(OpContext& context, const std::vector<int64_t>& bases, int64_t stride,
                                              int64_t n, const std::vector<std::vector<int64_t>>& orders) {
  std::vector<int64_t> first, second;
  for (size_t line = 0; line < bases.size(); ++line) {
    for (size_t i = 0; i + 1 < static_cast<size_t>(n); ++i) {
      first.push_back(bases[line] + orders[line][i] * stride);
      second.push_back(bases[line] + orders[line][i + 1] * stride);
    }
  }
  std::vector<bool> none(bases.size());
  if (first.empty()) return none;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < context.size(); ++i) {
    arguments.push_back(TakeElements(context.in(i), second));
    arguments.push_back(TakeElements(context.in(i), first));
  }
  const Expected<std::vector<Tensor>> less = context.evaluator.RunBatch(
      context.op->getRegion(0), arguments, static_cast<int64_t>(first.size()), context.scope);
  if (!less) return Unexpected(less.error());
  const auto second_first = (*less)[0].data<uint8_t>();
  for (size_t at = 0; at < first.size(); ++at) {
    bool differs = false;
    for (size_t i = 0; i < context.size(); ++i) differs |= !IsSameElement(arguments[2 * i], arguments[2 * i + 1], at);
    if (second_first[at] && differs) none[at / static_cast<size_t>(n - 1)] = true;
  }
  return none;
}

// The operands whose elements the comparator compares in total order as they are.
std::vector<size_t> KeysInTotalOrder(mlir::Region& region) {
  std::vector<size_t> keys;
  for (mlir::Operation& op : region.front()) {
    if (!ComparesInTotalOrder(&op)) continue;
    for (mlir::Value operand : op.getOperands()) {
      const auto element = llvm::dyn_cast<mlir::BlockArgument>(operand);
      if (element && element.getOwner() == &region.front()) keys.push_back(element.getArgNumber() / 2);
    }
  }
  return keys;
}

// The operands whose lines with NaN have no order that every device must find. A comparison `<` with NaN is always false,
// so that NaN counts as equal to all numbers; a total order puts it at the end that its sign says, which may be open.
std::vector<size_t> KeysWithOpenNan(const OpContext& context, const std::optional<SimpleComparator>& simple) {
  std::vector<size_t> keys;
  if (simple && !simple->total_order) keys.push_back(simple->operand);
  for (const size_t key : KeysInTotalOrder(context.op->getRegion(0))) {
    if (HasFreeNanBits(context.op->getOperand(static_cast<unsigned>(key)))) keys.push_back(key);
  }
  std::erase_if(keys, [&](size_t key) { return !HasNan(context.in(key)); });
  return keys;
}

// Marks the lines of a key that have a NaN.
void AddLinesWithNan(const Tensor& key, const std::vector<int64_t>& bases, int64_t stride, int64_t n,
                     std::vector<bool>& lines) {
  const auto keys = key.data<double>();
  for (size_t line = 0; line < bases.size(); ++line) {
    for (int64_t i = 0; i < n && !lines[line]; ++i) {
      lines[line] = std::isnan(keys[static_cast<size_t>(bases[line] + i * stride)]);
    }
  }
}

// Gives the elements of these lines of a result infinite bounds.
void OpenLines(const std::vector<bool>& lines, const std::vector<int64_t>& bases, int64_t stride, int64_t n,
               std::string_view why, Tensor& out) {
  if (std::ranges::find(lines, true) == lines.end()) return;
  auto bound = CopyOfBound(out, why);
  for (size_t line = 0; line < bases.size(); ++line) {
    for (int64_t i = 0; lines[line] && i < n; ++i) {
      MutableSpan(*bound)[static_cast<size_t>(bases[line] + i * stride)] = std::numeric_limits<double>::infinity();
    }
  }
  out.set_bound(std::move(bound));
}

// How far element `other` of a tensor may be from what element `own` is.
double ReachOf(const Tensor& t, int64_t other, int64_t own) {
  const double distance =
      WithStorage(t.kind(), [&]<typename T>() { return ElementDistance<T>(ValueAt<T>(t, other), ValueAt<T>(t, own)); });
  return distance + ErrorAt(t, other);
}

// The operands whose elements the comparator reads.
std::vector<size_t> KeysOf(mlir::Region& region) {
  std::vector<size_t> keys;
  for (const mlir::BlockArgument argument : region.getArguments()) {
    const size_t operand = argument.getArgNumber() / 2;
    if (!argument.use_empty() && (keys.empty() || keys.back() != operand)) keys.push_back(operand);
  }
  return keys;
}

// Widens the bounds of sorted operands for the orders that inexact keys may have. `places` has where each element comes
// from.
void AddOrderErrors(OpContext& context, const std::vector<int64_t>& bases, int64_t stride, int64_t n,
                    const std::vector<int64_t>& places, std::vector<Tensor>& sorted) {
  const std::vector<size_t> keys = KeysOf(context.op->getRegion(0));
  if (std::ranges::none_of(keys, [&](size_t key) { return HasErrors(context.in(key)); })) return;
  std::vector<int64_t> from(static_cast<size_t>(n)), to(static_cast<size_t>(n));
  const auto for_lines = [&](auto&& add) {
    for (const int64_t base : bases) {
      for (int64_t i = 0; i < n; ++i) {
        to[static_cast<size_t>(i)] = base + i * stride;
        from[static_cast<size_t>(i)] = places[static_cast<size_t>(base + i * stride)];
      }
      add();
    }
  };
  const Tensor& key = context.in(keys.front());
  const bool one_number =
      keys.size() == 1 && (key.kind() == ElementKind::kFloat || key.kind() == ElementKind::kInteger);
  if (!one_number) {
    std::vector<bool> open(bases.size());
    size_t line = 0;
    for_lines([&] {
      for (const size_t k : keys) {
        open[line] = open[line] || std::ranges::any_of(from, [&](int64_t i) { return ErrorAt(context.in(k), i) > 0; });
      }
      ++line;
    });
    for (Tensor& t : sorted) OpenLines(open, bases, stride, n, "in the order of inexact keys", t);
    return;
  }
  // The line of which the first and the last key differ says so.
  bool descending = false;
  for_lines([&] { descending = descending || NumberAt(key, from.back()) < NumberAt(key, from.front()); });
  UncertainOrder order(key, descending);
  for_lines([&] { order.AddLine(from, to); });
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == keys.front()) {
      order.WidenKeys(sorted[i]);
    } else {
      order.Widen(sorted[i], [&](int64_t other, int64_t own) { return ReachOf(context.in(i), other, own); });
    }
  }
}

Expected<Values> Sort(OpContext& context) {
  const Shape& shape = context.in(0).shape();
  int64_t dimension = context.Int("dimension", -1);
  if (dimension < 0) dimension += static_cast<int64_t>(shape.size());
  if (context.in(0).size() == 0 || shape.empty()) return Values(context.operands);
  const auto d = static_cast<size_t>(dimension);
  const int64_t n = shape[d];
  const int64_t stride = StridesOf(shape)[d];
  std::vector<int64_t> bases;
  for (int64_t outer = 0; outer < context.in(0).size() / (n * stride); ++outer) {
    for (int64_t inner = 0; inner < stride; ++inner) bases.push_back(outer * n * stride + inner);
  }
  std::vector<std::vector<int64_t>> orders(bases.size(), std::vector<int64_t>(static_cast<size_t>(n)));
  for (auto& order : orders) std::iota(order.begin(), order.end(), int64_t{0});

  const auto simple = Recognise(context.op->getRegion(0));
  // With NaN, `<` is no strict weak order. std::sort would then have undefined behaviour, but the merge sort is safe.
  if (simple && (simple->total_order || !HasNan(context.in(simple->operand)))) {
    Tensor key = context.in(simple->operand);
    // A total order compares bits, so subnormals are not flushed.
    if (context.evaluator.options().flushes && !simple->total_order) key = WithSubnormalsAsZeros(std::move(key));
    for (size_t line = 0; line < bases.size(); ++line) SortSimple(key, bases[line], stride, *simple, orders[line]);
  } else if (const Expected<bool> done = SortGeneral(context, bases, stride, n, orders); !done) {
    return Unexpected(done.error());
  }
  std::vector<int64_t> places(static_cast<size_t>(context.in(0).size()));
  for (size_t line = 0; line < bases.size(); ++line) {
    for (int64_t i = 0; i < n; ++i) {
      places[static_cast<size_t>(bases[line] + i * stride)] =
          bases[line] + orders[line][static_cast<size_t>(i)] * stride;
    }
  }
  std::vector<bool> open(bases.size());
  if (context.bounds()) {
    for (const size_t key : KeysWithOpenNan(context, simple)) AddLinesWithNan(context.in(key), bases, stride, n, open);
    if (!simple) {
      Expected<std::vector<bool>> none = LinesWithoutOrder(context, bases, stride, n, orders);
      if (!none) return Unexpected(none.error());
      for (size_t line = 0; line < open.size(); ++line) open[line] = open[line] || (*none)[line];
    }
  }
  std::vector<Tensor> sorted;
  sorted.reserve(context.size());
  for (size_t i = 0; i < context.size(); ++i) sorted.push_back(TakeElements(context.in(i), places).Reshaped(shape));
  if (context.bounds()) AddOrderErrors(context, bases, stride, n, places, sorted);
  for (Tensor& t : sorted) {
    OpenLines(open, bases, stride, n, "any order of lines with NaN, or of which the comparator is none", t);
  }
  return Values(std::make_move_iterator(sorted.begin()), std::make_move_iterator(sorted.end()));
}

// The specification does not say where NaN is in the order of numbers. Lines with NaN get infinite bounds.
void OpenLinesWithNan(const Tensor& x, int64_t n, int64_t k, Tensor& out) {
  if (!HasNan(x) || out.size() == 0) return;
  auto bound = CopyOfBound(out, "any value: the order of NaN is open");
  const auto values = x.data<double>();
  for (int64_t line = 0; line < out.size() / k; ++line) {
    const auto of_line = values.subspan(static_cast<size_t>(line * n), static_cast<size_t>(n));
    if (std::ranges::none_of(of_line, [](double v) { return std::isnan(v); })) continue;
    std::ranges::fill(MutableSpan(*bound).subspan(static_cast<size_t>(line * k), static_cast<size_t>(k)),
                      std::numeric_limits<double>::infinity());
  }
  out.set_bound(std::move(bound));
}

bool TopKFlag(mlir::Operation* op, llvm::StringRef name, bool otherwise) {
  const auto flag = llvm::dyn_cast_or_null<mlir::BoolAttr>(NativeAttributeOf(op, name));
  return flag ? flag.getValue() : otherwise;
}

// The least and the greatest place that may be at each position of a line's result.
struct PlaceRange {
  std::vector<int64_t> least, greatest;
};

// `order` has the places of one line in total order. Zeros of both signs are equal numbers, so that a device may have
// them in that order or by their place; if the order is not stable, equal elements may come in any order.
void AddPlacesOfEquals(const Tensor& x, int64_t base, int64_t k, bool stable, const std::vector<int64_t>& order,
                       PlaceRange& places) {
  const auto at = [&](size_t i) { return x.data<double>()[static_cast<size_t>(base + order[i])]; };
  for (size_t first = 0; first < static_cast<size_t>(k);) {
    size_t end = first + 1;
    while (end < order.size() && at(end) == at(first)) ++end;
    std::vector<int64_t> by_place(order.begin() + static_cast<std::ptrdiff_t>(first),
                                  order.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::sort(by_place);
    for (size_t i = first; i < std::min(end, static_cast<size_t>(k)); ++i) {
      const int64_t other = by_place[i - first];
      places.least.push_back(stable ? std::min(order[i], other) : by_place.front());
      places.greatest.push_back(stable ? std::max(order[i], other) : by_place.back());
    }
    first = end;
  }
}

// Widens the bounds of the places, and lets zeros of the values have either sign, where equal elements may come in
// another order.
void OpenOrderOfEquals(const PlaceRange& range, Tensor& values, Tensor& places) {
  auto bound = CopyOfBound(places, "equal elements in either order");
  bool open = false;
  const auto own = std::as_const(places).data<int64_t>();
  for (size_t i = 0; i < own.size(); ++i) {
    const int64_t reach = std::max(own[i] - range.least[i], range.greatest[i] - own[i]);
    double& error = MutableSpan(*bound)[i];
    error = std::max(error, static_cast<double>(reach));
    open = open || reach > 0;
  }
  if (!open) return;
  places.set_bound(std::move(bound));
  auto signs = CopyOfBound(values, "zeros of either sign");
  signs->zero_sign_free = true;
  values.set_bound(std::move(signs));
}

// Gives the k greatest elements along the last dimension, greatest first. NaN comes before all numbers, and of equal
// elements the earlier one comes first.
Expected<Values> TopK(OpContext& context) {
  const Tensor& x = context.in(0);
  int64_t k = context.Int("k", -1);
  if (k < 0) {
    const Expected<Shape> shape = context.ResultShape();
    if (!shape) return Unexpected(shape.error());
    k = shape->back();
  }
  const bool largest = TopKFlag(context.op, "largest", true);
  const bool stable = TopKFlag(context.op, "is_stable", true);
  if (x.rank() == 0) return context.Fail(ExitCode::kBadInput, "a scalar has no last dimension");
  const int64_t n = x.shape().back();
  const int64_t lines = n == 0 ? 0 : x.size() / n;
  std::vector<int64_t> places;
  std::vector<int64_t> indices;
  const bool opens_equals = context.bounds() && x.kind() == ElementKind::kFloat;
  PlaceRange range;
  std::optional<UncertainOrder> uncertain;
  if (context.bounds() && HasErrors(x) && x.kind() != ElementKind::kBool) uncertain.emplace(x, largest);
  std::vector<int64_t> order(static_cast<size_t>(n)), from(order.size()), to(static_cast<size_t>(k));
  for (int64_t line = 0; line < lines; ++line) {
    std::iota(order.begin(), order.end(), int64_t{0});
    SortSimple(x, line * n, 1, {0, largest, true}, order);
    for (int64_t i = 0; i < k; ++i) {
      indices.push_back(order[static_cast<size_t>(i)]);
      places.push_back(line * n + order[static_cast<size_t>(i)]);
    }
    if (opens_equals) AddPlacesOfEquals(x, line * n, k, stable, order, range);
    if (!uncertain) continue;
    std::ranges::transform(order, from.begin(), [&](int64_t place) { return line * n + place; });
    std::iota(to.begin(), to.end(), line * k);
    uncertain->AddLine(from, to);
  }
  Shape shape = x.shape();
  shape.back() = k;
  ElementType index_type = ElementType::kI32;
  if (context.op->getNumResults() > 1) {
    const Expected<ElementType> type = context.ResultType(1);
    if (!type) return Unexpected(type.error());
    index_type = *type;
  }
  Tensor top = TakeElements(x, places).Reshaped(shape);
  Tensor of_top = Tensor::Of<int64_t>(index_type, shape, indices);
  if (context.bounds()) {
    if (opens_equals) OpenOrderOfEquals(range, top, of_top);
    if (uncertain) {
      uncertain->WidenKeys(top);
      uncertain->Widen(of_top, [](int64_t other, int64_t own) { return std::fabs(static_cast<double>(other - own)); });
    }
    OpenLinesWithNan(x, n, k, top);
    OpenLinesWithNan(x, n, k, of_top);
  }
  return Values{std::move(top), std::move(of_top)};
}

}  // namespace

void AddSort(EvalTableType& table) {
  table["stablehlo.sort"] = &Sort;
  table["chlo.top_k"] = &TopK;
}

}  // namespace opbyop::reference
