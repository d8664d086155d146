// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Command lines that a person may paste.
//
//   ShellCommand({"opbyop", "run", "my models"});   // "opbyop run 'my models'"
#ifndef OPBYOP_SUPPORT_SHELL_QUOTE_H_
#define OPBYOP_SUPPORT_SHELL_QUOTE_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

// One word of a POSIX shell; quoted only where it must be.
std::string ShellQuote(std::string_view word);

std::string ShellCommand(const std::vector<std::string>& argv);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHELL_QUOTE_H_
