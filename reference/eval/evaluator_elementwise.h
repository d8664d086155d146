// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that the families of elementwise ops share, and the functions that register each family.
#ifndef OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_
#define OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_

#include <initializer_list>

#include "reference/bounds/bound.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/vector_math.h"

namespace opbyop::reference {

// Returns the sum of the operands' errors for each element. It is the exact error of a sum. For a discrete result it is
// above 0 if the result may differ.
Propagated CarriedErrors(const Tensor& out, std::initializer_list<const Tensor*> operands);

// Sets an infinite bound for those products of finite complex numbers for which the usual formulas disagree: a product
// of parts may overflow in one formula although the result does not in another.
void OpenWhereProductsOverflow(const Tensor& x, const Tensor& y, Tensor& out);

// True if the squares of both parts are zero or normal numbers of the format. The usual formulas for complex functions
// have them as steps.
bool HasTameSquares(const FloatFormat& format, Complex z);

// Returns the vector function with the same results as the op's own function. nullptr if there is none, or if it is not
// worth its start.
const VectorFunction* VectorFunctionFor(std::string_view op, const Tensor& out);

// True for a comparison of StableHLO or CHLO whose type is TOTALORDER.
bool ComparesInTotalOrder(mlir::Operation* op);

void AddUnary(EvalTableType& table);
void AddBinary(EvalTableType& table);
void AddBitwise(EvalTableType& table);
void AddCompareAndSelect(EvalTableType& table);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EVALUATOR_ELEMENTWISE_H_
