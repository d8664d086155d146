// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes command lines that a user may paste into a shell.
//
//   ShellCommand({"opbyop", "run", "my models"});   // "opbyop run 'my models'"
//   "# By " + ShellComment(version) + "\n"
#ifndef OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_
#define OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

// One word for a POSIX shell; quoted only if needed.
std::string ShellQuote(std::string_view word);

// The first word is a program, even if its name looks like an assignment or a keyword of the shell.
std::string ShellCommand(const std::vector<std::string>& argv);

// One line without control characters, for a comment in a script: no text in it can end the comment.
std::string ShellComment(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_
