// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/terminal_color.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace opbyop {

bool WantsColor(std::string_view choice, bool is_terminal) {
  std::string lower(choice);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kYes = {"yes", "true", "t", "1"};
  if (lower != "auto") return std::ranges::find(kYes, lower) != kYes.end();
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (refused != nullptr && *refused != '\0') return false;
  return is_terminal && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string Colored(std::string_view text, Color color, bool wanted) {
  if (!wanted) return std::string(text);
  const int code = color == Color::kRed ? 31 : color == Color::kGreen ? 32 : 33;
  return fmt::format("\x1b[0;{}m{}\x1b[m", code, text);
}

}  // namespace opbyop
