// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products in ways that are faster than a dense product, where the operands allow one.
//
//   if (auto sums = SparseProducts(contraction, lhs, rhs, lhs_facts, rhs_facts, size)) ...  // sums->values
#ifndef OPBYOP_REFERENCE_EVAL_PRODUCT_SUMS_H_
#define OPBYOP_REFERENCE_EVAL_PRODUCT_SUMS_H_

#include <optional>

#include "reference/eval/contraction.h"
#include "reference/tensor/block_pool.h"

namespace opbyop::reference {

// The numbers that a product and its bound need, for each element of the result.
struct ProductSums {
  PooledNumbers values;      // the sum of a b
  PooledNumbers magnitudes;  // the sum of |a b|
  PooledNumbers terms;       // the number of nonzero products
  PooledNumbers largest;     // what no product exceeds in modulus; empty: not known
};

// For operands of which one has nearly only zeros, in time proportional to its other elements. Returns nullopt if
// neither operand is sparse enough, if an element is not finite or has an error, or if an operand is not a float narrower
// than f64. `size` is the number of elements of the result.
std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs,
                                          const OperandFacts& lhs_facts, const OperandFacts& rhs_facts, int64_t size);

// For operands of which one is one or two rows: a vector by a matrix, which is read once. Returns nullopt if both have
// more rows in a block, if the matrix is small or has elements in no block or in several, or if an operand has an error
// or is no float. Else sets the facts of both operands.
std::optional<ProductSums> ProductsOfFewRows(const Contraction& x, const Tensor& lhs, const Tensor& rhs, int64_t size,
                                             int threads, OperandFacts& lhs_facts, OperandFacts& rhs_facts);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PRODUCT_SUMS_H_
