// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over the elements of tensors. One-element operands are read as scalars, because regions run over batches of
// scalars.
//
//   MapBinary<double, double>(x, y, out, [](double a, double b) { return a + b; });
#ifndef OPBYOP_REFERENCE_BOUNDS_ELEMENTWISE_H_
#define OPBYOP_REFERENCE_BOUNDS_ELEMENTWISE_H_

#include <algorithm>
#include <initializer_list>

#include "reference/bounds/bound.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// The shape of an elementwise result: that of the first operand with more than one element.
inline const Shape& WidestShape(std::initializer_list<const Tensor*> operands) {
  const Tensor* widest = *operands.begin();
  for (const Tensor* t : operands) {
    if (t->size() != 1 && widest->size() == 1) widest = t;
  }
  // Two one-element operands: the one of higher rank is not the scalar.
  if (widest->size() == 1) {
    for (const Tensor* t : operands) {
      if (t->size() == 1 && t->rank() > widest->rank()) widest = t;
    }
  }
  return widest->shape();
}

template <typename To, typename From, typename F>
void MapUnary(const Tensor& x, Tensor& out, F&& f) {
  const From* from = x.data<From>().data();
  To* to = out.Mutable<To>().data();
  for (int64_t i = 0, n = out.size(); i < n; ++i) to[i] = f(from[i]);
}

template <typename To, typename From, typename F>
void MapBinary(const Tensor& x, const Tensor& y, Tensor& out, F&& f) {
  const From* a = x.data<From>().data();
  const From* b = y.data<From>().data();
  To* to = out.Mutable<To>().data();
  const int64_t n = out.size();
  if (x.size() == y.size()) {
    for (int64_t i = 0; i < n; ++i) to[i] = f(a[i], b[i]);
  } else if (x.size() == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = f(a[0], b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = f(a[i], b[0]);
  }
}

// Rounds elements that an op computed in double to the tensor's own type.
inline void RoundResult(Tensor& out) {
  const ElementTypeInfo& info = Info(out.type());
  if (info.kind == ElementKind::kFloat) {
    RoundSpan(*info.format, out.Mutable<double>());
  } else if (info.kind == ElementKind::kComplex) {
    const std::span<Complex> values = out.Mutable<Complex>();
    RoundSpan(*info.format, {reinterpret_cast<double*>(values.data()), values.size() * 2});
  }
}

// The bound of element i of an operand that may be a scalar. 0 if the operand has no bounds.
inline double ErrorAt(const Tensor& t, int64_t i) {
  const std::span<const double> bounds = t.bounds();
  if (bounds.empty()) return 0;
  return bounds[bounds.size() == 1 ? 0 : static_cast<size_t>(i)];
}
template <typename T>
T ValueAt(const Tensor& t, int64_t i) {
  return t.data<T>()[t.size() == 1 ? 0 : static_cast<size_t>(i)];
}
inline bool HasErrors(const Tensor& t) { return !t.bounds().empty(); }

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_ELEMENTWISE_H_
