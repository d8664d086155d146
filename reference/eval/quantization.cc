// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/op_info.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"

namespace opbyop::reference {
namespace {

// Roundings in x / scale + zero_point. Allows for a device that multiplies by the rounded reciprocal.
constexpr double kQuantizeRoundings = 3;
// The error, in steps, that an op on quantized operands may have. Fixed-point multipliers are as right as the
// arithmetic here (specification, "Execution semantics of quantized operation").
constexpr double kFixedPointSteps = 1;

// Calls fn(element, parameter) for all elements of a tensor. `parameter` is the index of its scale and zero point.
template <typename Fn>
void ForEachElement(const Tensor& t, const Quantization& q, Fn&& fn) {
  if (q.axis < 0) {
    for (int64_t i = 0; i < t.size(); ++i) fn(static_cast<size_t>(i), size_t{0});
    return;
  }
  const int64_t inner = StridesOf(t.shape())[static_cast<size_t>(q.axis)];
  const int64_t extent = t.dim(q.axis);
  for (int64_t i = 0; i < t.size(); ++i) fn(static_cast<size_t>(i), static_cast<size_t>(i / inner % extent));
}

int64_t Stored(double v, const Quantization& q) {
  if (std::isnan(v)) return std::clamp<int64_t>(0, q.min, q.max);
  // The limits of the storage type may not be numbers of the expressed type, so compare before converting.
  if (v >= static_cast<double>(q.max)) return q.max;
  if (v <= static_cast<double>(q.min)) return q.min;
  return static_cast<int64_t>(std::rint(v));
}

}  // namespace

std::optional<Quantization> QuantizationOf(mlir::Type type) {
  const mlir::Type element = mlir::getElementTypeOrSelf(type);
  const auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element);
  if (!quantized) return std::nullopt;
  const auto storage =
      ParseElementType(fmt::format("{}{}", quantized.isSigned() ? "i" : "ui", quantized.getStorageTypeIntegralWidth()));
  const auto expressed = ElementTypeOf(quantized.getExpressedType());
  if (!storage || !expressed || KindOf(*expressed) != ElementKind::kFloat) return std::nullopt;
  Quantization q{.storage = *storage,
                 .expressed = *expressed,
                 .min = quantized.getStorageTypeMin(),
                 .max = quantized.getStorageTypeMax()};
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element)) {
    q.scales = {uniform.getScale()};
    q.zero_points = {uniform.getZeroPoint()};
  } else if (auto axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element)) {
    q.axis = axis.getQuantizedDimension();
    q.scales = axis.getScales().vec();
    q.zero_points = axis.getZeroPoints().vec();
  } else {
    return std::nullopt;
  }
  RoundSpan(FormatOf(q.expressed), q.scales);
  return q;
}

bool UsesQuantization(mlir::Operation* op) {
  const auto quantized = [](mlir::Type type) {
    return llvm::isa<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), quantized) || llvm::any_of(op->getResultTypes(), quantized);
}

bool TakesStoredElements(std::string_view name) {
  const OpInfo* info = LookUpOp(llvm::StringRef(name));
  return info != nullptr ? info->takes_stored : name == "func.call";
}

Tensor Dequantize(const Tensor& stored, const Quantization& q) {
  Tensor out = Tensor::Make(q.expressed, stored.shape());
  const FloatFormat& format = FormatOf(q.expressed);
  const auto from = stored.data<int64_t>();
  const auto to = out.Mutable<double>();
  ForEachElement(stored, q, [&](size_t i, size_t p) {
    // The difference is computed in 64 bits: in the storage type, as the specification writes it, it would wrap around.
    const double steps = RoundTo(format, static_cast<double>(from[i] - q.zero_points[p]));
    to[i] = RoundTo(format, steps * q.scales[p]);
  });
  if (!HasErrors(stored)) return out;
  auto bound = MakeBound(out.size(), fmt::format("propagated over {} ops", stored.bound()->depth + 1),
                         stored.bound()->depth + 1);
  bound->zero_sign_free = true;
  const std::span<double> errors = MutableSpan(*bound);
  ForEachElement(stored, q, [&](size_t i, size_t p) {
    errors[i] = ErrorAt(stored, static_cast<int64_t>(i)) * q.scales[p] + format.Ulp(to[i]);
  });
  out.set_bound(std::move(bound));
  return out;
}

Tensor Quantize(const Tensor& real, const Quantization& q, bool bounds) {
  Tensor out = Tensor::Make(q.storage, real.shape());
  const FloatFormat& format = FormatOf(q.expressed);
  const auto from = real.data<double>();
  const auto to = out.Mutable<int64_t>();
  const auto exact = [&](size_t i, size_t p) {
    const double scaled = RoundTo(format, from[i] / q.scales[p]);
    return RoundTo(format, scaled + RoundTo(format, static_cast<double>(q.zero_points[p])));
  };
  ForEachElement(real, q, [&](size_t i, size_t p) { to[i] = Stored(exact(i, p), q); });
  if (!bounds && !HasErrors(real)) return out;
  const int depth = HasErrors(real) ? real.bound()->depth + 1 : 1;
  auto bound = MakeBound(out.size(), fmt::format("ties of a quotient, over {} ops", depth), depth);
  const std::span<double> errors = MutableSpan(*bound);
  double worst = 0;
  ForEachElement(real, q, [&](size_t i, size_t p) {
    const double quotient = std::fabs(from[i] / q.scales[p]);
    const double zero = static_cast<double>(q.zero_points[p]);
    const double e = ErrorAt(real, static_cast<int64_t>(i)) / q.scales[p] +
                     kQuantizeRoundings * format.UnitRoundoff() * (quotient + std::fabs(quotient + zero));
    const double v = exact(i, p);
    if (!std::isfinite(e) || !std::isfinite(v)) {
      errors[i] = std::isfinite(v) || std::isnan(v) ? static_cast<double>(q.max) - static_cast<double>(q.min) : 0;
    } else {
      errors[i] = static_cast<double>(std::max(Stored(v + e, q) - to[i], to[i] - Stored(v - e, q)));
    }
    worst = std::max(worst, errors[i]);
  });
  if (worst > 0) out.set_bound(std::move(bound));
  return out;
}

Tensor ZeroOf(mlir::Type type, const Tensor& like) {
  if (const auto q = QuantizationOf(type)) return Quantize(Tensor::Zeros(q->expressed, like.shape()), *q);
  return Tensor::Zeros(like.type(), like.shape());
}

Tensor ToDestinationType(const Tensor& value, mlir::Type from, mlir::Type to) {
  const mlir::Type source = mlir::getElementTypeOrSelf(from);
  const mlir::Type target = mlir::getElementTypeOrSelf(to);
  if (source == target) return value;
  const auto q_source = QuantizationOf(source);
  const auto q_target = QuantizationOf(target);
  if (q_source && q_target) return Quantize(Dequantize(value, *q_source), *q_target);
  if (q_target && value.kind() == ElementKind::kFloat) return Quantize(value, *q_target);
  if (q_source) return Dequantize(value, *q_source);
  // Promotion only widens: every value of the narrower type is one of the wider type.
  const auto type = ElementTypeOf(target);
  if (!type || KindOf(*type) != value.kind()) return value;
  Tensor wide = value.Retyped(*type);
  RoundResult(wide);
  return wide;
}

Expected<Values> EvaluateQuantized(OpContext& context, EvalFn eval) {
  mlir::Operation* op = context.op;
  OpContext inner{op, context.name, {}, context.evaluator, context.scope};
  inner.expressed = true;
  for (unsigned i = 0; i < context.operands.size(); ++i) {
    const Value& operand = context.operands[i];
    const auto q = QuantizationOf(op->getOperand(i).getType());
    inner.operands.push_back(q && operand.is_tensor() ? Value(Dequantize(operand.tensor(), *q)) : operand);
  }
  Expected<Values> results = eval(inner);
  if (!results) return results;
  for (unsigned i = 0; i < results->size() && i < op->getNumResults(); ++i) {
    const auto q = QuantizationOf(op->getResult(i).getType());
    if (!q || !(*results)[i].is_tensor()) continue;
    Tensor stored = Quantize((*results)[i].tensor(), *q, context.bounds());
    if (context.bounds()) {
      auto bound = stored.bound() ? std::make_shared<Bound>(*stored.bound()) : MakeBound(stored.size(), "", 1);
      bound->rule = "quantized, fixed-point arithmetic allowed";
      bound->random = false;
      // Every element may be one step off, which never exceeds the width of the storage range.
      for (double& e : MutableSpan(*bound)) e = std::max(e, kFixedPointSteps);
      stored.set_bound(std::move(bound));
    }
    (*results)[i] = std::move(stored);
  }
  return results;
}

}  // namespace opbyop::reference
