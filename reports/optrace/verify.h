// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a trace is consistent with itself, and what it lacks.
//
//   Verification v = Verify(trace);
//   v.defects   // what contradicts itself: no export of it can be trusted
//   v.gaps      // what is not there: which views will be empty
#ifndef OPBYOP_REPORTS_OPTRACE_VERIFY_H_
#define OPBYOP_REPORTS_OPTRACE_VERIFY_H_

#include <string>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

struct Verification {
  std::vector<std::string> defects;
  std::vector<std::string> gaps;
};

Verification Verify(const Trace& trace);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_VERIFY_H_
