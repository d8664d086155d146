// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/shell_quote.h"

#include <algorithm>
#include <cctype>

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
  std::string command;
  for (const std::string& word : argv) command += (command.empty() ? "" : " ") + ShellQuote(word);
  return command;
}

}  // namespace opbyop
