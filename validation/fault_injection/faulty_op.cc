// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/fault_injection/faulty_op.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/movement.h"

namespace opbyop::fault_injection {
namespace {

using reference::Complex;
using reference::ElementKind;
using reference::ElementType;
using reference::KindOf;
using reference::Shape;
using reference::StridesOf;
using reference::Tensor;
using reference::Value;
using reference::Values;

mlir::Type TypeOf(ElementType type, mlir::MLIRContext* context) {
  switch (type) {
    case ElementType::kF64:
      return mlir::Float64Type::get(context);
    case ElementType::kF16:
      return mlir::Float16Type::get(context);
    case ElementType::kBf16:
      return mlir::BFloat16Type::get(context);
    case ElementType::kC64:
      return mlir::ComplexType::get(mlir::Float32Type::get(context));
    case ElementType::kC128:
      return mlir::ComplexType::get(mlir::Float64Type::get(context));
    default:
      return mlir::Float32Type::get(context);
  }
}

}  // namespace

Expected<Values> FaultyOp::Evaluate(reference::Evaluator& evaluator) {
  reference::OpContext context{context_.op, context_.name, context_.operands, evaluator, context_.scope};
  const auto found = reference::EvalTable().find(llvm::StringRef(context_.name.data(), context_.name.size()));
  if (found == reference::EvalTable().end()) return context_.Unsupported(std::string(context_.name));
  Expected<Values> results = found->second(context);
  if (!results) return results;
  for (unsigned i = 0; i < results->size(); ++i) {
    if (!(*results)[i].is_tensor()) continue;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(context_.op->getResult(i).getType());
    if (!type || !type.hasStaticShape()) continue;
    // Inside a region that is evaluated for a batch of scalars, the declared shape is that of one of them.
    if (type.getRank() == 0 && (*results)[i].tensor().rank() <= 1) continue;
    (*results)[i].tensor() = FitTo((*results)[i].tensor(), Shape(type.getShape().begin(), type.getShape().end()));
  }
  return results;
}

Expected<Values> FaultyOp::Right() { return Evaluate(context_.evaluator); }

Expected<Values> FaultyOp::As(ElementType type, bool stepped) {
  const bool wide = type == ElementType::kF64;
  const auto held = [&](ElementType t) {
    if (KindOf(t) == ElementKind::kFloat) return type;
    if (KindOf(t) == ElementKind::kComplex) return wide ? ElementType::kC128 : ElementType::kC64;
    return t;
  };
  std::vector<std::pair<mlir::OpResult, mlir::Type>> declared;
  for (mlir::OpResult result : context_.op->getResults()) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
    const auto element = tensor ? reference::ElementTypeOf(tensor) : std::nullopt;
    if (!element) continue;
    declared.emplace_back(result, result.getType());
    if (held(*element) == *element) continue;
    result.setType(mlir::RankedTensorType::get(tensor.getShape(), TypeOf(held(*element), result.getContext())));
  }
  for (Value& operand : context_.operands) {
    if (operand.is_tensor()) operand.tensor() = operand.tensor().Retyped(held(operand.tensor().type()));
  }
  reference::Evaluator stepper(context_.evaluator.module(), {.round_every_step = true});
  Expected<Values> results = Evaluate(stepped ? stepper : context_.evaluator);
  for (auto& [result, was] : declared) {
    result.setType(was);
    if (!results) continue;
    Value& value = (*results)[result.getResultNumber()];
    const ElementType element = *reference::ElementTypeOf(was);
    if (value.is_tensor() && KindOf(value.tensor().type()) == KindOf(element) && !wide) {
      value.tensor() = value.tensor().Retyped(element);
    }
  }
  return results;
}

Expected<Values> FaultyOp::With(llvm::StringRef attribute, mlir::Attribute value) {
  const mlir::Attribute was = context_.op->getAttr(attribute);
  context_.op->setAttr(attribute, value);
  Expected<Values> results = Right();
  if (was) {
    context_.op->setAttr(attribute, was);
  } else {
    context_.op->removeAttr(attribute);
  }
  return results;
}

Expected<Values> FaultyOp::WithInts(llvm::StringRef attribute, size_t count, int64_t otherwise, const IntsFn& change) {
  std::vector<int64_t> values = context_.IntsOr(attribute, count, otherwise);
  change(values);
  mlir::MLIRContext* context = context_.op->getContext();
  mlir::Attribute changed;
  if (attribute == "padding") {
    const auto type =
        mlir::RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2}, mlir::IntegerType::get(context, 64));
    changed = mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(values));
  } else if (attribute == "window_reversal") {
    const std::vector<char> bits(values.begin(), values.end());
    changed = mlir::DenseBoolArrayAttr::get(
        context, llvm::ArrayRef<bool>(reinterpret_cast<const bool*>(bits.data()), bits.size()));
  } else {
    changed = mlir::DenseI64ArrayAttr::get(context, values);
  }
  return With(attribute, changed);
}

void FaultyOp::EachOf(size_t operand, const RealFn& f) {
  if (context_.operands[operand].is_tensor()) EachRealRaw(in(operand), f);
}

void FaultyOp::EachOperand(const RealFn& f) {
  for (size_t i = 0; i < size(); ++i) EachOf(i, f);
}

void EachRealRaw(Tensor& t, const RealFn& f) {
  if (t.kind() == ElementKind::kFloat) {
    for (double& v : t.Mutable<double>()) v = f(v);
  } else if (t.kind() == ElementKind::kComplex) {
    for (Complex& v : t.Mutable<Complex>()) v = {f(v.real()), f(v.imag())};
  }
}

void EachReal(Tensor& t, const RealFn& f) {
  EachRealRaw(t, f);
  reference::RoundResult(t);
}

void EachReal(Values& values, const RealFn& f) {
  for (Value& value : values) {
    if (value.is_tensor()) EachReal(value.tensor(), f);
  }
}

void EachIndexed(Tensor& t, const std::function<double(double, int64_t)>& f) {
  const reference::ElementTypeInfo& info = reference::Info(t.type());
  for (int64_t i = 0; i < t.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    switch (info.kind) {
      case ElementKind::kFloat:
        t.Mutable<double>()[at] = f(t.data<double>()[at], i);
        break;
      case ElementKind::kComplex: {
        const Complex v = t.data<Complex>()[at];
        t.Mutable<Complex>()[at] = {f(v.real(), i), v.imag()};
        break;
      }
      case ElementKind::kInteger:
        t.Mutable<int64_t>()[at] = reference::WrapInteger(
            info, static_cast<uint64_t>(static_cast<int64_t>(f(static_cast<double>(t.data<int64_t>()[at]), i))));
        break;
      case ElementKind::kBool:
        t.Mutable<uint8_t>()[at] = f(t.data<uint8_t>()[at], i) != 0;
        break;
    }
  }
  reference::RoundResult(t);
}

void EachInteger(Tensor& t, const std::function<int64_t(int64_t)>& f) {
  if (t.kind() != ElementKind::kInteger) return;
  const reference::ElementTypeInfo& info = reference::Info(t.type());
  for (int64_t& v : t.Mutable<int64_t>()) v = reference::WrapInteger(info, static_cast<uint64_t>(f(v)));
}

Tensor SliceOf(const Tensor& t, int64_t d, int64_t low, int64_t high) {
  Shape shape = t.shape();
  const Shape strides = StridesOf(shape);
  shape[static_cast<size_t>(d)] = std::max<int64_t>(high - low, 0);
  return reference::StridedView(t, shape, strides, low * strides[static_cast<size_t>(d)]);
}

Tensor FitTo(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  const Tensor zero = Tensor::Zeros(t.type(), {});
  if (t.shape().size() == shape.size()) {
    std::vector<int64_t> high(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) high[d] = shape[d] - t.shape()[d];
    return reference::Pad(t, zero, std::vector<int64_t>(shape.size(), 0), high, std::vector<int64_t>(shape.size(), 0));
  }
  return reference::Pad(t.Reshaped({t.size()}), zero, {0}, {reference::SizeOf(shape) - t.size()}, {0}).Reshaped(shape);
}

Tensor Permuted(const Tensor& t, const std::vector<int64_t>& places) {
  Tensor out = Tensor::Make(t.type(), t.shape());
  reference::WithStorage(t.kind(), [&]<typename T>() {
    for (size_t i = 0; i < places.size(); ++i) out.Mutable<T>()[i] = t.data<T>()[static_cast<size_t>(places[i])];
  });
  return out;
}

Tensor Rotated(const Tensor& t) {
  std::vector<int64_t> places(static_cast<size_t>(t.size()));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>((i + 1) % places.size());
  return Permuted(t, places);
}

Tensor Reversed(const Tensor& t, int64_t d) {
  Shape strides = StridesOf(t.shape());
  const auto at = static_cast<size_t>(d);
  const int64_t base = t.shape()[at] > 0 ? (t.shape()[at] - 1) * strides[at] : 0;
  strides[at] = -strides[at];
  return reference::StridedView(t, t.shape(), strides, base);
}

Tensor Rearranged(const Tensor& t, int64_t d, const std::function<int64_t(int64_t)>& from) {
  const int64_t extent = t.dim(d);
  const int64_t stride = StridesOf(t.shape())[static_cast<size_t>(d)];
  std::vector<int64_t> places(static_cast<size_t>(t.size()));
  for (int64_t i = 0; i < t.size(); ++i) {
    const int64_t at = i / stride % extent;
    places[static_cast<size_t>(i)] = i + (from(at) - at) * stride;
  }
  return Permuted(t, places);
}

Tensor Exchanged(const Tensor& t, int64_t a, int64_t b) {
  if (t.dim(a) != t.dim(b)) return t;
  std::vector<int64_t> permutation(static_cast<size_t>(t.rank()));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[static_cast<size_t>(a)], permutation[static_cast<size_t>(b)]);
  return reference::Transpose(t, permutation);
}

double KeepBits(double v, int bits) {
  if (v == 0 || !std::isfinite(v)) return v;
  const int exponent = std::ilogb(v);
  return std::ldexp(std::nearbyint(std::ldexp(v, bits - 1 - exponent)), exponent - bits + 1);
}

}  // namespace opbyop::fault_injection
