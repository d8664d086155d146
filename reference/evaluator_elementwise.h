// What the elementwise families share and their registration in parts.
#ifndef OPBYOP_REFERENCE_EVALUATOR_ELEMENTWISE_H_
#define OPBYOP_REFERENCE_EVALUATOR_ELEMENTWISE_H_

#include <initializer_list>

#include "reference/bound.h"
#include "reference/evaluator.h"

namespace opbyop {

// The sum of the operands' errors at every element: exact for sums, 1 or more wherever a discrete result may
// come out otherwise.
Propagated CarriedErrors(const Tensor& out, std::initializer_list<const Tensor*> operands);

void AddUnary(EvalTableType& table);
void AddBinary(EvalTableType& table);
void AddBitwise(EvalTableType& table);
void AddCompareAndSelect(EvalTableType& table);

}  // namespace opbyop

#endif  // OPBYOP_REFERENCE_EVALUATOR_ELEMENTWISE_H_
