// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// compare, select, clamp.
#include <bit>
#include <cmath>
#include <optional>

#include "ir/chlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/nan_bits.h"
#include "reference/tensor/scalar_math.h"

namespace opbyop::reference {
namespace {

using stablehlo::ComparisonDirection;
using stablehlo::ComparisonType;

// totalOrder as an integer: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN.
int64_t TotalOrder(double v) {
  const auto bits = std::bit_cast<int64_t>(v);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

template <typename T, typename From, typename Key>
void CompareWith(ComparisonDirection direction, const Tensor& x, const Tensor& y, Tensor& out, Key key) {
  const auto with = [&](auto compare) {
    MapBinary<uint8_t, From>(x, y, out, [&](From a, From b) -> uint8_t { return compare(key(a), key(b)); });
  };
  switch (direction) {
    case ComparisonDirection::EQ:
      return with([](const T& a, const T& b) { return a == b; });
    case ComparisonDirection::NE:
      return with([](const T& a, const T& b) { return !(a == b); });
    case ComparisonDirection::GE:
      return with([](const T& a, const T& b) { return b <= a; });
    case ComparisonDirection::GT:
      return with([](const T& a, const T& b) { return b < a; });
    case ComparisonDirection::LE:
      return with([](const T& a, const T& b) { return a <= b; });
    case ComparisonDirection::LT:
      return with([](const T& a, const T& b) { return a < b; });
  }
}

struct Lexicographic {
  double real, imag;
  bool operator==(const Lexicographic& o) const { return real == o.real && imag == o.imag; }
  bool operator<(const Lexicographic& o) const { return real < o.real || (real == o.real && imag < o.imag); }
  bool operator<=(const Lexicographic& o) const { return real < o.real || (real == o.real && imag <= o.imag); }
};

// CHLO's enumerations have the same values as StableHLO's.
std::optional<ComparisonDirection> DirectionOf(mlir::Operation* op) {
  const mlir::Attribute found = op->getAttr("comparison_direction");
  if (auto own = llvm::dyn_cast_or_null<stablehlo::ComparisonDirectionAttr>(found)) return own.getValue();
  if (auto other = llvm::dyn_cast_or_null<chlo::ComparisonDirectionAttr>(found)) {
    return static_cast<ComparisonDirection>(other.getValue());
  }
  return std::nullopt;
}

// True if a comparison of a value with itself tests whether the value is NaN.
bool IsNanTest(mlir::Operation* op, ComparisonDirection direction, ElementKind kind) {
  const bool strict = direction == ComparisonDirection::LT || direction == ComparisonDirection::GT;
  const bool has_nan = kind == ElementKind::kComplex || (kind == ElementKind::kFloat && !ComparesInTotalOrder(op));
  return has_nan && !strict;
}

bool TestsEquality(ComparisonDirection direction) {
  return direction == ComparisonDirection::EQ || direction == ComparisonDirection::NE;
}

Expected<Values> Compare(OpContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& y = context.in(1);
  const std::optional<ComparisonDirection> found = DirectionOf(context.op);
  if (!found) return context.Fail(ExitCode::kBadInput, "has no comparison_direction");
  const ComparisonDirection direction = *found;
  Tensor out = Tensor::Make(ElementType::kI1, WidestShape({&x, &y}));
  switch (x.kind()) {
    case ElementKind::kBool:
      CompareWith<uint8_t, uint8_t>(direction, x, y, out, [](uint8_t v) { return v; });
      break;
    case ElementKind::kInteger:
      if (Info(x.type()).is_signed) {
        CompareWith<int64_t, int64_t>(direction, x, y, out, [](int64_t v) { return v; });
      } else {
        CompareWith<uint64_t, int64_t>(direction, x, y, out, [](int64_t v) { return static_cast<uint64_t>(v); });
      }
      break;
    case ElementKind::kFloat:
      if (ComparesInTotalOrder(context.op)) {
        CompareWith<int64_t, double>(direction, x, y, out, TotalOrder);
      } else {
        CompareWith<double, double>(direction, x, y, out, [](double v) { return v; });
      }
      break;
    case ElementKind::kComplex:
      CompareWith<Lexicographic, Complex>(direction, x, y, out,
                                          [](Complex v) { return Lexicographic{v.real(), v.imag()}; });
      break;
  }
  const bool same = x.IsSameValueAs(y);
  const bool signs_decide = !same && x.kind() == ElementKind::kFloat && ComparesInTotalOrder(context.op);
  const bool free_x = signs_decide && HasFreeNanBits(context.op->getOperand(0));
  const bool free_y = signs_decide && HasFreeNanBits(context.op->getOperand(1));
  if (context.bounds() && (HasErrors(x) || HasErrors(y) || free_x || free_y)) {
    Propagated propagated = CarriedErrors(out, {&x, &y});
    propagated.errors.resize(static_cast<size_t>(out.size()));
    const bool nan_decides = same && IsNanTest(context.op, direction, x.kind());
    for (int64_t i = 0; i < out.size(); ++i) {
      double& error = propagated.errors[static_cast<size_t>(i)];
      if (same) {
        // Only a value with an infinite bound may be NaN on one device and a number on another.
        error = nan_decides && std::isinf(error) ? 1 : 0;
      } else if (x.kind() == ElementKind::kInteger) {
        const double distance = DistanceOf(Info(x.type()), ValueAt<int64_t>(x, i), ValueAt<int64_t>(y, i));
        error = error > 0 && distance <= error ? 1 : 0;
      } else if (x.kind() == ElementKind::kFloat) {
        // The comparison is undecided if the operands' errors reach their distance. An infinite error always does, even
        // if the distance from an infinity or NaN is not a number.
        const double distance = std::fabs(ValueAt<double>(x, i) - ValueAt<double>(y, i));
        error = error > 0 && (std::isinf(error) || distance <= error) ? 1 : 0;
        const bool is_nan_x = std::isnan(ValueAt<double>(x, i));
        const bool is_nan_y = std::isnan(ValueAt<double>(y, i));
        const bool by_sign = (free_x && is_nan_x) || (free_y && is_nan_y);
        // A NaN equals no number, whatever its sign.
        if (by_sign && ((is_nan_x && is_nan_y) || !TestsEquality(direction))) error = 1;
      } else {
        error = error > 0 ? 1 : 0;
      }
    }
    SetElementwiseBound(context.name, out, std::move(propagated));
  }
  return Values{std::move(out)};
}

Expected<Values> Select(OpContext& context) {
  const Tensor& pred = context.in(0);
  const Tensor& yes = context.in(1);
  const Tensor& no = context.in(2);
  Tensor out = Tensor::Make(yes.type(), WidestShape({&yes, &no, &pred}));
  const bool erroneous = context.bounds() && (HasErrors(pred) || HasErrors(yes) || HasErrors(no));
  Propagated propagated;
  if (erroneous) propagated = CarriedErrors(out, {&pred, &yes, &no});
  WithStorage(yes.kind(), [&]<typename T>() {
    const auto p = pred.data<uint8_t>();
    const auto a = yes.data<T>();
    const auto b = no.data<T>();
    const auto to = out.Mutable<T>();
    const size_t sp = p.size() != 1, sa = a.size() != 1, sb = b.size() != 1;
    if (sp == 1 && sa == 1 && sb == 1) {
      // Both are loaded, so that no branch has to be predicted.
      for (size_t i = 0; i < to.size(); ++i) {
        const T if_true = a[i], if_false = b[i];
        to[i] = p[i] != 0 ? if_true : if_false;
      }
    } else {
      for (size_t i = 0; i < to.size(); ++i) to[i] = p[i * sp] ? a[i * sa] : b[i * sb];
    }
    if (!erroneous) return;
    for (size_t i = 0; i < to.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      double error = p[i * sp] ? ErrorAt(yes, at) : ErrorAt(no, at);
      if (ErrorAt(pred, at) > 0) {
        error = std::max(ErrorAt(yes, at), ErrorAt(no, at)) + ElementDistance<T>(a[i * sa], b[i * sb]);
      }
      propagated.errors[i] = error;
    }
  });
  if (erroneous) {
    // A selection does not round, so its bound has none of the ULPs that arithmetic on inexact operands adds.
    auto bound =
        MakeBound(out.size(), "propagated over " + std::to_string(propagated.depth) + " ops", propagated.depth);
    std::ranges::copy(propagated.errors, MutableSpan(*bound).begin());
    bound->zero_sign_free = true;
    out.set_bound(std::move(bound));
  }
  return Values{std::move(out)};
}

Expected<Values> Clamp(OpContext& context) {
  // Evaluates minimum(maximum(operand, min), max) with the eval functions of these ops.
  const auto& table = EvalTable();
  OpContext low{
      context.op, "stablehlo.maximum", {context.operands[1], context.operands[0]}, context.evaluator, context.scope};
  Expected<Values> raised = table.lookup("stablehlo.maximum")(low);
  if (!raised) return raised;
  OpContext high{
      context.op, "stablehlo.minimum", {(*raised)[0], context.operands[2]}, context.evaluator, context.scope};
  return table.lookup("stablehlo.minimum")(high);
}

}  // namespace

bool ComparesInTotalOrder(mlir::Operation* op) {
  const mlir::Attribute found = op->getAttr("compare_type");
  if (auto own = llvm::dyn_cast_or_null<stablehlo::ComparisonTypeAttr>(found)) {
    return own.getValue() == ComparisonType::TOTALORDER;
  }
  auto other = llvm::dyn_cast_or_null<chlo::ComparisonTypeAttr>(found);
  return other && other.getValue() == chlo::ComparisonType::TOTALORDER;
}

void AddCompareAndSelect(EvalTableType& table) {
  table["stablehlo.compare"] = &Compare;
  table["stablehlo.select"] = &Select;
  table["stablehlo.clamp"] = &Clamp;
}

void AddElementwise(EvalTableType& table) {
  AddUnary(table);
  AddBinary(table);
  AddBitwise(table);
  AddCompareAndSelect(table);
}

bool IsElementwise(std::string_view name) {
  static const llvm::StringMap<bool> names = [] {
    EvalTableType table;
    AddElementwise(table);
    AddComplexParts(table);
    AddConversions(table);
    llvm::StringMap<bool> set;
    for (const auto& entry : table) set[entry.getKey()] = true;
    // bitcast_convert is one of the conversions, but its result shape depends on the widths of both types.
    set.erase("stablehlo.bitcast_convert");
    return set;
  }();
  return names.contains(llvm::StringRef(name.data(), name.size()));
}

}  // namespace opbyop::reference
