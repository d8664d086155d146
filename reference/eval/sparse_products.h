// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products if nearly all elements of one operand are zero, in time proportional to its nonzero elements.
//
//   if (const auto sums = SparseProducts(contraction, lhs, rhs, lhs_facts, rhs_facts, size)) ...  // sums->values
#ifndef OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_
#define OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_

#include <optional>
#include <vector>

#include "reference/eval/contraction.h"

namespace opbyop::reference {

// For each element of the result: the sum of a b, the sum of |a b| and the number of nonzero products.
struct ProductSums {
  std::vector<double> values, magnitudes, terms;
};

// Returns nullopt if neither operand is sparse enough, if an element is not finite or has an error, or if an operand is
// not a float narrower than f64. `size` is the number of elements of the result.
std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs,
                                          const OperandFacts& lhs_facts, const OperandFacts& rhs_facts, int64_t size);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_
