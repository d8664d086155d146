// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// batch_norm_inference, batch_norm_training, batch_norm_grad. Each result is rounded once, at the end.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Sizes that view the operand as [before, features, after].
struct Layout {
  int64_t before = 1, features = 1, after = 1;
  int64_t per_feature() const { return before * after; }
  template <typename Fn>
  void ForEach(Fn&& fn) const {
    for (int64_t b = 0; b < before; ++b) {
      for (int64_t f = 0; f < features; ++f) {
        for (int64_t a = 0; a < after; ++a)
          fn(static_cast<size_t>((b * features + f) * after + a), static_cast<size_t>(f));
      }
    }
  }
};

Layout LayoutOf(const OpContext& context) {
  const Shape& shape = context.in(0).shape();
  const int64_t feature = context.Int("feature_index");
  Layout layout;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    (at < feature ? layout.before : at == feature ? layout.features : layout.after) *= shape[d];
  }
  return layout;
}

double Epsilon(const OpContext& context) {
  const auto value = context.op->getAttrOfType<mlir::FloatAttr>("epsilon");
  return value ? value.getValueAsDouble() : 0;
}

// The values of an operand and the error of each.
class Operand {
 public:
  explicit Operand(const Tensor& tensor) : values_(tensor.data<double>()), errors_(tensor.bounds()) {}
  Operand(std::span<const double> values, std::span<const double> errors) : values_(values), errors_(errors) {}
  double operator[](size_t i) const { return values_[i]; }
  double error(size_t i) const { return errors_.empty() ? 0 : errors_[i]; }
  // False if the element is certainly zero. It then adds nothing to a sum, and no rounding.
  bool counts(size_t i) const { return values_[i] != 0 || error(i) > 0; }
  // The greatest modulus that the element may have. 0 if it is not finite, since it then has the same effect in every
  // order.
  double most(size_t i) const { return std::isfinite(values_[i]) ? std::fabs(values_[i]) + error(i) : 0; }

 private:
  std::span<const double> values_, errors_;
};

// `value` is 1 / sqrt(variance + epsilon), `most` is its value if the variance is less by its error. 1/sqrt is convex,
// so an error of the variance lowers it by less than it raises it.
struct Inverse {
  double value, most;
  double rise() const { return most > value ? most - value : 0; }
};
Inverse InverseDeviation(const Operand& variance, size_t f, double epsilon) {
  const double spread = variance[f] + epsilon;
  const double value = 1 / std::sqrt(spread);
  if (variance.error(f) == 0) return {value, value};
  const double least = spread - variance.error(f);
  return {value, least > 0 ? 1 / std::sqrt(least) : kInf};
}

// The relative error of one addition in a sum, for device and reference together. The specification writes sums in the
// type. In types with fewer digits than f16 they would stop growing after some hundred terms, so they are added up in
// f32, as in products. The steps before and after a sum may round to the type.
double UnitOfSums(const FloatFormat& format) {
  const bool stands_still = format.precision < FormatOf(ElementType::kF16).precision;
  return stands_still ? FormatOf(ElementType::kF32).UnitRoundoff() : RoundoffOfBoth(format);
}

// Returns a * b, but 0 for 0 times an infinite error.
double Times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// Sets a bound of `error(i)` plus half an ULP each for the reference's and the device's rounding. An infinite error
// leaves the element open. An element that is not finite and has a finite error must be matched exactly.
template <typename Fn>
void SetBound(const OpContext& context, Tensor& out, std::string rule, Fn&& error) {
  const FloatFormat& format = FormatOf(out.type());
  std::vector<const Tensor*> operands;
  operands.reserve(context.size());
  for (size_t i = 0; i < context.size(); ++i) operands.push_back(&context.in(i));
  const int depth = DepthOf(operands) + 1;
  if (depth > 1) rule += ", propagated over " + std::to_string(depth) + " ops";
  auto bound = MakeBound(out.size(), std::move(rule), depth);
  bound->zero_sign_free = true;
  const auto values = out.data<double>();
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t i = 0; i < errors.size(); ++i) {
    const double e = error(i);
    if (e == kInf) {
      errors[i] = kInf;
    } else if (std::isfinite(values[i])) {
      errors[i] = (std::isnan(e) ? kInf : e) + format.Ulp(values[i]);
    }
  }
  out.set_bound(std::move(bound));
}

// Sets the standard deviation of the rounding errors for a result that is factor(f) times a sum over each feature. The
// variance is factor(f)^2 (variance of the sum + roundings_of_term u^2/3 * squares), plus that of the steps after the
// sum. Sets nothing for f64, in which the reference's sums are no more accurate than a device's, or if operands have
// errors.
template <typename Factor>
void SetDeviations(const OpContext& context, Tensor& out, double n, const std::vector<double>& squares,
                   const std::vector<double>& sums, double roundings_of_term, Factor&& factor) {
  const FloatFormat& format = FormatOf(out.type());
  bool exact = true;
  for (size_t i = 0; i < context.size(); ++i) exact = exact && !HasErrors(context.in(i));
  if (!context.evaluator.options().deviations || !exact || format.precision == 53) return;
  auto bound = std::make_shared<Bound>(*out.bound());
  bound->deviations = Buffer(squares.size() * sizeof(double));
  auto* const deviations = reinterpret_cast<double*>(bound->deviations.data());
  // Roundings of a square root and the quotient after it.
  constexpr double kRoundingsAfter = 3;
  const double unit = format.UnitRoundoff();
  for (size_t f = 0; f < squares.size(); ++f) {
    const std::optional<double> variance = VarianceOfSum(unit, n, squares[f], sums[f]);
    if (!variance) return;
    const double value = sums[f] * factor(f);
    const double ulp = format.Ulp(value);
    const double of_sum = *variance + roundings_of_term * unit * unit / 3 * squares[f];
    const double total =
        of_sum * factor(f) * factor(f) + kRoundingsAfter * unit * unit / 3 * value * value + ulp * ulp / 6;
    deviations[f] = std::isfinite(total) ? std::sqrt(total) : 0;
  }
  if (context.evaluator.options().likely) {
    bound->values = CopyOfBound(out, "")->values;  // the copy above shares them
    NarrowToLikely(*bound, bound->deviation_span());
  }
  out.set_bound(std::move(bound));
}

Tensor Normalize(const OpContext& context, const Layout& layout, std::span<const double> mean,
                 std::span<const double> variance) {
  const Tensor& operand = context.in(0);
  const Operand x(operand), scale(context.in(1)), offset(context.in(2));
  const double epsilon = Epsilon(context);
  Tensor out = Tensor::Make(operand.type(), operand.shape());
  const auto y = out.Mutable<double>();
  layout.ForEach(
      [&](size_t i, size_t f) { y[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f]; });
  RoundResult(out);
  return out;
}

// The error of (x - mean) / sqrt(variance + epsilon) * scale + offset: eight roundings of the terms that the formula
// adds up, and the effect of the operands' errors. This also covers the form x * (scale / deviation) + (offset - mean *
// scale / deviation). Infinite if a step of one of the forms may overflow.
std::vector<double> NormalizationErrors(const OpContext& context, const Layout& layout, const Operand& mean,
                                        const Operand& variance) {
  const FloatFormat& format = FormatOf(context.in(0).type());
  const double unit = RoundoffOfBoth(format);
  const double normal = std::ldexp(1.0, format.min_exponent);
  // Terms that are subnormal in f32 may be flushed to zero. Subnormals of narrower types are normal numbers in f32.
  const double least = format.min_exponent <= -126 ? normal : 0;
  const Operand x(context.in(0)), scale(context.in(1)), offset(context.in(2));
  const double epsilon = Epsilon(context);
  std::vector<Inverse> inverse;
  inverse.reserve(static_cast<size_t>(layout.features));
  for (size_t f = 0; f < static_cast<size_t>(layout.features); ++f) {
    inverse.push_back(InverseDeviation(variance, f, epsilon));
  }
  std::vector<double> errors(static_cast<size_t>(context.in(0).size()));
  layout.ForEach([&](size_t i, size_t f) {
    const double spread = x.most(i) + mean.most(f);
    const double scaled = Times(spread, Times(inverse[f].most, scale.most(f)));
    const double factor = Times(inverse[f].most, scale.most(f));
    // The error caused by a partial product that is subnormal, and so may be zero or have few bits.
    const auto vanishes = [&](double partial, double rest) { return partial < normal ? Times(normal, rest) : 0; };
    // The loss if a term or sum itself is subnormal: x * factor, mean * factor, offset - mean * factor, the result, or
    // x - mean before it is multiplied.
    const double nothing = spread + offset.most(f) > 0 ? format.Ulp(0) + least : 0;
    const double underflow = vanishes(factor, spread) + vanishes(Times(spread, scale.most(f)), inverse[f].most) +
                             vanishes(Times(spread, inverse[f].most), scale.most(f)) + 4 * nothing +
                             Times(nothing, factor);
    const double own = 8 * unit * (scaled + offset.most(f)) + underflow;
    // z = (x - mean) / deviation, with an error of ez.
    const double z = std::fabs(x[i] - mean[f]) * inverse[f].value;
    const double ez =
        Times(x.error(i) + mean.error(f), inverse[f].most) + Times(std::fabs(x[i] - mean[f]), inverse[f].rise());
    const double carried = Times(std::fabs(scale[f]), ez) + Times(scale.error(f), z + ez) + offset.error(f);
    // The greatest intermediate value, in whatever order the three factors are multiplied.
    const double partial = std::max({spread, Times(spread, inverse[f].most), Times(spread, scale.most(f)), factor,
                                     scaled, scaled + offset.most(f)});
    const bool overflows = partial > format.max_finite;
    // If the scale is infinite, (x - mean) times infinity is infinite, but x times infinity minus mean times infinity
    // is NaN. If x or mean is infinite, its product with scale / deviation is NaN if that quotient underflows to zero.
    const bool infinite = std::isinf(x[i]) || std::isinf(mean[f]);
    const bool forms_differ = (std::isinf(scale[f]) || (infinite && factor < normal && scale[f] != 0)) &&
                              !std::isnan(x[i] - mean[f] + variance[f]);
    errors[i] = overflows || forms_differ ? kInf : own + carried;
  });
  return errors;
}

Expected<Values> Inference(OpContext& context) {
  if (context.in(0).kind() != ElementKind::kFloat) return context.Unsupported("batch_norm of this type");
  const Layout layout = LayoutOf(context);
  const Tensor& mean = context.in(3);
  const Tensor& variance = context.in(4);
  Tensor out = Normalize(context, layout, mean.data<double>(), variance.data<double>());
  if (context.bounds()) {
    const std::vector<double> errors = NormalizationErrors(context, layout, Operand(mean), Operand(variance));
    SetBound(context, out, "8 roundings of |x|,|mean|,|offset|", [&](size_t i) { return errors[i]; });
  }
  return Values{std::move(out)};
}

struct Moments {
  std::vector<double> mean, variance;
};

Moments MomentsOf(const Tensor& operand, const Layout& layout) {
  const auto features = static_cast<size_t>(layout.features);
  const auto n = static_cast<double>(layout.per_feature());
  Moments m{std::vector<double>(features), std::vector<double>(features)};
  const auto x = operand.data<double>();
  layout.ForEach([&](size_t i, size_t f) { m.mean[f] += x[i]; });
  for (double& v : m.mean) v /= n;
  layout.ForEach([&](size_t i, size_t f) { m.variance[f] += (x[i] - m.mean[f]) * (x[i] - m.mean[f]); });
  for (double& v : m.variance) v /= n;
  return m;
}

// The errors of computed moments: their own, by rounding, and those carried over from the operand's errors e. The mean
// changes by at most the mean of e. The deviation is a norm of x - mean, so it changes by at most sqrt(mean of e^2).
struct MomentErrors {
  std::vector<double> own_mean, own_variance;  // rounding errors of the sums
  std::vector<double> mean, variance;          // carried over from the operand
};

MomentErrors MomentErrorsOf(const Tensor& operand, const Layout& layout, const Moments& m) {
  const FloatFormat& format = FormatOf(operand.type());
  const double unit = RoundoffOfBoth(format), unit_of_sums = UnitOfSums(format);
  const auto features = static_cast<size_t>(layout.features);
  const auto n = static_cast<double>(layout.per_feature());
  const Operand x(operand);
  std::vector<double> size(features), square(features), error(features), error_square(features), terms(features);
  layout.ForEach([&](size_t i, size_t f) {
    terms[f] += x.counts(i);
    size[f] += x.most(i);
    square[f] += x.most(i) * x.most(i);
    error[f] += x.error(i);
    error_square[f] += x.error(i) * x.error(i);
  });
  MomentErrors errors;
  for (size_t f = 0; f < features; ++f) {
    const double deviation = std::sqrt(m.variance[f]);
    const double moved = std::sqrt(error_square[f] / n);
    errors.mean.push_back(error[f] / n);
    errors.variance.push_back(2 * deviation * moved + moved * moved);
    const bool overflows = std::max(size[f], square[f]) > format.max_finite;
    const double mean = std::fabs(m.mean[f]) + errors.mean[f];
    // A running mean [Welford 1962] rounds at zeros too. Step k has the rounding errors of a mean of k numbers and of
    // its change, and contributes k/n of them to the result. The running mean of an infinity becomes NaN, so an infinite
    // mean is open.
    const double roundings = terms[f] == 0 ? 0 : n + 3 + 2 * std::log(n);
    const double own = roundings * unit_of_sums * size[f] / n + unit * std::fabs(m.mean[f]);
    errors.own_mean.push_back(overflows ? kInf : own);
    // The formula E[x^2] - E[x]^2 is allowed too, including its cancellation.
    const double sums = m.variance[f] + errors.variance[f] + 2 * mean * mean;
    const double own_variance = std::isfinite(sums) ? (n * unit_of_sums + 4 * unit) * sums + 2 * mean * own : 0;
    errors.own_variance.push_back(overflows ? kInf : own_variance);
  }
  return errors;
}

Tensor Rounded(ElementType type, const std::vector<double>& values) {
  Tensor out = Tensor::Of<double>(type, {static_cast<int64_t>(values.size())}, values);
  RoundResult(out);
  return out;
}

Expected<Values> Training(OpContext& context) {
  const Tensor& operand = context.in(0);
  if (operand.kind() != ElementKind::kFloat) return context.Unsupported("batch_norm of this type");
  const Layout layout = LayoutOf(context);
  const Moments m = MomentsOf(operand, layout);
  Tensor out = Normalize(context, layout, m.mean, m.variance);
  Tensor mean = Rounded(operand.type(), m.mean);
  Tensor variance = Rounded(operand.type(), m.variance);
  if (context.bounds()) {
    const double epsilon = Epsilon(context);
    const MomentErrors moved = MomentErrorsOf(operand, layout, m);
    std::vector<double> errors =
        NormalizationErrors(context, layout, Operand(m.mean, moved.mean), Operand(m.variance, moved.variance));
    const Operand scale(context.in(1)), offset(context.in(2));
    const auto y = out.data<double>();
    // Adds the effect of the errors of the device's own moments, to first order.
    layout.ForEach([&](size_t i, size_t f) {
      // A step that may overflow on the device leaves numbers and infinities open: infinite sums may cancel to NaN.
      if (std::max({errors[i], moved.own_mean[f], moved.own_variance[f]}) == kInf && !std::isnan(y[i])) {
        errors[i] = kInf;
        return;
      }
      const double least = m.variance[f] - moved.variance[f] + epsilon;
      const double spread = moved.variance[f] == 0 ? m.variance[f] + epsilon : least > 0 ? least : 0;
      errors[i] += scale.most(f) * moved.own_mean[f] / std::sqrt(spread) +
                   std::fabs(y[i] - offset[f]) * moved.own_variance[f] / (2 * spread);
    });
    const std::string rule = "moments of " + std::to_string(layout.per_feature()) + " terms";
    SetBound(context, out, rule, [&](size_t i) { return errors[i]; });
    SetBound(context, mean, rule, [&](size_t f) { return moved.own_mean[f] + moved.mean[f]; });
    SetBound(context, variance, rule, [&](size_t f) { return moved.own_variance[f] + moved.variance[f]; });
    const auto n = static_cast<double>(layout.per_feature());
    std::vector<double> squares(m.mean.size()), sums;
    layout.ForEach([&](size_t i, size_t f) { squares[f] += operand.data<double>()[i] * operand.data<double>()[i]; });
    for (const double v : m.mean) sums.push_back(v * n);
    SetDeviations(context, mean, n, squares, sums, 0, [&](size_t) { return 1 / n; });
  }
  return Values{std::move(out), std::move(mean), std::move(variance)};
}

// Let P = sum g (x - mean) and S = sum g over the n elements of a feature, and d = sqrt(variance + epsilon). The
// gradient of scale is P / d, that of offset is S, and that of the operand is scale / (d n) * (n g - S - P (x - mean) /
// d^2).
Expected<Values> Grad(OpContext& context) {
  const Tensor& operand = context.in(0);
  if (operand.kind() != ElementKind::kFloat) return context.Unsupported("batch_norm of this type");
  const Layout layout = LayoutOf(context);
  const Operand x(operand), scale(context.in(1)), mean(context.in(2)), variance(context.in(3)), grad(context.in(4));
  const double epsilon = Epsilon(context);
  const auto n = static_cast<double>(layout.per_feature());
  const auto features = static_cast<size_t>(layout.features);
  std::vector<double> sum(features), product(features);
  layout.ForEach([&](size_t i, size_t f) {
    sum[f] += grad[i];
    product[f] += grad[i] * (x[i] - mean[f]);
  });
  Tensor grad_operand = Tensor::Make(operand.type(), operand.shape());
  const auto out = grad_operand.Mutable<double>();
  layout.ForEach([&](size_t i, size_t f) {
    const double spread = variance[f] + epsilon;
    const double factor = scale[f] / std::sqrt(spread) / n;
    out[i] = factor * (n * grad[i] - sum[f] - product[f] * (x[i] - mean[f]) / spread);
  });
  RoundResult(grad_operand);
  std::vector<double> scale_values(features);
  for (size_t f = 0; f < features; ++f) scale_values[f] = product[f] / std::sqrt(variance[f] + epsilon);
  Tensor grad_scale = Rounded(operand.type(), scale_values);
  Tensor grad_offset = Rounded(operand.type(), sum);
  if (context.bounds()) {
    const FloatFormat& format = FormatOf(operand.type());
    // A device that flushes does so with steps that are subnormal in f32. Subnormals of narrower types are normal there.
    const bool flushes = context.evaluator.options().flushes && format.min_exponent <= -126;
    const double least = flushes ? std::ldexp(1.0, format.min_exponent) : 0;
    // Roundings of the sums, whose terms are multiples of the gradient, and of eight further steps.
    std::vector<double> unit(features, 8 * RoundoffOfBoth(format));
    layout.ForEach([&](size_t i, size_t f) { unit[f] += UnitOfSums(format) * grad.counts(i); });
    // For the sums S and P: the size on which their roundings act, and the error that the operands' errors cause.
    std::vector<double> sum_size(features), sum_error(features), product_size(features), product_error(features);
    layout.ForEach([&](size_t i, size_t f) {
      sum_size[f] += grad.most(i);
      sum_error[f] += grad.error(i);
      // A difference that overflows is infinite, and NaN once it is multiplied by a gradient of zero.
      const double spread = x.most(i) + mean.most(f);
      product_size[f] += spread > format.max_finite ? kInf : grad.most(i) * spread;
      const double difference = std::fabs(x[i] - mean[f]);
      const double moved = x.error(i) + mean.error(f);
      product_error[f] += Times(std::fabs(grad[i]), moved) + Times(grad.error(i), difference + moved);
    });
    std::vector<Inverse> inverse;
    inverse.reserve(features);
    for (size_t f = 0; f < features; ++f) inverse.push_back(InverseDeviation(variance, f, epsilon));
    std::vector<double> errors(static_cast<size_t>(operand.size()));
    layout.ForEach([&](size_t i, size_t f) {
      const Inverse d = inverse[f];
      const double difference = std::fabs(x[i] - mean[f]);
      const double moved = x.error(i) + mean.error(f);
      const double span = Times(x.most(i) + mean.most(f), d.most * d.most);
      const double terms = n * grad.most(i) + sum_size[f] + Times(product_size[f], span);
      const double factor_size = Times(scale.most(f), d.most) / n;
      // The loss in steps with subnormal results: the n terms of P, S / n, P (x - mean), scale / (d n) and the product
      // of all of them, in whatever order.
      const double lost =
          terms > 0 ? Times(factor_size, n * (span + 1) + d.most * d.most) + Times(terms, 1 + d.most) + 2 + d.most : 0;
      const double own = unit[f] * Times(factor_size, terms) + Times(lost, format.Ulp(0) + least);
      // The bracket (n g - S - P (x - mean) / d^2) and its error, then the factor scale / (d n) and its error.
      const double quotient = difference * d.value * d.value;
      const double quotient_error =
          Times(moved, d.most * d.most) + Times(difference, d.most * d.most - d.value * d.value);
      const double bracket = std::fabs(n * grad[i] - sum[f] - product[f] * (x[i] - mean[f]) * d.value * d.value);
      const double bracket_error = n * grad.error(i) + sum_error[f] +
                                   Times(product_error[f], quotient + quotient_error) +
                                   Times(std::fabs(product[f]), quotient_error);
      const double factor = std::fabs(scale[f]) * d.value / n;
      const double factor_error = (Times(scale.error(f), d.most) + Times(std::fabs(scale[f]), d.rise())) / n;
      const double carried = Times(factor, bracket_error) + Times(factor_error, bracket + bracket_error);
      // P (x - mean) is a step of the formula, n d^2 one of forms that divide once.
      const double projected = Times(product_size[f], x.most(i) + mean.most(f));
      const bool overflows = std::max({terms, Times(scale.most(f), d.most) * terms, product_size[f], span, projected,
                                       n * (variance.most(f) + epsilon)}) > format.max_finite;
      // A factor of zero makes NaN of an infinite bracket.
      const double weight = std::fabs(scale[f]);
      const bool vanishes = weight > 0 && std::min({weight / n, weight * d.value, factor}) < least;
      errors[i] = overflows || (vanishes && std::isinf(grad_operand.data<double>()[i])) ? kInf : own + carried;
    });
    const std::string rule = "sums of " + std::to_string(layout.per_feature()) + " terms";
    SetBound(context, grad_operand, rule, [&](size_t i) { return errors[i]; });
    SetBound(context, grad_scale, rule, [&](size_t f) {
      const Inverse d = inverse[f];
      const double lost = product_size[f] > 0 ? n * d.most + 1 : 0;
      const double own = unit[f] * Times(product_size[f], d.most) + Times(lost, format.Ulp(0));
      const bool overflows = std::max(product_size[f], Times(product_size[f], d.most)) > format.max_finite;
      return overflows ? kInf : own + Times(product_error[f], d.most) + Times(std::fabs(product[f]), d.rise());
    });
    SetBound(context, grad_offset, rule,
             [&](size_t f) { return sum_size[f] > format.max_finite ? kInf : unit[f] * sum_size[f] + sum_error[f]; });
    std::vector<double> sum_squares(features), product_squares(features);
    layout.ForEach([&](size_t i, size_t f) {
      const double term = grad[i] * (x[i] - mean[f]);
      sum_squares[f] += grad[i] * grad[i];
      product_squares[f] += term * term;
    });
    SetDeviations(context, grad_offset, n, sum_squares, sum, 0, [](size_t) { return 1.0; });
    SetDeviations(context, grad_scale, n, product_squares, product, 1, [&](size_t f) { return inverse[f].value; });
  }
  return Values{std::move(grad_operand), std::move(grad_scale), std::move(grad_offset)};
}

}  // namespace

void AddNormalization(EvalTableType& table) {
  table["stablehlo.batch_norm_inference"] = &Inference;
  table["stablehlo.batch_norm_training"] = &Training;
  table["stablehlo.batch_norm_grad"] = &Grad;
}

}  // namespace opbyop::reference
