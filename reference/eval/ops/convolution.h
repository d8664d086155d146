// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of a convolution, before they are computed: one matrix product per group, which reads the padded, dilated
// input through offsets.
//
//   const Expected<DotSums> sums = SumsOfConvolution(context);   // of a stablehlo.convolution
//   sums->contraction.lhs_outer.size();                          // batch times output positions
#ifndef OPBYOP_REFERENCE_EVAL_OPS_CONVOLUTION_H_
#define OPBYOP_REFERENCE_EVAL_OPS_CONVOLUTION_H_

#include "reference/eval/dot.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// The context's operands are the input and the kernel. The rows of the sums are the batch and the output's positions.
Expected<DotSums> SumsOfConvolution(const OpContext& context);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_CONVOLUTION_H_
