#include "ir/text_nesting.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbyop {
namespace {

// The place behind the string that opens at `at`. Constants are long strings without a backslash: those are found
// with memchr.
size_t AfterString(std::string_view text, size_t at) {
  size_t end = std::min(text.find('"', at + 1), text.size());
  if (text.substr(at, end - at).find('\\') == std::string_view::npos) return end + 1;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

}  // namespace

Expected<void> CheckTextNesting(std::string_view text, std::string_view name) {
  int depth = 0;
  int braces = 0;
  int signs = 0;  // minus signs in a row nest in affine expressions
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '"') {
      at = AfterString(text, at);
      continue;
    }
    if (c == '/' && next == '/') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if ((c == '-' && next == '>') || (c == '>' && next == '=')) {
      at += 2;
      continue;
    }
    if (c == '-') {
      ++signs;
    } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      signs = 0;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') depth = std::max(depth - 1, 0);
    if (c == '{') ++braces;
    if (c == '}') braces = std::max(braces - 1, 0);
    if (depth + signs > kDeepestBrackets || braces > kDeepestBraces) {
      return MakeError(
          ExitCode::kBadInput,
          fmt::format("{}:{}: this is nested more than {} brackets or {} braces deep, which is not read", name,
                      1 + std::count(text.begin(), text.begin() + at, '\n'), kDeepestBrackets, kDeepestBraces));
    }
    ++at;
  }
  return {};
}

}  // namespace opbyop
