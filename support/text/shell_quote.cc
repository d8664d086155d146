// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/shell_quote.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "support/text/safe_text.h"

namespace opbyop {

std::string ShellQuote(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/._-=+:,").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellCommand(const std::vector<std::string>& argv) {
  static constexpr std::array<std::string_view, 16> kReserved = {
      "!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while"};
  std::string command;
  for (const std::string& word : argv) {
    const bool first = &word == argv.data();
    const std::string quoted = ShellQuote(word);
    const bool misread = first && quoted == word &&
                         (word.find('=') != std::string::npos || std::ranges::find(kReserved, word) != kReserved.end());
    command += (first ? "" : " ") + (misread ? "'" + word + "'" : quoted);
  }
  return command;
}

std::string ShellComment(std::string_view text) {
  std::string line = SafeLine(text, text.size());
  std::ranges::replace(line, '\t', ' ');
  return line;
}

}  // namespace opbyop
