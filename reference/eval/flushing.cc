// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/flushing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "ir/op_info.h"
#include "mlir/IR/TypeUtilities.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/elementwise_program.h"

namespace opbyop::reference {
namespace {

constexpr std::string_view kDynamicConvolution = "stablehlo.dynamic_conv";

// Whether the op computes, or with `signs` also whether it only changes the sign bit of real numbers.
bool Computes(mlir::Operation* op, bool signs) {
  const std::string name = NativeNameOf(op);
  const bool modulus =
      name == "stablehlo.abs" && llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(op->getOperand(0)));
  if ((name == "stablehlo.abs" && !modulus) || name == "stablehlo.negate") return signs;
  constexpr std::array kKeepBits = {"stablehlo.bitcast_convert", "stablehlo.complex", "stablehlo.imag",
                                    "stablehlo.real", "stablehlo.select"};
  if (std::ranges::find(kKeepBits, name) != kKeepBits.end()) return false;
  // The regions of these ops compute. Elements that no region touches may also be kept unflushed.
  constexpr std::array kCombine = {"stablehlo.all_reduce",    "stablehlo.reduce",  "stablehlo.reduce_scatter",
                                   "stablehlo.reduce_window", "stablehlo.scatter", "stablehlo.select_and_scatter"};
  if (std::ranges::find(kCombine, name) != kCombine.end()) return true;
  if (name == kDynamicConvolution) return true;  // the others of its category move elements
  const OpInfo* info = LookUpOp(llvm::StringRef(name));
  if (info == nullptr) return false;
  constexpr std::array kCategories = {"elementwise", "contraction", "misc", "deprecated", "chlo"};
  return std::ranges::find(kCategories, std::string_view(info->category)) != kCategories.end() &&
         name != "stablehlo.constant" && name != "stablehlo.iota";
}

// Types narrower than f32 are computed in f32. Of their numbers, those of bf16, which has the exponents of f32, and the
// least number of f8E8M0FNU can be subnormal in f32. The subnormals of all other narrow types are normal numbers there.
bool Flushes(const FloatFormat& format) { return format.min_exponent <= FormatOf(ElementType::kF32).min_exponent; }

// Whether the tensor holds real numbers whose subnormals are flushed.
bool Flushes(const Tensor& t) {
  const ElementTypeInfo& info = Info(t.type());
  return info.kind == ElementKind::kFloat && Flushes(*info.format);
}

double LeastNormal(const FloatFormat& format) {
  const FloatFormat& f32 = FormatOf(ElementType::kF32);
  const bool in_f32 = format.precision <= f32.precision;
  return std::ldexp(1.0, in_f32 ? std::max(format.min_exponent, f32.min_exponent) : format.min_exponent);
}

// Returns the modulus of a number that compares as zero, and 0 for any other number.
double FlushedModulus(double number, double least_normal) {
  const double size = std::fabs(number);
  return size < least_normal ? size : 0;
}

// Replaces numbers that may be subnormal by zero: also normal numbers whose bound reaches the subnormal ones. Where the
// device's number may be normal, the bound covers it too.
void Flush(Value& value) {
  if (!value.is_tensor()) return;
  Tensor& t = value.tensor();
  const ElementTypeInfo& info = Info(t.type());
  if (info.format == nullptr || !Flushes(*info.format)) return;
  const double least = LeastNormal(*info.format);
  const std::span<const double> bounds = t.bounds();
  std::shared_ptr<Bound> wider;
  const auto flush = [&](std::span<double> numbers, size_t parts) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double bound = bounds.empty() ? 0 : bounds[i / parts];
      const double size = std::fabs(numbers[i]);
      const bool tiny = size < least || (size - bound < least && std::isfinite(bound));  // false for NaN
      if (!tiny) continue;
      numbers[i] = std::copysign(0.0, numbers[i]);
      if (size + bound < least) continue;
      if (!wider) wider = CopyOfBound(t, "or next to the least normal number");
      double& error = MutableSpan(*wider)[i / parts];
      error = std::max(error, size + bound);
    }
  };
  if (info.kind == ElementKind::kFloat) {
    flush(t.Mutable<double>(), 1);
  } else {
    const std::span<Complex> values = t.Mutable<Complex>();
    flush({reinterpret_cast<double*>(values.data()), values.size() * 2}, 2);
  }
  if (wider) t.set_bound(std::move(wider));
}

// Whether the exact value of element k of a result that is rounded once is subnormal before it is rounded.
bool IsTinyBeforeRounding(const OpContext& context, size_t k, double least) {
  const auto at = [&](size_t i) {
    const std::span<const double> numbers = context.in(i).data<double>();
    return numbers[numbers.size() == 1 ? 0 : k];
  };
  if (context.name == "stablehlo.multiply") {
    // In f64 the rounding error of a product next to the least normal number is too small to be represented, so the
    // product is scaled.
    const double x = at(0), y = at(1);
    const bool wide = least < LeastNormal(FormatOf(ElementType::kF32));
    const double scaled = wide ? std::ldexp(x, 100) : x;
    const double product = scaled * y, error = std::fma(scaled, y, -product);
    const double limit = wide ? std::ldexp(least, 100) : least;
    return std::fabs(product) < limit || (std::fabs(product) == limit && error * product < 0);
  }
  return std::fabs(at(0)) < least;  // a conversion
}

void FlushTinyBeforeRounding(const OpContext& context, Value& value) {
  constexpr std::array kRoundOnce = {"stablehlo.convert", "stablehlo.multiply", "stablehlo.reduce_precision"};
  if (std::ranges::find(kRoundOnce, context.name) == kRoundOnce.end() || !value.is_tensor()) return;
  if (!Flushes(value.tensor()) || context.in(0).kind() != ElementKind::kFloat) return;
  Tensor& t = value.tensor();
  const double least = LeastNormal(FormatOf(t.type()));
  const std::span<const double> numbers = std::as_const(t).data<double>();
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (std::fabs(numbers[k]) != least || !IsTinyBeforeRounding(context, k, least)) continue;
    t.Mutable<double>()[k] = std::copysign(0.0, numbers[k]);
  }
}

// Widens the bound of a sum of products: every subnormal product may be zero. There are at most as many products as the
// larger operand has elements.
void AllowLostProducts(const OpContext& context, Value& value) {
  if (!value.is_tensor() || value.tensor().bounds().empty()) return;
  Tensor& t = value.tensor();
  if (Info(t.type()).format == nullptr) return;
  int64_t products = 0;
  for (size_t i = 0; i < context.size(); ++i) products = std::max(products, context.in(i).size());
  const double lost = static_cast<double>(products) * std::ldexp(1.0, FormatOf(t.type()).min_exponent);
  auto bound = CopyOfBound(t, "subnormal products may be zero");
  for (double& error : MutableSpan(*bound)) {
    if (error != 0) error += lost;
  }
  t.set_bound(std::move(bound));
}

// Ops that return one of their operands. If several compare as zero the device may return any of them, unflushed.
bool Chooses(std::string_view name) {
  return name == "stablehlo.clamp" || name == "stablehlo.maximum" || name == "stablehlo.minimum";
}

bool RegionChooses(mlir::Operation* op) {
  return op
      ->walk([&](mlir::Operation* inner) {
        const llvm::StringRef name = inner->getName().getStringRef();
        const bool chooses = inner != op && (Chooses(name) || name == "stablehlo.select");
        return chooses ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

// The greatest modulus of the elements that compare as zero. Any of them may become an element of the result.
double GreatestFlushedModulus(const OpContext& context) {
  double most = 0;
  for (const Value& operand : context.operands) {
    if (!operand.is_tensor() || !Flushes(operand.tensor())) continue;
    const double least = LeastNormal(FormatOf(operand.tensor().type()));
    for (const double number : operand.tensor().data<double>()) {
      most = std::max(most, FlushedModulus(number, least));
    }
  }
  return most;
}

// For each element of an op that chooses: the greatest modulus of the operands that compare as zero. If the op chooses
// in a region or in a line, the vector has one element for all.
std::vector<double> TakenForZero(const OpContext& context) {
  if (!context.bounds()) return {};
  const bool among_all = RegionChooses(context.op) || context.name == "chlo.top_k";
  if (among_all) return {GreatestFlushedModulus(context)};
  if (!Chooses(context.name)) return {};
  std::vector<double> sizes;
  for (size_t i = 0; i < context.size(); ++i) {
    if (!Flushes(context.in(i))) return {};
    sizes.resize(std::max<size_t>(sizes.size(), context.in(i).size()));
  }
  for (size_t i = 0; i < context.size(); ++i) {
    const std::span<const double> numbers = context.in(i).data<double>();
    const double least = LeastNormal(FormatOf(context.in(i).type()));
    for (size_t k = 0; k < sizes.size(); ++k) {
      const double number = numbers[numbers.size() == 1 ? 0 : k];  // clamp's limits may be scalars
      sizes[k] = std::max(sizes[k], FlushedModulus(number, least));
    }
  }
  return sizes;
}

void AllowUnflushedOperands(const std::vector<double>& taken_for_zero, Value& value) {
  if (!value.is_tensor() || !Flushes(value.tensor())) return;
  Tensor& t = value.tensor();
  if (std::ranges::all_of(taken_for_zero, [](double size) { return size == 0; })) return;
  auto bound = CopyOfBound(t, "any operand that compares as zero");
  const std::span<double> errors = MutableSpan(*bound);
  const std::span<const double> numbers = std::as_const(t).data<double>();
  for (size_t k = 0; k < errors.size(); ++k) {
    if (numbers[k] == 0) errors[k] = std::max(errors[k], taken_for_zero[taken_for_zero.size() == 1 ? 0 : k]);
  }
  t.set_bound(std::move(bound));
}

// Widens the bound so that it covers the other result too.
void AllowEither(const Value& other, Value& value) {
  if (!other.is_tensor() || !value.is_tensor() || value.tensor().kind() != ElementKind::kFloat) return;
  Tensor& t = value.tensor();
  const std::span<const double> numbers = std::as_const(t).data<double>(), others = other.tensor().data<double>();
  const std::span<const double> other_errors = other.tensor().bounds();
  if (std::ranges::equal(numbers, others)) return;
  auto bound = CopyOfBound(t, "of an operand as it is, or as zero");
  const std::span<double> errors = MutableSpan(*bound);
  for (size_t k = 0; k < errors.size(); ++k) {
    const double distance = AbsoluteDifference(others[k], numbers[k]);
    errors[k] = std::max(errors[k], distance + (distance == 0 || other_errors.empty() ? 0 : other_errors[k]));
  }
  bound->zero_sign_free = true;
  t.set_bound(std::move(bound));
}

// Whether the device may keep a subnormal result, because it adds the product without rounding it, or may have a result
// that is not subnormal, because it kept or flushed an operand.
bool MayBeKept(const OpContext& context) {
  const auto has_errors = [](const Value& operand) { return operand.is_tensor() && HasErrors(operand.tensor()); };
  if (std::ranges::any_of(context.operands, has_errors)) return true;
  return context.name == "stablehlo.multiply" && llvm::any_of(context.op->getUsers(), [](mlir::Operation* user) {
           const llvm::StringRef name = user->getName().getStringRef();
           return name == "stablehlo.add" || name == "stablehlo.subtract";
         });
}

// Whether another op compares elements of the result, in which subnormal numbers are zeros. The device may have kept
// them, as an op may that gives back small operands as they are.
bool IsCompared(mlir::Operation* op) {
  return llvm::any_of(op->getUsers(), [](mlir::Operation* user) {
    const std::string name = NativeNameOf(user);
    return name == "stablehlo.compare" || name == "stablehlo.sort" || name == "chlo.top_k" || Chooses(name) ||
           RegionChooses(user);
  });
}

// Whether the device may convert what the op moves to f32 and back, which is a computation: among other ops, where
// narrow numbers may stay unrounded.
bool MayConvert(const OpContext& context) {
  if (!context.bounds() || !context.evaluator.options().keeps_excess) return false;
  const OpInfo* info = LookUpOp(llvm::StringRef(context.name));
  if (context.name != "stablehlo.select" && (info == nullptr || info->category != "data movement")) return false;
  const auto computes = [](mlir::Operation* op) {
    return op != nullptr && !op->hasTrait<mlir::OpTrait::ConstantLike>() &&
           !op->hasTrait<mlir::OpTrait::IsTerminator>();
  };
  return llvm::any_of(context.op->getUsers(), computes) ||
         llvm::any_of(context.op->getOperands(), [&](mlir::Value v) { return computes(v.getDefiningOp()); });
}

// The bound of the flushed value covers the value as it is.
void FlushOrKeep(Value& value) {
  const Value kept = value;
  Flush(value);
  AllowEither(kept, value);
}

bool IsNarrow(const Tensor& t) { return FormatOf(t.type()).precision < FormatOf(ElementType::kF32).precision; }

Expected<bool> FlushSubnormals(FlushedParts parts, OpContext& context, Values& results) {
  const auto found = EvalTable().find(llvm::StringRef(context.name.data(), context.name.size()));
  if (found == EvalTable().end()) return false;
  if (!Computes(context.op, parts.signs)) {
    if (!MayConvert(context)) return false;
    Expected<Values> moved = found->second(context);
    if (!moved) return Unexpected(moved.error());
    for (Value& result : *moved) {
      if (result.is_tensor() && Flushes(result.tensor()) && IsNarrow(result.tensor())) FlushOrKeep(result);
    }
    results = std::move(*moved);
    return true;
  }
  // next_after counts the bits of its operand up or down, and a conversion may be done on the bits too, so that a device
  // may read a subnormal operand as it is.
  const bool steps = context.name == "chlo.next_after" || context.name == "chlo.broadcast_next_after";
  const bool on_bits = steps || context.name == "stablehlo.convert" || context.name == "stablehlo.reduce_precision";
  // A function that looks for the exponent 0 by its bits finds no subnormal one: the power of NaN is 1, or NaN.
  const bool is_power = context.name == "stablehlo.power";
  OpContext as_it_is = context;
  if (is_power && parts.operands) Flush(as_it_is.operands[0]);
  std::vector<double> taken_for_zero;
  if (parts.operands) {
    taken_for_zero = TakenForZero(context);
    for (Value& operand : context.operands) Flush(operand);
  }
  Expected<Values> computed = found->second(context);
  if (!computed) return Unexpected(computed.error());
  const OpInfo* info = LookUpOp(llvm::StringRef(context.name));
  const bool sums_products =
      context.name == kDynamicConvolution || (info != nullptr && std::string_view(info->category) == "contraction");
  for (Value& result : *computed) {
    if (parts.results) FlushTinyBeforeRounding(context, result);
    if (parts.results && !steps) {
      if (context.bounds() && MayBeKept(context)) {
        FlushOrKeep(result);
      } else {
        Flush(result);
      }
    }
    if (sums_products) AllowLostProducts(context, result);
    if (!taken_for_zero.empty()) AllowUnflushedOperands(taken_for_zero, result);
  }
  if (context.bounds() && (on_bits || is_power || IsCompared(context.op))) {
    const Expected<Values> other = found->second(as_it_is);
    if (!other) return Unexpected(other.error());
    AllowEither((*other)[0], (*computed)[0]);
  }
  results = std::move(*computed);
  return true;
}

}  // namespace

EvalOptions Flushing(EvalOptions options, FlushedParts parts) {
  options.flushes = parts.operands;
  options.hook = [first = std::move(options.hook), parts](OpContext& context, Values& results) -> Expected<bool> {
    const Expected<bool> taken = first ? first(context, results) : false;
    if (!taken || *taken) return taken;
    return FlushSubnormals(parts, context, results);
  };
  return options;
}

Tensor WithSubnormalsAsZeros(Tensor t) {
  if (!Flushes(t)) return t;
  const double least = LeastNormal(FormatOf(t.type()));
  for (double& number : t.Mutable<double>()) {
    if (std::fabs(number) < least) number = std::copysign(0.0, number);
  }
  return t;
}

}  // namespace opbyop::reference
