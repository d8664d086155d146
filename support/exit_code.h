// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exit codes of all programs of this project; docs/exit-codes.md explains them.
#ifndef OPBYOP_SUPPORT_EXIT_CODE_H_
#define OPBYOP_SUPPORT_EXIT_CODE_H_

#include <string_view>

namespace opbyop {

enum class ExitCode : int {
  kOk = 0,                // everything that was requested was done, with no unexpected result
  kUnexpectedResult = 1,  // a row, check or comparison failed; reports are complete
  kUsage = 2,             // the command line is wrong
  kNoInput = 3,           // a named file or folder does not exist or cannot be read
  kBadInput = 4,          // a file has the wrong contents: empty, truncated, not MLIR, no @main
  kUnsupported = 5,       // well-formed, but of a version or kind that this version cannot read; the message says which
  kPartial = 6,           // some inputs were bad and are counted; the others were processed
  kNothingToDo = 7,       // no case, no model or no test was selected
  kNothingJudged = 8,     // rows ran, but none was judged: each is unsupported, inconclusive or skipped
  kInternal = 70,         // a defect of opbyop itself; please report
};

// One line for `--help` and docs: "a row, check or comparison failed".
std::string_view Describe(ExitCode code);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_EXIT_CODE_H_
