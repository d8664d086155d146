// batch_norm_inference, batch_norm_training, batch_norm_grad: one rounding at the end of each result.
#include <cmath>

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/bound.h"
#include "reference/elementwise.h"
#include "reference/evaluator.h"

namespace opbyop {
namespace {

// The operand as [before, features, after].
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

bool AnyErrors(const OpContext& context) {
  for (size_t i = 0; i < context.size(); ++i) {
    if (HasErrors(context.in(i))) return true;
  }
  return false;
}

// Sets a bound of `scale(i)` per element; operands with errors leave the result unbounded.
template <typename Fn>
void SetBound(const OpContext& context, Tensor& out, const std::string& rule, Fn&& scale) {
  const FloatFormat& format = FormatOf(out.type());
  auto bound = MakeBound(out.size(), rule, 1);
  bound->zero_sign_free = true;
  const bool unknown = AnyErrors(context);
  const auto values = out.data<double>();
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i] = unknown ? std::numeric_limits<double>::infinity() : scale(i) + format.Ulp(values[i]);
  }
  out.set_bound(std::move(bound));
}

using Vector = std::span<const double>;

Tensor Normalize(const OpContext& context, const Layout& layout, Vector mean, Vector variance) {
  const Tensor& operand = context.in(0);
  const Vector scale = context.in(1).data<double>();
  const Vector offset = context.in(2).data<double>();
  const double epsilon = Epsilon(context);
  Tensor out = Tensor::Make(operand.type(), operand.shape());
  const Vector x = operand.data<double>();
  const auto y = out.Mutable<double>();
  layout.ForEach(
      [&](size_t i, size_t f) { y[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f]; });
  RoundResult(out);
  return out;
}

// |x| + |mean| over the deviation, times the scale, plus the offset: what the formula's roundings act on, also
// in the form x * (scale / deviation) + (offset - mean * scale / deviation).
std::vector<double> NormalizeMagnitude(const OpContext& context, const Layout& layout, Vector mean, Vector variance) {
  const Vector x = context.in(0).data<double>();
  const Vector scale = context.in(1).data<double>();
  const Vector offset = context.in(2).data<double>();
  const double epsilon = Epsilon(context);
  std::vector<double> magnitude(x.size());
  layout.ForEach([&](size_t i, size_t f) {
    magnitude[i] = (std::fabs(x[i]) + std::fabs(mean[f])) / std::sqrt(variance[f] + epsilon) * std::fabs(scale[f]) +
                   std::fabs(offset[f]);
  });
  return magnitude;
}

Expected<Values> Inference(OpContext& context) {
  if (context.in(0).kind() != ElementKind::kFloat) return context.Unsupported("batch_norm of this type");
  const Layout layout = LayoutOf(context);
  const Vector mean = context.in(3).data<double>();
  const Vector variance = context.in(4).data<double>();
  Tensor out = Normalize(context, layout, mean, variance);
  if (context.bounds()) {
    const std::vector<double> magnitude = NormalizeMagnitude(context, layout, mean, variance);
    const double unit = FormatOf(out.type()).UnitRoundoff();
    SetBound(context, out, "8 roundings of |x|,|mean|,|offset|", [&](size_t i) { return 8 * unit * magnitude[i]; });
  }
  return Values{std::move(out)};
}

struct Moments {
  std::vector<double> mean, variance, mean_magnitude;
};

Moments MomentsOf(const Tensor& operand, const Layout& layout) {
  const auto features = static_cast<size_t>(layout.features);
  const auto n = static_cast<double>(layout.per_feature());
  Moments m{std::vector<double>(features), std::vector<double>(features), std::vector<double>(features)};
  const Vector x = operand.data<double>();
  layout.ForEach([&](size_t i, size_t f) {
    m.mean[f] += x[i];
    m.mean_magnitude[f] += std::fabs(x[i]);
  });
  for (size_t f = 0; f < features; ++f) {
    m.mean[f] /= n;
    m.mean_magnitude[f] /= n;
  }
  layout.ForEach([&](size_t i, size_t f) { m.variance[f] += (x[i] - m.mean[f]) * (x[i] - m.mean[f]); });
  for (double& v : m.variance) v /= n;
  return m;
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
    const double unit = FormatOf(operand.type()).UnitRoundoff();
    const auto n = static_cast<double>(layout.per_feature());
    const double epsilon = Epsilon(context);
    const auto mean_error = [&](size_t f) { return (n + 1) * unit * m.mean_magnitude[f]; };
    // E[x^2] - E[x]^2 is as good a formula as any: its cancellation is granted.
    const auto variance_error = [&](size_t f) {
      return (n + 4) * unit * (m.variance[f] + 2 * m.mean[f] * m.mean[f]) + 2 * std::fabs(m.mean[f]) * mean_error(f);
    };
    const std::vector<double> magnitude = NormalizeMagnitude(context, layout, m.mean, m.variance);
    const Vector scale = context.in(1).data<double>();
    std::vector<double> errors(magnitude.size());
    const Vector y = out.data<double>();
    const Vector offset = context.in(2).data<double>();
    layout.ForEach([&](size_t i, size_t f) {
      const double spread = m.variance[f] + epsilon;
      errors[i] = 8 * unit * magnitude[i] + std::fabs(scale[f]) * mean_error(f) / std::sqrt(spread) +
                  std::fabs(y[i] - offset[f]) * variance_error(f) / (2 * spread);
    });
    const std::string rule = "moments of " + std::to_string(layout.per_feature()) + " terms";
    SetBound(context, out, rule, [&](size_t i) { return errors[i]; });
    SetBound(context, mean, rule, mean_error);
    SetBound(context, variance, rule, variance_error);
  }
  return Values{std::move(out), std::move(mean), std::move(variance)};
}

Expected<Values> Grad(OpContext& context) {
  const Tensor& operand = context.in(0);
  if (operand.kind() != ElementKind::kFloat) return context.Unsupported("batch_norm of this type");
  const Layout layout = LayoutOf(context);
  const Vector x = operand.data<double>();
  const Vector scale = context.in(1).data<double>();
  const Vector mean = context.in(2).data<double>();
  const Vector variance = context.in(3).data<double>();
  const Vector grad = context.in(4).data<double>();
  const double epsilon = Epsilon(context);
  const auto n = static_cast<double>(layout.per_feature());
  const auto features = static_cast<size_t>(layout.features);
  std::vector<double> sum(features), sum_size(features), product(features), product_size(features);
  layout.ForEach([&](size_t i, size_t f) {
    sum[f] += grad[i];
    sum_size[f] += std::fabs(grad[i]);
    product[f] += grad[i] * (x[i] - mean[f]);
    product_size[f] += std::fabs(grad[i]) * (std::fabs(x[i]) + std::fabs(mean[f]));
  });
  Tensor grad_operand = Tensor::Make(operand.type(), operand.shape());
  const auto out = grad_operand.Mutable<double>();
  std::vector<double> size(x.size());
  layout.ForEach([&](size_t i, size_t f) {
    const double spread = variance[f] + epsilon;
    const double factor = scale[f] / std::sqrt(spread) / n;
    out[i] = factor * (n * grad[i] - sum[f] - product[f] * (x[i] - mean[f]) / spread);
    size[i] = std::fabs(factor) * (n * std::fabs(grad[i]) + sum_size[f] +
                                   product_size[f] * (std::fabs(x[i]) + std::fabs(mean[f])) / spread);
  });
  RoundResult(grad_operand);
  std::vector<double> scale_values(features), scale_size(features);
  for (size_t f = 0; f < features; ++f) {
    const double deviation = std::sqrt(variance[f] + epsilon);
    scale_values[f] = product[f] / deviation;
    scale_size[f] = product_size[f] / deviation;
  }
  Tensor grad_scale = Rounded(operand.type(), scale_values);
  Tensor grad_offset = Rounded(operand.type(), sum);
  if (context.bounds()) {
    const double unit = FormatOf(operand.type()).UnitRoundoff() * (n + 8);
    const std::string rule = "sums of " + std::to_string(layout.per_feature()) + " terms";
    SetBound(context, grad_operand, rule, [&](size_t i) { return unit * size[i]; });
    SetBound(context, grad_scale, rule, [&](size_t f) { return unit * scale_size[f]; });
    SetBound(context, grad_offset, rule, [&](size_t f) { return unit * sum_size[f]; });
  }
  return Values{std::move(grad_operand), std::move(grad_scale), std::move(grad_offset)};
}

}  // namespace

void AddNormalization(EvalTableType& table) {
  table["stablehlo.batch_norm_inference"] = &Inference;
  table["stablehlo.batch_norm_training"] = &Training;
  table["stablehlo.batch_norm_grad"] = &Grad;
}

}  // namespace opbyop
