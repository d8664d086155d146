// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/exit_code.h"

namespace opbyop {

std::string_view Describe(ExitCode code) {
  switch (code) {
    case ExitCode::kOk:
      return "done, no unexpected result";
    case ExitCode::kUnexpectedResult:
      return "a row, check or comparison failed; the reports are complete";
    case ExitCode::kUsage:
      return "the command line is wrong";
    case ExitCode::kNoInput:
      return "a named file or folder does not exist, or cannot be read or written";
    case ExitCode::kBadInput:
      return "a file has the wrong contents";
    case ExitCode::kUnsupported:
      return "well-formed, but of a version or kind that this version cannot read";
    case ExitCode::kPartial:
      return "some inputs were bad and are counted; the others were processed";
    case ExitCode::kNothingToDo:
      return "no case, model or test was selected";
    case ExitCode::kNothingJudged:
      return "nothing was judged: every row is unsupported, inconclusive or skipped";
    case ExitCode::kInternal:
      return "a defect of opbyop itself";
  }
  return "unknown exit code";
}

}  // namespace opbyop
