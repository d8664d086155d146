// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: the child processes that this process has started and not waited for.
//
//   EXPECT_THAT(TestChildren(), IsEmpty());
#ifndef OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_
#define OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_

#include <sys/types.h>

#include <vector>

#include "support/process/process_tree.h"

namespace opbyop {

// The workers of a run, each the child of a supervisor; those of this process if `pid` is 0.
inline std::vector<pid_t> WorkersOf(pid_t pid) {
  std::vector<pid_t> workers;
  for (const pid_t supervisor : ChildrenOf(pid)) {
    for (const pid_t worker : ChildrenOf(supervisor)) workers.push_back(worker);
  }
  return workers;
}

inline std::vector<pid_t> TestChildren() { return ChildrenOf(0); }

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_
