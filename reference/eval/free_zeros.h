// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Zeros whose sign a device may choose (Bound::zero_sign_free), as the operands of another op.
//
//   const FreeZeros zeros(context);                      // before the op is evaluated
//   if (results) zeros.Carry(*results);
#ifndef OPBYOP_REFERENCE_EVAL_FREE_ZEROS_H_
#define OPBYOP_REFERENCE_EVAL_FREE_ZEROS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/bounds/zero_signs.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Fixes the signs of the zeros that an op has chosen, but for those elements i for which is_open(i) holds
// (NarrowOpenZeros). A device that flushes may also drop the sign of what it flushes, so it keeps all of them open.
template <typename Fn>
void FixZeroSigns(const OpContext& context, Tensor& result, Fn&& is_open) {
  if (result.kind() != ElementKind::kFloat || context.evaluator.options().flushes) return;
  NarrowOpenZeros(result, std::forward<Fn>(is_open));
}

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
