// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/case_cost.h"

#include <string_view>
#include <vector>

#include "manifests/cases/case_sharding.h"
#include "protocol/judging_limits.h"
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

// A BLAS computes these.
bool IsProductOfFloats(const Case& c) {
  const std::string_view type = c.outputs.empty() ? "" : std::string_view(c.outputs[0].dtype);
  return IsProduct(c) && type != "f64" && (type.starts_with("f") || type.starts_with("bf"));
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
  return IsProduct(c) ? operations / 2 : operations;
}

bool HasChecksums(const Case& c) {
  return IsProductOfFloats(c) && (c.op == "stablehlo.dot_general" || c.op == "stablehlo.dot") && c.inputs.size() == 2 &&
         c.grid == Grid();
}

int64_t DeviceBytesOf(const Case& c) {
  if (!c.sharding) return c.total_bytes();
  int64_t bytes = 0;
  const auto add = [&](const SharedList<TensorType>& types, const std::vector<Division>& divisions) {
    for (size_t i = 0; i < types.size() && i < divisions.size(); ++i) {
      bytes = AddCapped(bytes, MulCapped(Sharded(types[i], divisions[i]).ShardBytes(), c.sharding->partitions));
    }
  };
  add(c.inputs, c.sharding->inputs);
  add(c.outputs, c.sharding->outputs);
  return bytes;
}

}  // namespace opbyop::harness
