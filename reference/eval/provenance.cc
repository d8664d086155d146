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
#include "reference/tensor/clones.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// The least and the greatest modulus of the finite numbers, {infinity, 0} if there are none, and whether there are
// others.
struct Extent {
  double least = kInf, greatest = 0;
  bool has_others = false;
};

OPBYOP_CLONES void ExtendBy(const double* values, size_t count, Extent& extent) {
  constexpr size_t kLanes = 16;
  double low[kLanes], high[kLanes], others[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    low[lane] = kInf;
    high[lane] = others[lane] = 0;
  }
  const auto extend = [&](size_t lane, double v) {
    const double modulus = std::fabs(v);
    const bool is_finite = modulus < kInf;
    const double finite = is_finite ? modulus : 0;
    low[lane] = modulus < low[lane] ? modulus : low[lane];
    high[lane] = finite > high[lane] ? finite : high[lane];
    others[lane] = is_finite ? others[lane] : 1;
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) extend(lane, values[i + lane]);
  }
  for (; i < count; ++i) extend(i % kLanes, values[i]);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    extent.least = std::min(extent.least, low[lane]);
    extent.greatest = std::max(extent.greatest, high[lane]);
    extent.has_others = extent.has_others || others[lane] > 0;
  }
}

Extent ExtentOf(const Tensor& t) {
  Extent extent;
  if (t.kind() == ElementKind::kFloat) {
    ExtendBy(t.data<double>().data(), t.data<double>().size(), extent);
  } else if (t.kind() == ElementKind::kComplex) {
    ExtendBy(reinterpret_cast<const double*>(t.data<Complex>().data()), 2 * t.data<Complex>().size(), extent);
  }
  return extent;
}

bool IsFloat(const Value& value) {
  return value.is_tensor() &&
         (value.tensor().kind() == ElementKind::kFloat || value.tensor().kind() == ElementKind::kComplex);
}

bool HasNonFinite(const Value& value) { return IsFloat(value) && ExtentOf(value.tensor()).has_others; }

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

// The values that the results are computed from: those of a collective op come from all members of its group.
const Values& SourcesOf(const OpContext& context) { return context.met.empty() ? context.operands : context.met; }

std::vector<Operand> FloatOperands(const OpContext& context) {
  std::vector<Operand> operands;
  for (const Value& value : SourcesOf(context)) {
    if (!IsFloat(value)) continue;
    const double greatest = ExtentOf(value.tensor()).greatest;
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
    const double least = ExtentOf(*b.tensor).least;
    if (a.has_cancelled() && least > 0) scale = std::max(scale, a.scale / least);
    if (b.has_cancelled() && b.greatest > 0) scale = std::max(scale, greatest * (b.scale / b.greatest));
    return std::isfinite(scale) ? scale : greatest;
  }
  for (const Operand& operand : operands) {
    if (operand.has_cancelled()) scale = std::max(scale, operand.scale);
  }
  return scale;
}

// The greatest modulus that an element of the result of integers or booleans may have on some device.
double GreatestPossible(const Tensor& t) {
  double greatest = 0;
  for (size_t i = 0; t.kind() == ElementKind::kFloat && i < t.bounds().size(); ++i) {
    const double possible = std::fabs(t.data<double>()[i]) + t.bounds()[i];
    if (std::isfinite(possible)) greatest = std::max(greatest, possible);
  }
  return greatest;
}

// True for ops whose results come from other ops, which are tracked themselves.
bool IsCallOrControlFlow(const OpContext& context) {
  return opbyop::KindOf(llvm::StringRef(context.name)) == OpKind::kControlFlow || context.name == "func.call";
}

// For each result, whether the op by itself leaves elements open.
std::vector<bool> IsOpenByItself(const OpContext& context, const std::function<Expected<Values>(OpContext&)>& alone,
                                 const Values& results) {
  std::vector<bool> open(results.size(), false);
  if (IsCallOrControlFlow(context) || std::ranges::none_of(results, HasInfiniteBound)) return open;
  // Unbounded operands make unbounded results, which are not worth a second evaluation of most ops. What NaN does to an
  // order or to a transform is.
  const Values& sources = SourcesOf(context);
  if (std::ranges::any_of(sources, HasInfiniteBound) && std::ranges::none_of(sources, HasNonFinite)) return open;
  if (!context.met.empty()) {  // a second exchange would need the other members
    for (size_t i = 0; i < open.size(); ++i) open[i] = HasInfiniteBound(results[i]);
    return open;
  }
  OpContext exact = context;
  for (Value& operand : exact.operands) {
    if (operand.is_tensor()) operand.tensor().set_bound(nullptr);
  }
  const Expected<Values> again = alone(exact);
  if (!again) return open;
  for (size_t i = 0; i < open.size() && i < again->size(); ++i) open[i] = HasInfiniteBound((*again)[i]);
  return open;
}

// Whether an element that has no finite bound is NaN of finite operands with a bound, or infinite or NaN of a zero: a
// rounding of the operands decides on which side of a pole, or of the end of a domain, they are. An overflow of large
// numbers is no such element.
bool IsAtPole(const OpContext& context, const Value& result) {
  if (!IsFloat(result) || result.tensor().kind() != ElementKind::kFloat || IsCallOrControlFlow(context)) return false;
  const Tensor& t = result.tensor();
  const std::span<const double> bounds = t.bounds(), values = t.data<double>();
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] != kInf || IsFinite(values[i])) continue;
    bool finite = true, known = true, has_zero = false;
    for (const Value& value : context.operands) {
      if (!IsFloat(value)) continue;
      const Tensor& operand = value.tensor();
      // Only an op that works element by element has operands of the shape of its result.
      finite =
          operand.kind() == ElementKind::kFloat && operand.shape() == t.shape() && IsFinite(operand.data<double>()[i]);
      if (!finite) break;
      known = known && IsFinite(ErrorAt(operand, static_cast<int64_t>(i)));
      has_zero = has_zero || operand.data<double>()[i] == 0;
    }
    if (finite && (has_zero || (known && std::isnan(values[i])))) return true;
  }
  return false;
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
  const bool is_collective = opbyop::KindOf(llvm::StringRef(context.name)) == OpKind::kCollective;
  const bool from_random = std::ranges::any_of(SourcesOf(context), IsRandom);
  const bool from_open = std::ranges::any_of(SourcesOf(context), IsOpen);
  const std::vector<Operand> operands = made_by_others ? std::vector<Operand>() : FloatOperands(context);
  const std::vector<bool> open_alone = IsOpenByItself(context, alone, results);
  const bool places = HasInexactPlaces(context);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_tensor()) continue;
    Tensor& t = results[i].tensor();
    Provenance provenance = t.provenance();
    provenance.random = provenance.random || from_random;
    provenance.open = provenance.open || from_open || open_alone[i] || (places && HasInfiniteBound(results[i])) ||
                      IsAtPole(context, results[i]);
    if (IsFloat(results[i]) && !(made_by_others && provenance.scale > 0)) {
      const double sent = is_collective ? provenance.scale : 0;  // a value of another process has its own
      provenance.scale = std::max(sent, ScaleOf(context, operands, ExtentOf(t).greatest));
      if (operands.empty() && !made_by_others) provenance.scale = std::max(provenance.scale, GreatestPossible(t));
    }
    t.set_provenance(provenance);
  }
}

}  // namespace opbyop::reference
