#include "manifests/row_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opbyop {
namespace {

std::optional<size_t> ParseNumber(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string FormatRowRanges(const std::vector<size_t>& rows) {
  std::string text;
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::to_string(rows[begin]);
    if (end - begin > 1) text += fmt::format("-{}", rows[end - 1]);
  }
  return text;
}

std::optional<std::vector<bool>> ParseRowRanges(std::string_view text, size_t count) {
  std::vector<bool> chosen(count);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const size_t dash = std::min(range.find('-'), range.size());
    const auto first = ParseNumber(range.substr(0, dash));
    const auto last = dash == range.size() ? first : ParseNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= count) return std::nullopt;
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(*first),
              chosen.begin() + static_cast<std::ptrdiff_t>(*last) + 1, true);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return chosen;
}

}  // namespace opbyop
