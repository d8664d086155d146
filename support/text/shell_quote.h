// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Command lines that a person may paste.
//
//   ShellCommand({"opbyop", "run", "my models"});   // "opbyop run 'my models'"
//   "# By " + ShellComment(version) + "\n"
#ifndef OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_
#define OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

// One word of a POSIX shell; quoted only where it must be.
std::string ShellQuote(std::string_view word);

// The first word is a program even where its name looks like an assignment or a word of the shell.
std::string ShellCommand(const std::vector<std::string>& argv);

// One line without control characters, for a comment of a script: nothing in it comes after the comment's end.
std::string ShellComment(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SHELL_QUOTE_H_
