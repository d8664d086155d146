// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks whether a trace is consistent, and what it lacks.
//
//   Verification v = Verify(trace);
//   v.defects   // contradictions: no export of the trace can be trusted
//   v.gaps      // absent parts: views that will be empty
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
