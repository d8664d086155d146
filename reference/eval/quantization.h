// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantized element types and what they mean: real = (stored - zero_point) * scale.
//
//   std::optional<Quantization> q = QuantizationOf(value.getType());
//   Tensor real = Dequantize(stored, *q);       // in the expressed type
//   Tensor again = Quantize(real, *q);          // in the storage type
//
// A value of quantized type is held as a tensor of its storage type; parameters stay in the MLIR type. Both
// directions follow the specification step by step, each step rounded to the expressed type.
#ifndef OPBYOP_REFERENCE_EVAL_QUANTIZATION_H_
#define OPBYOP_REFERENCE_EVAL_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlir/IR/Operation.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

struct Quantization {
  ElementType storage;
  ElementType expressed;
  int64_t min;  // of stored values
  int64_t max;
  int64_t axis = -1;           // of per-axis parameters; -1: one pair for all elements
  std::vector<double> scales;  // numbers of the expressed type
  std::vector<int64_t> zero_points;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// The parameters of a quantized element type, or of a tensor of one. Returns nullopt for all other types, sub-channel
// quantization included.
std::optional<Quantization> QuantizationOf(mlir::Type type);

// True where an operand or a result is a tensor of quantized elements.
bool UsesQuantization(mlir::Operation* op);

// True for the ops that move quantized elements as they are, hand them to a region, or convert them themselves.
// All others compute on what their operands express.
bool TakesStoredElements(std::string_view name);

Tensor Dequantize(const Tensor& stored, const Quantization& q);

// NaN is stored as 0, as conversions to integers do. With a bound on `real`, or with `bounds`, the result says how many
// steps a correct device may be away: where the exact quotient lies next to a tie.
Tensor Quantize(const Tensor& real, const Quantization& q, bool bounds = false);

// A zero of a type: the zero point of a quantized one.
Tensor ZeroOf(mlir::Type type, const Tensor& like);

// The specification's to_destination_type, for operands of a region that computes in a wider type.
Tensor ToDestinationType(const Tensor& value, mlir::Type from, mlir::Type to);

// dequantize, op, quantize; operands and results that are not quantized are passed as they are (hybrid ops).
Expected<Values> EvaluateQuantized(OpContext& context, EvalFn eval);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_QUANTIZATION_H_
