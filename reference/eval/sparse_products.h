// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products where nearly all elements of one operand are zero, in time proportional to the others.
//
//   if (std::optional<ProductSums> sums = SparseProducts(contraction, lhs, rhs, size)) ...   // values, magnitudes,
//   terms
#ifndef OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_
#define OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_

#include <optional>
#include <vector>

#include "reference/eval/contraction.h"

namespace opbyop::reference {

// Per element of the result: sum a b, sum |a b| and the number of products that are not zero.
struct ProductSums {
  std::vector<double> values, magnitudes, terms;
};

// The share of elements that are not zero, of a float or complex tensor; 1 where there are none.
double NonzeroShare(const Tensor& t);

// nullopt where neither operand is so sparse that it pays, an element is not finite or has an error, or an operand is
// no float narrower than f64. `size`: of the result.
std::optional<ProductSums> SparseProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, int64_t size);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_SPARSE_PRODUCTS_H_
