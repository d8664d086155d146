// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops whose result shape is an operand's value, and CHLO's implicit broadcasts.
#include <algorithm>
#include <numeric>

#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

Expected<Values> DynamicBroadcastInDim(OpContext& context) {
  return Values{BroadcastInDim(context.in(0), context.in(1).Integers(), context.Ints("broadcast_dimensions"))};
}

Expected<Values> DynamicReshape(OpContext& context) {
  Shape shape = context.in(1).Integers();
  if (SizeOf(shape) != context.in(0).size()) return context.Fail(ExitCode::kBadInput, "the sizes differ");
  return Values{context.in(0).Reshaped(std::move(shape))};
}

Expected<Values> DynamicPad(OpContext& context) {
  return Values{
      Pad(context.in(0), context.in(1), context.in(2).Integers(), context.in(3).Integers(), context.in(4).Integers())};
}

Expected<Values> GetDimensionSize(OpContext& context) {
  return Values{Tensor::Splat<int64_t>(ElementType::kI32, {}, context.in(0).dim(context.Int("dimension")))};
}

// A dimension cut to a size no greater than its own.
Expected<Values> SetDimensionSize(OpContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = x.shape();
  const auto d = static_cast<size_t>(context.Int("dimension"));
  const int64_t size = context.in(1).IntegerAt(0);
  if (size < 0 || size > shape[d]) return context.Fail(ExitCode::kBadInput, "the size exceeds the dimension");
  shape[d] = size;
  return Values{StridedView(x, shape, StridesOf(x.shape()), 0)};
}

// Both operands of chlo.broadcast_x brought to one shape, then x itself.
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
