// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/case_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "protocol/judging_limits.h"
#include "protocol/stored_form.h"
#include "support/dtype.h"
#include "support/op_kind.h"
#include "support/saturated.h"

namespace opbyop::harness {
namespace {

// A constant for compiling, starting and comparing, and rates for all sets of inputs together, from drawing to comparing
// (docs/performance.md).
constexpr double kEachMs = 20;
constexpr double kOperationsPerMs = 1e5;
constexpr double kMultiplyAddsPerMs = 5e6;
constexpr double kBytesPerMs = 1e5;

bool IsProduct(const Case& c) { return c.kind == OpKind::kMatmul || c.kind == OpKind::kConvolution; }

bool IsFloatBelowF64(std::string_view type) {
  return type != "f64" && (type.starts_with("f") || type.starts_with("bf"));
}

bool IsInteger(std::string_view type) { return type != "i1" && (type.starts_with("i") || type.starts_with("ui")); }

// A BLAS computes these.
bool IsProductOfFloats(const Case& c) {
  return IsProduct(c) && !c.outputs.empty() && IsFloatBelowF64(c.outputs[0].dtype);
}

double ElementsOf(const TensorType& type) { return static_cast<double>(NumElements(type).value_or(1)); }

// Returns what the evaluator holds of values: a byte of an i1, 16 of a complex number, else 8, and of results 8 more for a bound.
double HeldBytes(const TensorType& type, bool bounded) {
  const std::string_view dtype = type.dtype;
  if (dtype == "i1") return ElementsOf(type);
  const bool is_complex = dtype.starts_with("complex");
  const bool has_bound = bounded && (is_complex || dtype.starts_with("f") || dtype.starts_with("bf"));
  return ElementsOf(type) * ((is_complex ? 16 : 8) + (has_bound ? 8 : 0));
}

// The length of the line that each window of a running sum or maximum covers: the reference computes them in one pass.
// 1 for any other op.
int64_t CumulativeLengthOf(const Case& c) {
  const auto window = c.attributes.find("window_dimensions");
  if (c.op != "stablehlo.reduce_window" || window == c.attributes.end() || c.inputs.empty() || c.outputs.empty()) {
    return 1;
  }
  const std::vector<int64_t>& shape = c.inputs[0].shape;
  if (shape != c.outputs[0].shape) return 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> line(shape.size(), 1);
    line[d] = shape[d];
    if (window->second == fmt::format("array<i64: {}>", fmt::join(line, ", "))) return std::max<int64_t>(shape[d], 1);
  }
  return 1;
}

}  // namespace

double EstimatedMs(const Case& c) {
  const auto operations = static_cast<double>(c.flops);
  const double computing = IsProductOfFloats(c) ? operations / 2 / kMultiplyAddsPerMs : operations / kOperationsPerMs;
  return kEachMs + computing + static_cast<double>(c.bytes) / kBytesPerMs;
}

double StepsOf(const Case& c) {
  const auto operations = static_cast<double>(MulCapped(c.flops, c.grid.processes()));
  if (IsProductOfFloats(c)) return operations / 2 / protocol::kMultiplyAddsPerStep;
  return IsProduct(c) ? operations / 2 : operations / static_cast<double>(CumulativeLengthOf(c));
}

double ReferenceBytesOf(const Case& c) {
  double results = 0;
  for (const TensorType& type : c.outputs) results += ElementsOf(type);
  const bool moves = protocol::MovesStored(c.op, results);
  const bool reads = protocol::ReadsStored(c.op, results);
  double bytes = 0;
  for (const TensorType& type : c.inputs) {
    const bool stored = reads && ElementsOf(type) >= static_cast<double>(protocol::kWorthStored);
    bytes += stored ? static_cast<double>(StoredBytes(type)) : HeldBytes(type, false);
  }
  for (const TensorType& type : c.outputs) {
    const bool stored = moves && ElementsOf(type) >= static_cast<double>(protocol::kManyElements);
    bytes += stored ? static_cast<double>(StoredBytes(type)) : HeldBytes(type, true);
  }
  return bytes * static_cast<double>(c.grid.processes());
}

bool HasChecksums(const Case& c) {
  const bool is_one = c.op == "stablehlo.dot_general" || c.op == "stablehlo.dot" || c.op == "stablehlo.convolution";
  if (!is_one || c.inputs.size() != 2 || c.outputs.size() != 1 || c.grid != Grid()) return false;
  if (IsProductOfFloats(c)) return IsFloatBelowF64(c.inputs[0].dtype) && IsFloatBelowF64(c.inputs[1].dtype);
  return IsInteger(c.outputs[0].dtype) && IsInteger(c.inputs[0].dtype) && IsInteger(c.inputs[1].dtype);
}

}  // namespace opbyop::harness
