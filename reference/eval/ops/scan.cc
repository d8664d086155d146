// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// chlo.scan: passes a carry from slice to slice along one dimension.
#include <algorithm>

#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

// Operands are the inputs, then the inits. Results are the outputs (one slice per step, stacked), then the final
// carries. The body takes slices, then carries, and returns output slices, then carries.
Expected<Values> Scan(OpContext& context) {
  mlir::Region& body = context.op->getRegion(0);
  int64_t inits = 0;
  if (auto sizes = context.op->getAttrOfType<mlir::DenseI32ArrayAttr>("operandSegmentSizes")) {
    inits = sizes.asArrayRef().back();
  } else {
    return context.Unsupported("chlo.scan without segment sizes");
  }
  const auto n = static_cast<int64_t>(context.size());
  const int64_t inputs = n - inits;
  if (inputs == 0) return context.Unsupported("chlo.scan without inputs");
  const auto d = static_cast<size_t>(context.Int("dimension"));
  const bool reverse = context.Bool("is_reverse");
  const int64_t steps = context.in(0).shape()[d];
  Values carry;
  for (int64_t i = inputs; i < n; ++i) carry.push_back(context.operands[static_cast<size_t>(i)]);
  const int64_t outputs = static_cast<int64_t>(context.op->getNumResults()) - inits;
  std::vector<std::unique_ptr<Move>> stacked(static_cast<size_t>(outputs));
  std::vector<Shape> shapes(static_cast<size_t>(outputs));
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t at = reverse ? steps - 1 - s : s;
    Values arguments;
    for (int64_t i = 0; i < inputs; ++i) {
      const Tensor& x = context.in(static_cast<size_t>(i));
      Shape strides = StridesOf(x.shape());
      Shape shape = x.shape();
      const int64_t base = at * strides[d];
      strides.erase(strides.begin() + static_cast<int64_t>(d));
      shape.erase(shape.begin() + static_cast<int64_t>(d));
      arguments.emplace_back(StridedView(x, shape, strides, base));
    }
    arguments.insert(arguments.end(), carry.begin(), carry.end());
    Expected<Values> results = context.evaluator.Run(body, std::move(arguments), context.scope);
    if (!results) return results;
    for (int64_t o = 0; o < outputs; ++o) {
      const Tensor& slice = (*results)[static_cast<size_t>(o)].tensor();
      auto& move = stacked[static_cast<size_t>(o)];
      Shape& shape = shapes[static_cast<size_t>(o)];
      if (!move) {
        shape = slice.shape();
        shape.insert(shape.begin() + static_cast<int64_t>(d), steps);
        move = std::make_unique<Move>(slice.type(), shape);
      }
      Shape to = StridesOf(shape);
      const int64_t base = at * to[d];
      to.erase(to.begin() + static_cast<int64_t>(d));
      move->Copy(slice, slice.shape(), StridesOf(slice.shape()), 0, to, base);
    }
    carry.assign(results->begin() + outputs, results->end());
  }
  Values out;
  for (int64_t o = 0; o < outputs; ++o) {
    if (stacked[static_cast<size_t>(o)]) {
      out.emplace_back(stacked[static_cast<size_t>(o)]->Take());
      continue;
    }
    const Expected<ElementType> type = context.ResultType(static_cast<unsigned>(o));
    const Expected<Shape> shape = context.ResultShape(static_cast<unsigned>(o));
    if (!type) return Unexpected(type.error());
    if (!shape) return Unexpected(shape.error());
    out.emplace_back(Tensor::Make(*type, *shape));
  }
  out.insert(out.end(), carry.begin(), carry.end());
  return out;
}

}  // namespace

void AddScan(EvalTableType& table) { table["chlo.scan"] = &Scan; }

}  // namespace opbyop::reference
