// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds processes that have different bits for what is one value of the program: the sum of a group, which an all_reduce
// gives to each of its members. Each may be within the bound of the sum.
//
//   Expected<std::string> found = FindDifferingReplicas(grid, results, bytes_of);
//   // "process 3, output 0[5]: got 1.5, process 2 got 1.5000001, and both are the sum of one group"; empty: there are none
#ifndef OPBYOP_REFERENCE_WORKER_DIFFERING_REPLICAS_H_
#define OPBYOP_REFERENCE_WORKER_DIFFERING_REPLICAS_H_

#include <cstddef>
#include <functional>
#include <string>

#include "manifests/cases/grid.h"
#include "reference/eval/evaluator.h"
#include "support/expected.h"
#include "support/files/npy.h"

namespace opbyop::reference {

// `results` are those of all processes (EvaluateOnGrid); `read` returns the device's file of a number among them. Values
// that are NaN may differ.
Expected<std::string> FindDifferingReplicas(const Grid& grid, const Values& results,
                                            const std::function<Expected<NpyFile>(size_t number)>& read);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_DIFFERING_REPLICAS_H_
