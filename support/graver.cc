// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/graver.h"

#include <algorithm>
#include <array>

namespace opbyop {

ExitCode Graver(ExitCode a, ExitCode b) {
  constexpr std::array kMild = {ExitCode::kOk, ExitCode::kPartial, ExitCode::kNothingJudged,
                                ExitCode::kUnexpectedResult};
  return std::ranges::find(kMild, a) < std::ranges::find(kMild, b) ? b : a;
}

}  // namespace opbyop
