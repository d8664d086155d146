// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The processes that a collective op meets.
//
//   Expected<ProcessGroup> group = GroupOfCollective(context);   // in the order of the group
#ifndef OPBYOP_REFERENCE_EVAL_OPS_PROCESS_GROUP_H_
#define OPBYOP_REFERENCE_EVAL_OPS_PROCESS_GROUP_H_

#include "reference/eval/evaluator.h"
#include "reference/grid/running_grid.h"

namespace opbyop::reference {

// The group of the evaluator's process; empty if it is in none. Returns kUnsupported if the op needs processes that do
// not run here.
Expected<ProcessGroup> GroupOfCollective(const OpContext& context);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_PROCESS_GROUP_H_
