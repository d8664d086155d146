// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Words in color, where whoever reads them wants that.
//
//   const bool color = WantsColor("auto", ::isatty(STDOUT_FILENO) != 0);
//   fmt::print("{}\n", Colored("[  FAILED  ]", Color::kRed, color));
#ifndef OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_
#define OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_

#include <string>
#include <string_view>

namespace opbyop {

enum class Color { kRed, kGreen, kYellow };

// `choice` as GoogleTest's --gtest_color and GTEST_COLOR have it: "yes", "true", "t" and "1" mean yes, "auto" a
// terminal that is not dumb, unless the environment has a NO_COLOR that is not empty (no-color.org); anything else
// means no.
bool WantsColor(std::string_view choice, bool is_terminal);

// The text as it is where `wanted` is false.
std::string Colored(std::string_view text, Color color, bool wanted);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_TERMINAL_COLOR_H_
