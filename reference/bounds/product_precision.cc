// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/product_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"

namespace opbyop::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

int PrecisionBits(const llvm::fltSemantics& format) {
  return static_cast<int>(llvm::APFloat::semanticsPrecision(format));
}

double Least(const llvm::fltSemantics& format) { return llvm::APFloat::getSmallest(format).convertToDouble(); }
double Greatest(const llvm::fltSemantics& format) { return llvm::APFloat::getLargest(format).convertToDouble(); }

const llvm::fltSemantics* FormatOf(mlir::Type type) {
  auto floating = llvm::dyn_cast_or_null<mlir::FloatType>(type);
  return floating ? &floating.getFloatSemantics() : nullptr;
}

// The least number of components that have so many products.
int64_t ComponentsFor(int64_t products) {
  int64_t components = 1;
  while (components * components < products) ++components;
  return components;
}

// Nothing where every number of the operand's type is one of the format.
std::optional<OperandSplit> SplitOf(ElementType operand, const llvm::fltSemantics* format, int64_t components) {
  const FloatFormat* own = Info(operand).format;
  if (format == nullptr || own == nullptr) return std::nullopt;
  const bool fits =
      own->precision <= PrecisionBits(*format) && own->max_finite <= Greatest(*format) && own->Ulp(0) >= Least(*format);
  return fits ? std::nullopt : std::optional(OperandSplit{format, components});
}

// The products of the components are taken in the order of their size, the first `taken` of them; the others amount to
// at most so much of the product of the operands.
double Dropped(const OperandSplit& lhs, const OperandSplit& rhs, int64_t taken) {
  std::vector<double> sizes;
  for (int64_t i = 0; i < lhs.components; ++i) {
    for (int64_t j = 0; j < rhs.components; ++j) {
      sizes.push_back(std::ldexp(
          1.0, -PrecisionBits(*lhs.format) * static_cast<int>(i) - PrecisionBits(*rhs.format) * static_cast<int>(j)));
    }
  }
  std::ranges::sort(sizes, std::greater());
  double dropped = 0;
  for (size_t k = static_cast<size_t>(std::max<int64_t>(taken, 1)); k < sizes.size(); ++k) dropped += sizes[k];
  return dropped;
}

// How far one element is from the sum of its components.
double ConversionError(double value, const OperandSplit& split) {
  if (!std::isfinite(value)) return 0;
  double rest = value;
  for (int64_t k = 0; k < split.components && rest != 0; ++k) {
    llvm::APFloat component(rest);
    bool loses = false;
    component.convert(*split.format, llvm::APFloat::rmNearestTiesToEven, &loses);
    if (!component.isFinite()) return kInf;
    rest -= component.convertToDouble();
  }
  if (rest == 0) return 0;
  const int bits = PrecisionBits(*split.format) * static_cast<int>(split.components);
  return std::max(std::ldexp(std::fabs(value), -bits), Least(*split.format));
}

}  // namespace

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
  struct Declared {
    std::string_view name;
    const llvm::fltSemantics& format;
    int64_t components;
    int64_t products;
  };
  static const std::array kDeclared = {
      Declared{"tf32", llvm::APFloat::FloatTF32(), 1, 1},
      Declared{"f16", llvm::APFloat::IEEEhalf(), 1, 1},
      Declared{"bf16", llvm::APFloat::BFloat(), 1, 1},
      Declared{"bf16x3", llvm::APFloat::BFloat(), 2, 3},
  };
  ProductPrecision precision;
  const auto* const found = std::ranges::find(kDeclared, name, &Declared::name);
  if (found == kDeclared.end()) return precision;
  precision.products = found->products;
  precision.lhs = SplitOf(lhs, &found->format, found->components);
  precision.rhs = SplitOf(rhs, &found->format, found->components);
  if (!precision.lhs && !precision.rhs) return {};
  if (precision.lhs && precision.rhs) precision.dropped = Dropped(*precision.lhs, *precision.rhs, precision.products);
  return precision;
}

double ProductPrecision::variance() const {
  double variance = dropped * dropped / 3;
  for (const std::optional<OperandSplit>& split : {lhs, rhs}) {
    if (!split) continue;
    variance += std::ldexp(1.0, -2 * PrecisionBits(*split->format) * static_cast<int>(split->components)) / 3;
  }
  return variance;
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
