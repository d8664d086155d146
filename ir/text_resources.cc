// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/text_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>

namespace opbyop {
namespace {

constexpr uint32_t kMostAlignment = 4096;

constexpr std::string_view kBegin = "{-#", kEnd = "#-}";

// The index of the quote that ends the string whose text begins at `at`, or that of the end of `text`.
size_t EndOfString(std::string_view text, size_t at) {
  // Searches for one character, because the strings of resources are long and have no escapes.
  for (size_t end = at; (end = text.find('"', end)) != std::string_view::npos; ++end) {
    size_t slashes = 0;
    while (end - slashes > at && text[end - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) return end;
  }
  return text.size();
}

// The alignment that a blob's text begins with. Returns nullopt for any other string, and for digits that MLIR reports.
std::optional<uint32_t> AlignmentOf(std::string_view string) {
  constexpr size_t kDigits = 8;
  if (!string.starts_with("0x") || string.size() < 2 + kDigits) return std::nullopt;
  uint32_t written = 0;
  const auto [rest, error] = std::from_chars(string.data() + 2, string.data() + 2 + kDigits, written, 16);
  if (error != std::errc() || rest != string.data() + 2 + kDigits) return std::nullopt;
  return __builtin_bswap32(written);
}

}  // namespace

Expected<void> CheckTextResources(std::string_view text, std::string_view name, int first_line) {
  if (text.find(kBegin) == std::string_view::npos) return {};
  bool is_inside = false;
  for (size_t at = 0; (at = text.find_first_of("\"/{#", at)) != std::string_view::npos;) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with(kBegin) || rest.starts_with(kEnd)) {
      is_inside = rest.starts_with(kBegin);
      at += kBegin.size();
    } else if (rest.front() == '"') {
      const size_t end = EndOfString(text, at + 1);
      const auto alignment = is_inside ? AlignmentOf(text.substr(at + 1, end - at - 1)) : std::nullopt;
      if (alignment && (!std::has_single_bit(*alignment) || *alignment > kMostAlignment)) {
        return MakeError(
            ExitCode::kBadInput,
            fmt::format("{}:{}: this resource has an alignment of {}, expected a power of two up to {}", name,
                        first_line + std::count(text.begin(), text.begin() + at, '\n'), *alignment, kMostAlignment));
      }
      at = std::min(end + 1, text.size());
    } else {
      ++at;
    }
  }
  return {};
}

}  // namespace opbyop
