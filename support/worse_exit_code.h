// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Combines the exit codes of the parts of a job.
//
//   ExitCode code = ExitCode::kOk;
//   for (const Part& part : parts) code = WorseOf(code, part.Run());
#ifndef OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_
#define OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_

#include "support/exit_code.h"

namespace opbyop {

// kUnexpectedResult takes precedence over kNothingJudged, kPartial and kOk, in this order. Any other code means that
// its part could not continue, and takes precedence over all of these; of two such codes the first is returned.
ExitCode WorseOf(ExitCode a, ExitCode b);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_
