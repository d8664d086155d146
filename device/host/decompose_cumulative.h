// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites long cumulative reductions, the form of cumsum and its like in JAX and PyTorch, by doubling.
//
//   DecomposeCumulative(reduce_window);   // leaves every other reduce_window as it is
#ifndef OPBYOP_DEVICE_HOST_DECOMPOSE_CUMULATIVE_H_
#define OPBYOP_DEVICE_HOST_DECOMPOSE_CUMULATIVE_H_

#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {

// Replaces a reduce_window whose window is as long as one dimension, n, and starts or ends at each of its positions, by
// log2(n) combinations of the whole tensor with itself: n log2(n) steps in place of n * n. Results may be combined in
// another order, as the specification allows. Only with one input, at least 1,024 positions, a body of one op that is
// associative, and an initial value that does not change the result if it is combined repeatedly.
void DecomposeCumulative(stablehlo::ReduceWindowOp op);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_DECOMPOSE_CUMULATIVE_H_
