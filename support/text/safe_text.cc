// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/safe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace opbyop {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the well-formed UTF-8 character at `text[i]`, with its code point in `code`; 0 if there is none.
size_t Utf8Length(std::string_view text, size_t i, uint32_t& code) {
  const auto lead = static_cast<unsigned char>(text[i]);
  size_t length = 0;
  uint32_t least = 0;
  if (lead < 0x80) {
    code = lead;
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
    code = lead & 0x1F;
    least = 0x80;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    code = lead & 0x0F;
    least = 0x800;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
    code = lead & 0x07;
    least = 0x10000;
  } else {
    return 0;
  }
  if (i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (!IsContinuation(text[i + k])) return 0;
    code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || surrogate || code > 0x10FFFF ? 0 : length;
}

bool AllowedInXml(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  // XML allows the control characters from 0x80 to 0x9F but discourages them; terminals obey some of them.
  return !(code >= 0x7F && code < 0xA0) && code != 0xFFFE && code != 0xFFFF;
}

// The length of the terminal escape sequence ("ESC [ ... letter") at `text[i]`; 0 if there is none.
size_t EscapeLength(std::string_view text, size_t i) {
  if (text[i] != '\x1b' || i + 1 >= text.size() || text[i + 1] != '[') return 0;
  size_t end = i + 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
  return end < text.size() ? end + 1 - i : 0;
}

}  // namespace

std::string SafeText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (const size_t escape = EscapeLength(text, i)) {
      i += escape;
      continue;
    }
    uint32_t code = 0;
    const size_t length = Utf8Length(text, i, code);
    if (length != 0 && AllowedInXml(code)) {
      out.append(text.substr(i, length));
    } else {
      out.append(kReplacement);
    }
    i += std::max<size_t>(length, 1);
  }
  return out;
}

size_t FirstNonUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint32_t code = 0;
    const size_t length = Utf8Length(text, i, code);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string Shorten(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit > kEllipsis.size() ? limit - kEllipsis.size() : 0;
  while (end > 0 && IsContinuation(text[end])) --end;
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string SafeLine(std::string_view text, size_t limit) {
  std::string line = SafeText(Shorten(text, limit));
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (text.size() > limit) line += fmt::format(" [cut: {} bytes]", text.size());
  return line;
}

}  // namespace opbyop
