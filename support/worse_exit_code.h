// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a job ends whose parts ended each in its own way.
//
//   ExitCode code = ExitCode::kOk;
//   for (const Part& part : parts) code = WorseOf(code, part.Run());
#ifndef OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_
#define OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_

#include "support/exit_code.h"

namespace opbyop {

// kUnexpectedResult before kNothingJudged before kPartial before kOk. Any other code ended its part and comes first; of
// two of these the first.
ExitCode WorseOf(ExitCode a, ExitCode b);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_WORSE_EXIT_CODE_H_
