// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/text_nesting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace opbyop {
namespace {

// Returns the place after the string that opens at `at`. Large constants are long strings without a backslash, whose
// end is found with memchr.
size_t AfterString(std::string_view text, size_t at) {
  size_t end = std::min(text.find('"', at + 1), text.size());
  if (text.substr(at, end - at).find('\\') == std::string_view::npos) return end + 1;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || c == '-';
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The characters that the scanner looks at. It skips all others, which are most of a text.
constexpr std::array<bool, 256> kMatters = [] {
  std::array<bool, 256> matters = {};
  for (const char c : std::string_view("\"/()[]{}<>+-*,#!fcm")) matters[static_cast<unsigned char>(c)] = true;
  return matters;
}();

class NestingScanner {
 public:
  explicit NestingScanner(std::string_view text) : text_(text) {}

  // Returns the first place at which the text exceeds a limit; nullopt if there is none.
  std::optional<size_t> Run() {
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (in_definition_ && opened_.empty()) NoteEndOfDefinition(c);
      if (!kMatters[static_cast<unsigned char>(c)]) {
        ++at;
        continue;
      }
      const size_t next = Step(c, at);
      if (nesting_ + beyond_ > kDeepestBrackets || braces_ > kDeepestBraces) return at;
      beyond_ = 0;
      at = next;
    }
    return std::nullopt;
  }

 private:
  struct Level {
    char open;
    int outer;  // nesting before the bracket
  };

  // Handles the token at `at`. Returns the place after it.
  size_t Step(char c, size_t at) {
    const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    switch (c) {
      case '"':
        return AfterString(text_, at);
      case '/':
        return next == '/' ? std::min(text_.find('\n', at), text_.size()) : at + 1;
      case '#':
      case '!':
        return Alias(at);
      case ',':
        if (!opened_.empty()) nesting_ = opened_.back().outer + 1;
        return at + 1;
      case '+':
      case '*':
        Operator();
        return at + 1;
      case '-':
        if (next == '>') return at + 2;
        Operator();
        return at + 1;
      case 'f':
      case 'c':
      case 'm':
        return Word(at);
      default:
        if ((c == '>' || c == '<') && next == '=') return at + 2;
        Bracket(c);
        return at + 1;
    }
  }

  void Bracket(char c) {
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      opened_.push_back({c, nesting_});
      Deepen(1);
      if (c == '{') ++braces_;
      return;
    }
    if (c == '}') braces_ = std::max(braces_ - 1, 0);
    if (opened_.empty()) return;
    nesting_ = opened_.back().outer;
    opened_.pop_back();
  }

  // Counts an operator of an affine expression. Each operator nests the expression on its left. Operators never occur
  // directly in braces.
  void Operator() {
    if (!opened_.empty() && opened_.back().open != '{') Deepen(1);
  }

  size_t Word(size_t at) {
    if (at > 0 && IsNameChar(text_[at - 1])) return at + 1;
    for (const std::string_view word : {"floordiv", "ceildiv", "mod"}) {
      const size_t end = at + word.size();
      if (!text_.substr(at).starts_with(word) || (end < text_.size() && IsNameChar(text_[end]))) continue;
      Operator();
      return end;
    }
    return at + 1;
  }

  // Handles `#name` and `!name`. The nesting of an alias's definition counts wherever the alias is used.
  size_t Alias(size_t at) {
    size_t end = at + 1;
    while (end < text_.size() && IsNameChar(text_[end])) ++end;
    const std::string_view name = text_.substr(at, end - at);
    if (opened_.empty()) {
      size_t value = std::min(text_.find_first_not_of(" \t\r\n", end), text_.size());
      if (value < text_.size() && text_[value] == '=' && text_.substr(value, 2) != "==") {
        value = std::min(text_.find_first_not_of(" \t\r\n", value + 1), text_.size());
        nesting_ = 0;
        in_definition_ = true;
        is_line_over_ = false;
        // The bracket of `loc(` itself is not a level of a location, so counting starts at -1.
        definition_ = &aliases_.insert_or_assign(name, text_.substr(value).starts_with("loc(") ? -1 : 0).first->second;
        outermost_ = *definition_;
        return value;
      }
    }
    if (const auto known = aliases_.find(name); known != aliases_.end()) {
      beyond_ = known->second;
      Deepen(0);
    }
    return end;
  }

  void Deepen(int levels) {
    nesting_ += levels;
    if (in_definition_) *definition_ = std::max(*definition_, outermost_ + nesting_ + beyond_);
  }

  // Called outside of all brackets. The definition of an alias ends at the end of its line, unless the line ends with
  // an arrow or a colon, or the next line continues it.
  void NoteEndOfDefinition(char c) {
    if (c == '\n') {
      is_line_over_ = true;
    } else if (!IsSpace(c)) {
      const bool is_open = last_ == ':' || last_ == '-';
      const bool starts_statement = c == '%' || c == '"' || c == '{' || c == '/' || (IsNameChar(c) && c != '-');
      if (is_line_over_ && starts_statement && !is_open) in_definition_ = false;
      is_line_over_ = false;
      last_ = c;
    }
  }

  std::string_view text_;
  std::vector<Level> opened_;
  int nesting_ = 0;  // open brackets, plus the operators before this place in each of them
  int beyond_ = 0;   // nesting of the alias used here
  int braces_ = 0;
  std::unordered_map<std::string_view, int> aliases_;  // nesting of each alias
  bool in_definition_ = false;
  bool is_line_over_ = false;
  char last_ = '\0';
  int* definition_ = nullptr;
  int outermost_ = 0;
};

}  // namespace

Expected<void> CheckTextNesting(std::string_view text, std::string_view name, int first_line) {
  const std::optional<size_t> place = NestingScanner(text).Run();
  if (!place) return {};
  return MakeError(ExitCode::kBadInput,
                   fmt::format("{}:{}: this is nested more than {} brackets, aliases and operators or {} braces deep, "
                               "which is not read",
                               name, first_line + std::count(text.begin(), text.begin() + *place, '\n'),
                               kDeepestBrackets, kDeepestBraces));
}

}  // namespace opbyop
