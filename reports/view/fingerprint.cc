// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/fingerprint.h"

#include <algorithm>
#include <cctype>

namespace opbyop::reports {
namespace {

constexpr size_t kMost = 300;
// How the reference begins what it says about a declaration (reference/worker/declaration_hint.h).
constexpr std::string_view kDeclarationHint = "; right if ";

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the text at `at` is `name`, as a whole word.
bool Names(std::string_view text, size_t at, std::string_view name) {
  if (name.empty() || !text.substr(at).starts_with(name)) return false;
  const size_t end = at + name.size();
  return end == text.size() || !IsWord(text[end]);
}

// The position of the file's name in the absolute path that starts at `at`; npos if there is no such path.
size_t FileOfPath(std::string_view text, size_t at) {
  if (text[at] != '/' || at + 1 >= text.size() || !(IsWord(text[at + 1]) || text[at + 1] == '.'))
    return std::string_view::npos;
  const size_t end = std::min(text.find_first_of(" \t:\"'`()<>,;", at), text.size());
  const size_t last = text.substr(0, end).rfind('/');
  return last > at ? last + 1 : std::string_view::npos;
}

// The position after the bracket that closes the one at `open`; the text's end if none does.
size_t Closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && --depth == 0) return at + 1;
  }
  return text.size();
}

// The position after a number that starts at `at`: 12, -1.5e-07, 4x8x?, 0x7f3a.
size_t EndOfNumber(std::string_view text, size_t at) {
  if (text.substr(at).starts_with("0x")) {
    at += 2;
    while (at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at;
  }
  const auto is_digit = [&](size_t i) { return i < text.size() && (IsDigit(text[i]) || text[i] == '?'); };
  while (at < text.size()) {
    if (is_digit(at)) {
      ++at;
    } else if ((text[at] == '.' || text[at] == 'x' || text[at] == 'e') && is_digit(at + 1)) {
      at += 2;
    } else if (text[at] == 'e' && at + 2 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') &&
               is_digit(at + 2)) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

std::string_view CauseText(std::string_view diagnostic) {
  const size_t hint = diagnostic.find(kDeclarationHint);
  return hint == diagnostic.npos ? diagnostic : diagnostic.substr(hint + 2);
}

std::string Fingerprint(std::string_view diagnostic, std::string_view case_id, std::string_view op) {
  const std::string_view text = CauseText(diagnostic).substr(0, kMost);
  std::string print;
  for (size_t at = 0; at < text.size();) {
    const bool begins_word = at == 0 || !IsWord(text[at - 1]);
    if (begins_word && Names(text, at, case_id)) {
      print += "{case}";
      at += case_id.size();
    } else if (begins_word && Names(text, at, op)) {
      print += "{op}";
      at += op.size();
    } else if (begins_word && text.substr(at).starts_with("tensor<")) {
      print += "tensor<#>";
      at = Closing(text, at + 6);
    } else if (const size_t file = begins_word ? FileOfPath(text, at) : text.npos; file != text.npos) {
      print += "{path}/";
      at = file;
    } else if (text[at] == '%' && at + 1 < text.size() && IsWord(text[at + 1])) {
      print += "%#";
      ++at;
      while (at < text.size() && IsWord(text[at])) ++at;
    } else if (IsDigit(text[at])) {
      if (!print.empty() && print.back() == '-') print.pop_back();
      print += '#';
      at = EndOfNumber(text, at);
    } else if (IsWord(text[at]) && text[at] != '_') {
      // The digits of f32 and conv2d are part of a name.
      while (at < text.size() && IsWord(text[at]) && text[at] != '_') print += text[at++];
    } else {
      print += text[at++];
    }
  }
  return print;
}

}  // namespace opbyop::reports
