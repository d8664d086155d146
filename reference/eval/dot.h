// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix products over given dimensions: the common part of dot_general, dot and ragged_dot.
#ifndef OPBYOP_REFERENCE_EVAL_DOT_H_
#define OPBYOP_REFERENCE_EVAL_DOT_H_

#include <vector>

#include "reference/bounds/product_precision.h"
#include "reference/eval/contraction.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

struct DotDimensions {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contract, rhs_contract;
};

// The dimensions of the result are batch, lhs free, rhs free. Its element type is that of the context's first result.
Expected<Tensor> DotOf(const OpContext& context, const Tensor& lhs, const Tensor& rhs, const DotDimensions& dims,
                       const ProductPrecision& precision = {});

// The sums of a product and the shape of its result, before they are computed.
struct DotSums {
  Contraction contraction;
  Shape shape;
  Shape row_extents;  // of the dimensions whose positions are the rows of the contraction; empty: one
};
Expected<DotSums> SumsOf(const OpContext& context, const Tensor& lhs, const Tensor& rhs, const DotDimensions& dims,
                         const ProductPrecision& precision = {});
// The same of a dot_general or a dot with the context's operands.
Expected<DotSums> SumsOfProduct(const OpContext& context);

void AddRaggedDot(EvalTableType& table);
void AddEinsum(EvalTableType& table);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_DOT_H_
