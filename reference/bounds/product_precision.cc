// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/product_precision.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "manifests/targets/arithmetic.h"
#include "reference/bounds/bound.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

int PrecisionBits(const llvm::fltSemantics& format) {
  return static_cast<int>(llvm::APFloat::semanticsPrecision(format));
}

double Least(const llvm::fltSemantics& format) { return llvm::APFloat::getSmallest(format).convertToDouble(); }
double Greatest(const llvm::fltSemantics& format) { return llvm::APFloat::getLargest(format).convertToDouble(); }

const llvm::fltSemantics* FormatOf(mlir::Type type) {
  auto floating = llvm::dyn_cast_or_null<mlir::FloatType>(type);
  return floating ? &floating.getFloatSemantics() : nullptr;
}

// Returns nullptr if the name leaves operands in their own type.
const llvm::fltSemantics* FormatNamed(std::string_view name) {
  if (name == "tf32") return &llvm::APFloat::FloatTF32();
  if (name == "f16") return &llvm::APFloat::IEEEhalf();
  if (name == "bf16") return &llvm::APFloat::BFloat();
  return nullptr;
}

// The least number of components per operand that gives this many products.
int64_t ComponentsFor(int64_t products) {
  int64_t components = 1;
  while (components * components < products) ++components;
  return components;
}

// Returns nullopt if every number of the operand's type is one of the format.
std::optional<OperandSplit> SplitOf(ElementType operand, const llvm::fltSemantics* format, int64_t components,
                                    bool toward_zero = false) {
  const FloatFormat* own = Info(operand).format;
  if (format == nullptr || own == nullptr) return std::nullopt;
  const bool fits =
      own->precision <= PrecisionBits(*format) && own->max_finite <= Greatest(*format) && own->Ulp(0) >= Least(*format);
  return fits ? std::nullopt : std::optional(OperandSplit{format, components, toward_zero});
}

// The greatest modulus of component k, relative to the number.
double SizeOf(const OperandSplit& split, int64_t k) {
  return k == 0 ? 1 : OperandSplit{split.format, k, split.toward_zero}.Unit();
}

// A device computes the `taken` largest products of components. Returns the greatest sum of the others, relative to the
// product of the operands.
double Dropped(const OperandSplit& lhs, const OperandSplit& rhs, int64_t taken) {
  std::vector<double> sizes;
  for (int64_t i = 0; i < lhs.components; ++i) {
    for (int64_t j = 0; j < rhs.components; ++j) {
      sizes.push_back(SizeOf(lhs, i) * SizeOf(rhs, j));
    }
  }
  std::ranges::sort(sizes, std::greater());
  double dropped = 0;
  for (size_t k = static_cast<size_t>(std::max<int64_t>(taken, 1)); k < sizes.size(); ++k) dropped += sizes[k];
  return dropped;
}

// The remainder of an element after its components have been taken away, each rounded in this direction. Zero if the
// element is their sum, infinite if a component overflows.
double RestOf(double value, const OperandSplit& split, llvm::RoundingMode rounding) {
  double rest = value;
  for (int64_t k = 0; k < split.components && rest != 0; ++k) {
    llvm::APFloat component(rest);
    bool loses = false;
    component.convert(*split.format, rounding, &loses);
    if (!component.isFinite()) return kInf;
    rest -= component.convertToDouble();
  }
  return rest;
}

// The greatest distance of an element from the sum of its components.
double ConversionError(double value, const OperandSplit& split) {
  if (!std::isfinite(value)) return 0;
  double rest = RestOf(value, split, llvm::APFloat::rmNearestTiesToEven);
  if (rest == 0 && split.toward_zero) rest = RestOf(value, split, llvm::APFloat::rmTowardZero);
  if (rest == 0 || std::isinf(rest)) return rest;
  return std::max(std::fabs(value) * split.Unit(), Least(*split.format));
}

}  // namespace

double OperandSplit::Unit() const {
  return std::ldexp(1.0, (toward_zero ? 1 : 0) - PrecisionBits(*format) * static_cast<int>(components));
}

ProductPrecision PrecisionOf(mlir::Operation* op, ElementType lhs, ElementType rhs) {
  ProductPrecision precision;
  const auto algorithm = op->getAttrOfType<stablehlo::DotAlgorithmAttr>("algorithm");
  if (!algorithm) return precision;
  precision.products = std::max<int64_t>(algorithm.getNumPrimitiveOperations(), 1);
  const int64_t components = ComponentsFor(precision.products);
  precision.lhs =
      SplitOf(lhs, FormatOf(algorithm.getLhsPrecisionType()), std::max(components, algorithm.getLhsComponentCount()));
  precision.rhs =
      SplitOf(rhs, FormatOf(algorithm.getRhsPrecisionType()), std::max(components, algorithm.getRhsComponentCount()));
  if (precision.lhs && precision.rhs) precision.dropped = Dropped(*precision.lhs, *precision.rhs, precision.products);
  if (const llvm::fltSemantics* sums = FormatOf(algorithm.getAccumulationType())) {
    precision.unit = std::ldexp(1.0, -PrecisionBits(*sums));
    precision.underflow = sums == &llvm::APFloat::IEEEdouble() ? Least(*sums) : Least(*sums) / 2;
    precision.greatest = Greatest(*sums);
  }
  return precision;
}

ProductPrecision DeclaredPrecision(std::string_view name, ElementType lhs, ElementType rhs) {
  const FactorFormat* declared = FindFactorFormat(name);
  const llvm::fltSemantics* format = declared == nullptr ? nullptr : FormatNamed(declared->format);
  const auto is_f64 = [](ElementType type) { return PartOf(type) == ElementType::kF64; };
  if (format == nullptr || is_f64(lhs) || is_f64(rhs)) return {};
  ProductPrecision precision;
  precision.products = declared->products;
  precision.lhs = SplitOf(lhs, format, declared->components, declared->toward_zero);
  precision.rhs = SplitOf(rhs, format, declared->components, declared->toward_zero);
  if (!precision.lhs && !precision.rhs) return {};
  if (precision.lhs && precision.rhs) precision.dropped = Dropped(*precision.lhs, *precision.rhs, precision.products);
  return precision;
}

double ProductPrecision::variance() const {
  double variance = 0;
  bool one_direction = false;
  for (const std::optional<OperandSplit>& split : {lhs, rhs}) {
    if (!split) continue;
    one_direction = one_direction || split->toward_zero;
    // The error is taken to be uniform in [-U, U], or in [0, U] if components are rounded toward zero.
    variance += split->Unit() * split->Unit() / (split->toward_zero ? 12 : 3);
  }
  return variance + dropped * dropped / (one_direction ? 12 : 3);
}

double ProductPrecision::bias() const {
  double bias = 0;
  for (const std::optional<OperandSplit>& split : {lhs, rhs}) {
    if (split && split->toward_zero) bias += split->Unit() / 2;
  }
  return bias > 0 ? bias + dropped / 4 : 0;
}

Tensor WithConversionErrors(const Tensor& t, const std::optional<OperandSplit>& split) {
  if (!split || t.kind() != ElementKind::kFloat) return t;
  auto bound = CopyOfBound(t, "converted");
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t i = 0; i < errors.size(); ++i) errors[i] += ConversionError(t.data<double>()[i], *split);
  if (std::ranges::all_of(errors, [](double e) { return e == 0; })) return t;
  Tensor out = t;
  out.set_bound(std::move(bound));
  return out;
}

}  // namespace opbyop::reference
