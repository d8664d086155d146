// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/provenance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "ir/op_info.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/ops/inexact_indices.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Calls f with every finite real number of the tensor.
template <typename F>
void ForFinite(const Tensor& t, F&& f) {
  const auto see = [&](double v) {
    if (std::isfinite(v)) f(v);
  };
  if (t.kind() == ElementKind::kFloat) {
    for (const double v : t.data<double>()) see(v);
  } else if (t.kind() == ElementKind::kComplex) {
    for (const Complex v : t.data<Complex>()) {
      see(v.real());
      see(v.imag());
    }
  }
}

double GreatestModulus(const Tensor& t) {
  double greatest = 0;
  ForFinite(t, [&](double v) { greatest = std::max(greatest, std::fabs(v)); });
  return greatest;
}

double LeastModulus(const Tensor& t) {
  double least = kInf;
  ForFinite(t, [&](double v) { least = std::min(least, std::fabs(v)); });
  return least;
}

bool IsFloat(const Value& value) {
  return value.is_tensor() &&
         (value.tensor().kind() == ElementKind::kFloat || value.tensor().kind() == ElementKind::kComplex);
}

bool HasInfiniteBound(const Value& value) {
  return value.is_tensor() && std::ranges::find(value.tensor().bounds(), kInf) != value.tensor().bounds().end();
}

// A float operand. `greatest` is the greatest modulus of its elements, `scale` that of all values that they depend on.
struct Operand {
  const Tensor* tensor;
  double greatest;
  double scale;

  // True if larger values have cancelled in its computation.
  bool has_cancelled() const { return scale > greatest; }
};

std::vector<Operand> FloatOperands(const OpContext& context) {
  std::vector<Operand> operands;
  for (const Value& value : context.operands) {
    if (!IsFloat(value)) continue;
    const double greatest = GreatestModulus(value.tensor());
    operands.push_back({&value.tensor(), greatest, std::max(greatest, value.tensor().provenance().scale)});
  }
  return operands;
}

bool SumsProducts(std::string_view name) {
  const OpKind kind = opbyop::KindOf(llvm::StringRef(name));
  return kind == OpKind::kMatmul || kind == OpKind::kConvolution;
}

// True for ops that move, select or add up elements: their results have the scale of their operands.
bool KeepsScale(std::string_view name) {
  constexpr std::array kNames = {"stablehlo.abs",     "stablehlo.add",  "stablehlo.clamp",   "stablehlo.complex",
                                 "stablehlo.convert", "stablehlo.imag", "stablehlo.maximum", "stablehlo.minimum",
                                 "stablehlo.negate",  "stablehlo.real", "stablehlo.select",  "stablehlo.subtract"};
  if (std::ranges::find(kNames, name) != kNames.end()) return true;
  const OpKind kind = opbyop::KindOf(llvm::StringRef(name));
  return kind == OpKind::kDataMovement || kind == OpKind::kCollective || kind == OpKind::kReduction;
}

// The scale of a result whose elements have moduli up to `greatest`.
double ScaleOf(const OpContext& context, const std::vector<Operand>& operands, double greatest) {
  double scale = greatest;
  if (KeepsScale(context.name)) {
    for (const Operand& operand : operands) scale = std::max(scale, operand.scale);
    return scale;
  }
  const bool sums_products = SumsProducts(context.name);
  if (operands.size() == 2 && (sums_products || context.name == "stablehlo.multiply")) {
    const Operand &a = operands[0], &b = operands[1];
    // The terms of a sum of products may be larger than the sum. For a single product only the cancellation in its
    // factors matters.
    if (sums_products || a.has_cancelled()) scale = std::max(scale, a.scale * b.greatest);
    if (sums_products || b.has_cancelled()) scale = std::max(scale, a.greatest * b.scale);
    return std::isfinite(scale) ? scale : greatest;
  }
  if (operands.size() == 2 && context.name == "stablehlo.divide") {
    const Operand &a = operands[0], &b = operands[1];
    const double least = LeastModulus(*b.tensor);
    if (a.has_cancelled() && least > 0) scale = std::max(scale, a.scale / least);
    if (b.has_cancelled() && b.greatest > 0) scale = std::max(scale, greatest * (b.scale / b.greatest));
    return std::isfinite(scale) ? scale : greatest;
  }
  for (const Operand& operand : operands) {
    if (operand.has_cancelled()) scale = std::max(scale, operand.scale);
  }
  return scale;
}

// True for ops whose results come from other ops, which are tracked themselves.
bool IsCallOrControlFlow(const OpContext& context) {
  return opbyop::KindOf(llvm::StringRef(context.name)) == OpKind::kControlFlow || context.name == "func.call";
}

// For each result, whether the op by itself leaves elements open.
std::vector<bool> IsOpenByItself(const OpContext& context, const std::function<Expected<Values>(OpContext&)>& alone,
                                 const Values& results) {
  std::vector<bool> open(results.size(), false);
  const bool may_be = std::ranges::any_of(results, HasInfiniteBound) &&
                      std::ranges::none_of(context.operands, HasInfiniteBound) && !IsCallOrControlFlow(context);
  if (!may_be) return open;
  OpContext exact = context;
  for (Value& operand : exact.operands) {
    if (operand.is_tensor()) operand.tensor().set_bound(nullptr);
  }
  const Expected<Values> again = alone(exact);
  if (!again) return open;
  for (size_t i = 0; i < open.size() && i < again->size(); ++i) open[i] = HasInfiniteBound((*again)[i]);
  return open;
}

// Whether inexact numbers decide which elements the op takes, or where it puts them.
bool HasInexactPlaces(const OpContext& context) {
  const std::optional<Places> places = PlacesOf(context);
  if (!places) return false;
  for (size_t i = places->first; i <= places->last; ++i) {
    if (context.operands[i].is_tensor() && HasErrors(context.in(i))) return true;
  }
  return false;
}

bool IsRandom(const Value& value) {
  if (!value.is_tensor()) return false;
  const Tensor& t = value.tensor();
  return t.provenance().random || (t.bound() && t.bound()->random);
}

bool IsOpen(const Value& value) { return value.is_tensor() && (value.tensor().provenance().open || IsRandom(value)); }

}  // namespace

void TrackProvenance(const OpContext& context, const std::function<Expected<Values>(OpContext&)>& alone,
                     Values& results) {
  const bool made_by_others = IsCallOrControlFlow(context);
  const bool from_random = std::ranges::any_of(context.operands, IsRandom);
  const bool from_open = std::ranges::any_of(context.operands, IsOpen);
  const std::vector<Operand> operands = made_by_others ? std::vector<Operand>() : FloatOperands(context);
  const std::vector<bool> open_alone = IsOpenByItself(context, alone, results);
  const bool places = HasInexactPlaces(context);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_tensor()) continue;
    Tensor& t = results[i].tensor();
    Provenance provenance = t.provenance();
    provenance.random = provenance.random || from_random;
    provenance.open = provenance.open || from_open || open_alone[i] || (places && HasInfiniteBound(results[i]));
    if (IsFloat(results[i]) && !(made_by_others && provenance.scale > 0)) {
      provenance.scale = ScaleOf(context, operands, GreatestModulus(t));
    }
    t.set_provenance(provenance);
  }
}

}  // namespace opbyop::reference
