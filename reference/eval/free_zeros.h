// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Zeros whose sign a device may choose (Bound::zero_sign_free), as the operands of another op.
//
//   const FreeZeros zeros(context);                      // before the op is evaluated
//   if (results) zeros.Carry(*results);
#ifndef OPBYOP_REFERENCE_EVAL_FREE_ZEROS_H_
#define OPBYOP_REFERENCE_EVAL_FREE_ZEROS_H_

#include <cstdint>
#include <vector>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

class FreeZeros {
 public:
  explicit FreeZeros(const OpContext& context);

  // The zeros of an elementwise result have a free sign if those of an operand have. Where the sign of an operand
  // decides more, as that of a divisor, the element gets an infinite bound.
  void Carry(Values& results) const;

 private:
  bool any_ = false;
  std::vector<int64_t> decided_;  // elements of the result that the sign of a zero decides
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_FREE_ZEROS_H_
