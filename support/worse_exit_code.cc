// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/worse_exit_code.h"

#include <algorithm>
#include <array>

namespace opbyop {

ExitCode WorseOf(ExitCode a, ExitCode b) {
  constexpr std::array kMild = {ExitCode::kOk, ExitCode::kPartial, ExitCode::kNothingJudged,
                                ExitCode::kUnexpectedResult};
  return std::ranges::find(kMild, a) < std::ranges::find(kMild, b) ? b : a;
}

}  // namespace opbyop
