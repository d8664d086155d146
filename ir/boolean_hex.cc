// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/boolean_hex.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace opbyop {
namespace {

constexpr std::string_view kOpen = "dense<\"0x";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

void SkipBlanks(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
}

bool Take(std::string_view& rest, std::string_view token) {
  SkipBlanks(rest);
  if (!rest.starts_with(token)) return false;
  rest.remove_prefix(token.size());
  return true;
}

// Returns the number of elements of a type such as `> : tensor<4x50xi1`, the text after the closing quote.
std::optional<size_t> BooleanCount(std::string_view rest) {
  if (!Take(rest, ">") || !Take(rest, ":") || !Take(rest, "tensor") || !Take(rest, "<")) return std::nullopt;
  size_t count = 1;
  while (!rest.starts_with("i1")) {
    size_t dimension = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dimension);
    if (error != std::errc()) return std::nullopt;
    rest.remove_prefix(end - rest.data());
    if (!rest.starts_with('x')) return std::nullopt;
    rest.remove_prefix(1);
    if (dimension != 0 && count > std::numeric_limits<size_t>::max() / dimension) return std::nullopt;
    count *= dimension;
  }
  rest.remove_prefix(2);
  bool ends = !rest.empty() && !std::isalnum(static_cast<unsigned char>(rest[0]));
  return ends ? std::optional(count) : std::nullopt;
}

// Overwrites `digits`, which has two digits per element, with two digits per eight elements. Then writes `"`, and
// blanks up to and over the old closing quote.
void Repack(char* digits, size_t count) {
  size_t packed = (count + 7) / 8;
  for (size_t byte = 0; byte < packed; ++byte) {
    unsigned bits = 0;
    for (size_t i = 0; i < 8 && byte * 8 + i < count; ++i) {
      const char* element = digits + 2 * (byte * 8 + i);
      if (element[0] != '0' || element[1] != '0') bits |= 1u << i;
    }
    digits[2 * byte] = kHexDigits[bits >> 4];
    digits[2 * byte + 1] = kHexDigits[bits & 15];
  }
  digits[2 * packed] = '"';
  std::fill(digits + 2 * packed + 1, digits + 2 * count + 1, ' ');
}

}  // namespace

int RepackBooleanHex(std::string& text) {
  int repacked = 0;
  size_t end = 0;
  for (size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, end)) {
    size_t start = at + kOpen.size();
    end = text.find('"', start);
    if (end == std::string::npos) break;
    // Checks the type first, because most constants are long and not boolean.
    std::optional<size_t> count = BooleanCount(std::string_view(text).substr(end + 1));
    if (!count || *count < 2 || end - start != 2 * *count) continue;
    if (!std::all_of(text.begin() + start, text.begin() + end, IsHexDigit)) continue;
    Repack(text.data() + start, *count);
    ++repacked;
  }
  return repacked;
}

bool HasBooleanHex(std::string_view text) {
  for (size_t at = text.find(kOpen); at != std::string_view::npos;) {
    const size_t end = text.find('"', at + kOpen.size());
    if (end == std::string_view::npos) return false;
    if (BooleanCount(text.substr(end + 1))) return true;
    at = text.find(kOpen, end);
  }
  return false;
}

}  // namespace opbyop
