// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/ops/inexact_indices.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

constexpr char kWhy[] = "at inexact indices";
// Elements that are evaluated for all other indices together.
constexpr double kMostElements = 0x1p26;

bool IsInexact(const Tensor& t) {
  return HasErrors(t) && std::ranges::any_of(t.bounds(), [](double e) { return e > 0; });
}

// A number of an index vector: element `component` of each, along dimension `dimension` of an operand.
struct Component {
  size_t operand;
  int64_t stride, extent, component;
  double reach = 0;  // the greatest error

  bool Has(int64_t element) const { return element / stride % extent == component; }
};

// The numbers of index vectors that are inexact.
std::vector<Component> InexactComponents(const OpContext& context, size_t first, size_t last) {
  std::vector<Component> components;
  for (size_t o = first; o <= last; ++o) {
    const Tensor& t = context.in(o);
    if (!IsInexact(t)) continue;
    int64_t stride = 1, extent = 1;
    if (auto numbers = context.op->getAttrOfType<stablehlo::GatherDimensionNumbersAttr>("dimension_numbers")) {
      const int64_t d = numbers.getIndexVectorDim();
      if (d < t.rank()) {
        stride = StridesOf(t.shape())[static_cast<size_t>(d)];
        extent = t.dim(d);
      }
    }
    for (int64_t c = 0; c < extent; ++c) {
      Component component{o, stride, extent, c};
      for (int64_t i = 0; i < t.size(); ++i) {
        if (component.Has(i)) component.reach = std::max(component.reach, std::floor(ErrorAt(t, i)));
      }
      if (component.reach > 0) components.push_back(component);
    }
  }
  return components;
}

// The operands with that component moved by `shift`, but by no more than the error of each element.
void Shift(const Component& component, int64_t shift, Values& operands) {
  Tensor moved = operands[component.operand].tensor();
  const std::vector<double> errors(moved.bounds().begin(), moved.bounds().end());
  const ElementType type = moved.type();
  const std::span<int64_t> values = moved.Mutable<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!component.Has(static_cast<int64_t>(i))) continue;
    const double reach = std::min(errors[errors.size() == 1 ? 0 : i], std::fabs(static_cast<double>(shift)));
    if (reach < 1) continue;
    const double there = NumberOf(Info(type), values[i]) + std::copysign(std::floor(reach), static_cast<double>(shift));
    if (StaysInRange(type, there, 0)) values[i] = static_cast<int64_t>(there);
  }
  operands[component.operand] = std::move(moved);
}

// Raises each error to the distance from another result, and that one's error.
void RaiseTo(const Tensor& other, const Tensor& result, std::span<double> errors) {
  WithStorage(result.kind(), [&]<typename T>() {
    const auto a = result.data<T>(), b = other.data<T>();
    for (size_t i = 0; i < a.size(); ++i) {
      const double distance = ElementDistance<T>(b[i], a[i]);
      if (distance != 0) errors[i] = std::max(errors[i], distance + ErrorAt(other, static_cast<int64_t>(i)));
    }
  });
}

Tensor Positions(const Shape& shape) {
  Tensor t = Tensor::Make(ElementType::kF64, shape);
  double at = 0;
  for (double& v : t.Mutable<double>()) v = at++;
  return t;
}

// Gives infinite bounds to the elements that come from elsewhere if an inexact index is another one.
Expected<Values> OpenWhereIndicesDecide(OpContext& context, EvalFn eval, const std::vector<Component>& components,
                                        Values results) {
  Tensor& result = results[0].tensor();
  Values operands = context.operands;
  operands[0] = Positions(context.in(0).shape());
  const auto taken = [&](Values from) -> Expected<Values> {
    OpContext alone{context.op, context.name, std::move(from), context.evaluator, context.scope, context.expressed};
    return eval(alone);
  };
  Expected<Values> here = taken(operands);
  if (!here) return here;
  for (const Component& component : components) {
    for (const int64_t shift : {-1, 1}) {
      Values moved = operands;
      Shift(component, shift, moved);
      Expected<Values> there = taken(std::move(moved));
      if (!there) return there;
      OpenWhere(result, kWhy, [&](int64_t i) {
        return ValueAt<double>((*here)[0].tensor(), i) != ValueAt<double>((*there)[0].tensor(), i);
      });
    }
  }
  return results;
}

}  // namespace

std::optional<Places> PlacesOf(const OpContext& context) {
  const std::string_view name = context.name;
  const size_t last = context.size() - 1;
  if (name == "stablehlo.sort" || name == "chlo.top_k") return Places{0, last};
  if (name == "stablehlo.gather" || name == "stablehlo.dynamic_gather" || name == "stablehlo.torch_index_select") {
    return Places{1, 1};
  }
  if (name == "stablehlo.dynamic_slice") return Places{1, last};
  if (name == "stablehlo.dynamic_update_slice") return Places{2, last};
  if (name == "chlo.ragged_dot") return Places{2, 2};
  if (name == "stablehlo.scatter") return Places{last / 2, last / 2};
  return std::nullopt;
}

Expected<Values> WithOtherIndices(OpContext& context, EvalFn eval, Values results) {
  const auto [first, last] = *PlacesOf(context);
  const std::vector<Component> components = InexactComponents(context, first, last);
  if (components.empty()) return results;
  Tensor& result = results[0].tensor();
  double others = 1;  // infinite if an index is unbounded
  for (const Component& component : components) others *= 2 * component.reach + 1;
  if (!(others * static_cast<double>(result.size()) <= kMostElements)) {
    // Else indices decide where an operand is written.
    if (first == 1) return OpenWhereIndicesDecide(context, eval, components, std::move(results));
    OpenWhere(result, kWhy, [](int64_t) { return true; });
    return results;
  }
  std::vector<int64_t> shifts;
  shifts.reserve(components.size());
  for (const Component& component : components) shifts.push_back(-static_cast<int64_t>(component.reach));
  auto bound = CopyOfBound(result, kWhy);
  for (auto left = static_cast<int64_t>(others); left > 0; --left) {
    Values operands = context.operands;
    for (size_t c = 0; c < components.size(); ++c) Shift(components[c], shifts[c], operands);
    OpContext alone{context.op, context.name, std::move(operands), context.evaluator, context.scope, context.expressed};
    Expected<Values> there = eval(alone);
    if (!there) return there;
    RaiseTo((*there)[0].tensor(), result, MutableSpan(*bound));
    for (size_t c = 0; c < shifts.size() && ++shifts[c] > static_cast<int64_t>(components[c].reach); ++c) {
      shifts[c] = -static_cast<int64_t>(components[c].reach);
    }
  }
  result.set_bound(std::move(bound));
  return results;
}

void OpenIfIndicesAreInexact(const OpContext& context, Values& results) {
  if (!IsInexact(context.in(PlacesOf(context)->first))) return;
  for (Value& result : results) OpenWhere(result.tensor(), kWhy, [](int64_t) { return true; });
}

}  // namespace opbyop::reference
