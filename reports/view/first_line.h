// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text from compilers and workers in the form that reports show; support/text/safe_text.h makes it safe.
//
//   FirstLine("\nerror: x\n")  // "error: x"
#ifndef OPBYOP_REPORTS_VIEW_FIRST_LINE_H_
#define OPBYOP_REPORTS_VIEW_FIRST_LINE_H_

#include <string>
#include <string_view>

#include "support/text/count_text.h"  // IWYU pragma: export
#include "support/text/safe_text.h"   // IWYU pragma: export

namespace opbyop::reports {

// The first line that is not blank, without surrounding blanks.
std::string FirstLine(std::string_view text);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_FIRST_LINE_H_
