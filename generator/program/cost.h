// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Estimates the work of one run of an op from its types and attributes.
//
//   Cost cost = EstimateCost(op);   // dot_general 2x3 * 3x4: 48 flops, (6 + 12 + 8) * 4 bytes
#ifndef OPBYOP_GENERATOR_PROGRAM_COST_H_
#define OPBYOP_GENERATOR_PROGRAM_COST_H_

#include <cstdint>
#include <vector>

#include "mlir/IR/Operation.h"
#include "support/tensor_type.h"

namespace opbyop::generator {

// The number of arithmetic operations: a multiply-add counts 2, any elementwise function 1. Returns 0 for data
// movement, for ops whose work depends on the data (while, sort), for opaque ops, and if a dimension is dynamic.
int64_t EstimateFlops(mlir::Operation* op);

// The bytes of reading every input once and writing every output once. Returns 0 if a dimension is dynamic.
int64_t BytesMoved(const std::vector<TensorType>& inputs, const std::vector<TensorType>& outputs);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_COST_H_
