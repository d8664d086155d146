// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/row_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace opbyop {
namespace {

constexpr std::string_view kNoRows = "none";

std::optional<size_t> ParseNumber(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// First and last row of each range.
std::optional<std::vector<std::pair<size_t, size_t>>> ParseRanges(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> ranges;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const size_t dash = std::min(range.find('-'), range.size());
    const auto first = ParseNumber(range.substr(0, dash));
    const auto last = dash == range.size() ? first : ParseNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    ranges.emplace_back(*first, *last);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranges;
}

std::string Format(const std::vector<std::pair<size_t, size_t>>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    text += first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace

std::string FormatRowRanges(const std::vector<size_t>& rows) {
  std::vector<std::pair<size_t, size_t>> ranges;
  for (const size_t row : rows) {
    if (ranges.empty() || row != ranges.back().second + 1) ranges.emplace_back(row, row);
    ranges.back().second = row;
  }
  return ranges.empty() ? std::string(kNoRows) : Format(ranges);
}

std::optional<std::vector<bool>> ParseRowRanges(std::string_view text, size_t count) {
  const auto ranges = ParseRanges(text == kNoRows ? "" : text);
  if (!ranges) return std::nullopt;
  std::vector<bool> chosen(count);
  for (const auto& [first, last] : *ranges) {
    if (last >= count) return std::nullopt;
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(first),
              chosen.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return chosen;
}

}  // namespace opbyop
