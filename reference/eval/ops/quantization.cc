// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// uniform_quantize, uniform_dequantize.
#include "reference/eval/quantization.h"

#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

// Quantizes floats, or the expressed values of another quantized type.
Expected<Values> UniformQuantize(OpContext& context) {
  const auto to = QuantizationOf(context.op->getResult(0).getType());
  if (!to) return context.Unsupported("uniform_quantize to a type that is neither per tensor nor per axis");
  const auto from = QuantizationOf(context.op->getOperand(0).getType());
  if (!from && context.in(0).kind() != ElementKind::kFloat) {
    return context.Fail(ExitCode::kBadInput, "takes floats or quantized elements");
  }
  return Values{Quantize(from ? Dequantize(context.in(0), *from) : context.in(0), *to, context.bounds())};
}

Expected<Values> UniformDequantize(OpContext& context) {
  const auto from = QuantizationOf(context.op->getOperand(0).getType());
  if (!from) return context.Unsupported("uniform_dequantize of a type that is neither per tensor nor per axis");
  return Values{Dequantize(context.in(0), *from)};
}

}  // namespace

void AddQuantization(EvalTableType& table) {
  table["stablehlo.uniform_quantize"] = &UniformQuantize;
  table["stablehlo.uniform_dequantize"] = &UniformDequantize;
}

}  // namespace opbyop::reference
