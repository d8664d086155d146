// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers the eval functions of the sdy ops: shardings, collectives and computations written per device.
#ifndef OPBYOP_REFERENCE_EVAL_OPS_SHARDING_H_
#define OPBYOP_REFERENCE_EVAL_OPS_SHARDING_H_

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

void AddSharding(EvalTableType& table);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_SHARDING_H_
