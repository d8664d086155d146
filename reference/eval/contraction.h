// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products for all element types: the common part of dot_general, dot and convolution.
#ifndef OPBYOP_REFERENCE_EVAL_CONTRACTION_H_
#define OPBYOP_REFERENCE_EVAL_CONTRACTION_H_

#include <optional>
#include <vector>

#include "reference/bounds/product_precision.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/gemm.h"

namespace opbyop::reference {

// One block of the result: rows x columns sums over `inner`. Sum (i, j) is
//   result[result_base + row_places[i] + column_places[j]].
struct ContractionBlock {
  int64_t lhs_base, rhs_base, result_base;
};

// Facts about a float or complex tensor, found in one pass.
struct OperandFacts {
  double nonzero_share = 1;  // of its elements; 1 if it has none
  bool finite = true;        // all elements are numbers
};
OperandFacts FactsOf(const Tensor& t);

struct Contraction {
  Tensor lhs, rhs;
  Offsets lhs_outer, lhs_inner, rhs_outer, rhs_inner;
  Offsets row_places, column_places;  // in the result
  std::vector<ContractionBlock> blocks;
  ProductPrecision precision;
  const Accumulator* accumulator = nullptr;  // accumulator that the device declares; nullptr: none
  // Facts that the caller has found already, for one who computes a product in parts.
  std::optional<OperandFacts> lhs_facts = {}, rhs_facts = {};
};

// Whether the sums of each block follow each other in the result, row by row.
bool HasRowMajorBlocks(const Contraction& contraction);

// Returns the result, with its bound if the context asks for bounds. Returns an error if the element types of the
// operands do not fit together.
Expected<Tensor> Contract(const OpContext& context, Contraction contraction, ElementType type, Shape shape);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CONTRACTION_H_
