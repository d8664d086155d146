// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Colors words if the user wants colors.
//
//   const bool color = WantsColor("auto", ::isatty(STDOUT_FILENO) != 0);
//   fmt::print("{}\n", Colored("[  FAILED  ]", Color::kRed, color));
#ifndef OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_
#define OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_

#include <string>
#include <string_view>

namespace opbyop {

enum class Color { kRed, kGreen, kYellow };

// `choice` has the values of GoogleTest's --gtest_color and GTEST_COLOR: "yes", "true", "t" and "1" mean yes; "auto"
// means a terminal that is not dumb, unless the environment has a NO_COLOR that is not empty (no-color.org); anything
// else means no.
bool WantsColor(std::string_view choice, bool is_terminal);

// Returns the text unchanged if `wanted` is false.
std::string Colored(std::string_view text, Color color, bool wanted);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_
