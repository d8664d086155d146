// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the elementwise families share and their registration in parts.
#ifndef OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_
#define OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_

#include <initializer_list>

#include "reference/bounds/bound.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// The sum of the operands' errors at every element: exact for sums, 1 or more wherever a discrete result may
// come out otherwise.
Propagated CarriedErrors(const Tensor& out, std::initializer_list<const Tensor*> operands);

// Products of finite complex numbers whose usual formulas do not all come to the same in the type, as a product of
// parts overflows on the way to a result that need not: any result is right there.
void OpenWhereProductsOverflow(const Tensor& x, const Tensor& y, Tensor& out);

// A comparison by totalOrder, StableHLO's or CHLO's.
bool ComparesInTotalOrder(mlir::Operation* op);

void AddUnary(EvalTableType& table);
void AddBinary(EvalTableType& table);
void AddBitwise(EvalTableType& table);
void AddCompareAndSelect(EvalTableType& table);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_
