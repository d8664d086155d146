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
  int64_t min;  // least stored value
  int64_t max;
  int64_t axis = -1;           // dimension of per-axis parameters; -1: one pair for all elements
  std::vector<double> scales;  // numbers of the expressed type
  std::vector<int64_t> zero_points;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// Returns the parameters of a quantized element type, or of a tensor with such elements. Returns nullopt for all other
// types, including sub-channel quantization.
std::optional<Quantization> QuantizationOf(mlir::Type type);

// True if an operand or a result is a tensor of quantized elements.
bool UsesQuantization(mlir::Operation* op);

// True for the ops that take stored elements: they move them unchanged, pass them to a region, or convert them
// themselves. All other ops compute on the expressed values of their operands.
bool TakesStoredElements(std::string_view name);

Tensor Dequantize(const Tensor& stored, const Quantization& q);

// Quantizes `real`. NaN is stored as 0, as in conversions to integers. If `real` has a bound, or if `bounds` is set,
// the result has a bound in steps: a correct device may be a step away if the exact quotient is close to a tie.
Tensor Quantize(const Tensor& real, const Quantization& q, bool bounds = false);

// Returns a zero of the type. For a quantized type it is the zero point.
Tensor ZeroOf(mlir::Type type, const Tensor& like);

// Implements the specification's to_destination_type, for operands of a region that computes in a wider type.
Tensor ToDestinationType(const Tensor& value, mlir::Type from, mlir::Type to);

// Dequantizes the operands, evaluates the op and quantizes the results. Operands and results that are not quantized are
// passed unchanged (hybrid ops).
Expected<Values> EvaluateQuantized(OpContext& context, EvalFn eval);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_QUANTIZATION_H_
