// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/print_form.h"

#include <fmt/format.h>

#include <cmath>

namespace opbyop::reference {
namespace {

// Prints six digits after the point if they identify the number, else as many as it takes. Infinities and NaN are
// printed in hex.
std::string FloatForm(const FloatFormat& format, double v) {
  if (!std::isfinite(v)) return fmt::format("0x{:0{}X}", EncodeFloat(format, v), (format.bits + 3) / 4);
  std::string text = fmt::format("{:.6e}", v);
  if (RoundTo(format, std::stod(text)) == v) return text;
  return format.precision <= 24 ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
}

std::string ElementForm(const Tensor& t, int64_t i) {
  const ElementTypeInfo& info = Info(t.type());
  const auto at = static_cast<size_t>(i);
  if (info.kind == ElementKind::kFloat) return FloatForm(*info.format, t.data<double>()[at]);
  if (info.kind != ElementKind::kComplex) return ElementText(t, i);
  const Complex v = t.data<Complex>()[at];
  return fmt::format("[{}, {}]", FloatForm(*info.format, v.real()), FloatForm(*info.format, v.imag()));
}

// Prints the elements of dimension d and all inner dimensions, starting at element `first`.
std::string Nested(const Tensor& t, size_t d, int64_t first, const Shape& strides) {
  const std::string indent(2 * (d + 1), ' ');
  std::string out = indent + "[";
  const int64_t extent = t.shape()[d];
  if (d + 1 == t.shape().size()) {
    for (int64_t i = 0; i < extent; ++i) out += (i > 0 ? ", " : "") + ElementForm(t, first + i);
    return out + "]";
  }
  if (extent == 0) return out + "]";
  for (int64_t i = 0; i < extent; ++i) {
    out += (i > 0 ? ",\n" : "\n") + Nested(t, d + 1, first + i * strides[d], strides);
  }
  return out + "\n" + indent + "]";
}

}  // namespace

std::string PrintForm(const Tensor& tensor) {
  std::string shape;
  for (const int64_t d : tensor.shape()) shape += fmt::format("{}x", d);
  const std::string type = fmt::format("tensor<{}{}>", shape, NameOf(tensor.type()));
  if (tensor.rank() == 0) return fmt::format("{} {{{}}}", type, ElementForm(tensor, 0));
  return fmt::format("{} {{\n{}\n}}", type, Nested(tensor, 0, 0, StridesOf(tensor.shape())));
}

}  // namespace opbyop::reference
