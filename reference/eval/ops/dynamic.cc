// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that take their result shape from an operand, and CHLO's implicit broadcasts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/shape_check.h"

namespace opbyop::reference {
namespace {

Expected<Values> DynamicBroadcastInDim(OpContext& context) {
  const Expected<Shape> shape = ShapeAt(context, 1);
  if (!shape) return Unexpected(shape.error());
  return Values{BroadcastInDim(context.in(0), *shape, context.Ints("broadcast_dimensions"))};
}

Expected<Values> DynamicReshape(OpContext& context) {
  Expected<Shape> shape = ShapeAt(context, 1);
  if (!shape) return Unexpected(shape.error());
  if (SizeOf(*shape) != context.in(0).size()) return context.Fail(ExitCode::kBadInput, "the sizes differ");
  return Values{context.in(0).Reshaped(std::move(*shape))};
}

Expected<Values> DynamicPad(OpContext& context) {
  const std::vector<int64_t> low = context.in(2).Integers(), high = context.in(3).Integers(),
                             interior = context.in(4).Integers();
  // Larger amounts are refused: sums with sizes could overflow, and no memory could hold the result.
  constexpr int64_t kMostAround = int64_t{1} << 60, kMostGaps = int64_t{1} << 61;
  Shape shape = context.in(0).shape();
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t gaps = 0;
    const bool wraps = __builtin_mul_overflow(std::max<int64_t>(shape[d] - 1, 0), interior[d], &gaps) ||
                       gaps > kMostGaps || std::abs(low[d] / 2) > kMostAround / 2 ||
                       std::abs(high[d] / 2) > kMostAround / 2;
    if (wraps || interior[d] < 0) {
      return context.Fail(ExitCode::kBadInput, fmt::format("a padding of dimension {} with {} elements before, {} "
                                                           "between and {} behind those of the operand",
                                                           d, low[d], interior[d], high[d]));
    }
    shape[d] = std::max<int64_t>(0, shape[d] + gaps + low[d] + high[d]);
  }
  if (const Expected<void> fits = CheckShape(context, shape); !fits) return Unexpected(fits.error());
  return Values{Pad(context.in(0), context.in(1), low, high, interior)};
}

Expected<Values> GetDimensionSize(OpContext& context) {
  return Values{Tensor::Splat<int64_t>(ElementType::kI32, {}, context.in(0).dim(context.Int("dimension")))};
}

// Cuts a dimension to a size that is not greater than its own.
Expected<Values> SetDimensionSize(OpContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = x.shape();
  const auto d = static_cast<size_t>(context.Int("dimension"));
  const int64_t size = context.in(1).IntegerAt(0);
  if (size < 0 || size > shape[d]) return context.Fail(ExitCode::kBadInput, "the size exceeds the dimension");
  shape[d] = size;
  return Values{StridedView(x, shape, StridesOf(x.shape()), 0)};
}

// Broadcasts both operands of chlo.broadcast_x to one shape, then evaluates x.
Expected<Values> ImplicitBroadcast(OpContext& context) {
  size_t rank = 0;
  for (const Value& v : context.operands) rank = std::max(rank, v.tensor().shape().size());
  const std::vector<int64_t> given = context.Ints("broadcast_dimensions");
  Shape shape(rank, 1);
  std::vector<std::vector<int64_t>> dims;
  for (const Value& v : context.operands) {
    const Shape& own = v.tensor().shape();
    std::vector<int64_t> d = given;
    if (own.size() == rank || d.size() != own.size()) {
      d.resize(own.size());
      std::iota(d.begin(), d.end(), static_cast<int64_t>(rank - own.size()));
    }
    for (size_t i = 0; i < own.size(); ++i) {
      int64_t& extent = shape[static_cast<size_t>(d[i])];
      if (extent == 1) extent = own[i];
      if (own[i] != 1 && own[i] != extent) return context.Fail(ExitCode::kBadInput, "the shapes do not broadcast");
    }
    dims.push_back(std::move(d));
  }
  Values operands;
  for (size_t i = 0; i < context.size(); ++i) {
    operands.emplace_back(BroadcastInDim(context.in(i), shape, dims[i]));
  }
  const std::string tail(context.name.substr(std::string_view("chlo.broadcast_").size()));
  for (const std::string& name : {"stablehlo." + tail, "chlo." + tail}) {
    if (const EvalFn fn = EvalTable().lookup(name)) {
      OpContext inner{context.op, name, std::move(operands), context.evaluator, context.scope, context.expressed};
      return fn(inner);
    }
  }
  return context.Unsupported(std::string(context.name));
}

}  // namespace

void AddDynamic(EvalTableType& table) {
  table["stablehlo.dynamic_broadcast_in_dim"] = &DynamicBroadcastInDim;
  table["stablehlo.dynamic_reshape"] = &DynamicReshape;
  table["stablehlo.dynamic_pad"] = &DynamicPad;
  table["stablehlo.get_dimension_size"] = &GetDimensionSize;
  table["stablehlo.set_dimension_size"] = &SetDimensionSize;
  for (const char* name : {"add",
                           "and",
                           "atan2",
                           "compare",
                           "complex",
                           "divide",
                           "maximum",
                           "minimum",
                           "multiply",
                           "next_after",
                           "or",
                           "polygamma",
                           "power",
                           "remainder",
                           "select",
                           "shift_left",
                           "shift_right_arithmetic",
                           "shift_right_logical",
                           "subtract",
                           "xor",
                           "zeta"}) {
    table[std::string("chlo.broadcast_") + name] = &ImplicitBroadcast;
  }
}

}  // namespace opbyop::reference
