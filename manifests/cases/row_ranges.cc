// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/row_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace opbyop {
namespace {

constexpr std::string_view kNoRows = "none";

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string FormatRowRanges(const std::vector<RowRange>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    text += first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return ranges.empty() ? std::string(kNoRows) : text;
}

std::string FormatRows(const std::vector<size_t>& rows) {
  std::vector<RowRange> ranges;
  for (const size_t row : rows) {
    if (ranges.empty() || row != ranges.back().last + 1) ranges.push_back({row, row});
    ranges.back().last = row;
  }
  return FormatRowRanges(ranges);
}

std::optional<std::vector<RowRange>> ParseRowRanges(std::string_view text, uint64_t count) {
  std::vector<RowRange> ranges;
  if (text == kNoRows) return ranges;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const size_t dash = std::min(range.find('-'), range.size());
    const auto first = ParseNumber(range.substr(0, dash));
    const auto last = dash == range.size() ? first : ParseNumber(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= count) return std::nullopt;
    if (!ranges.empty() && *first <= ranges.back().last) return std::nullopt;
    ranges.push_back({*first, *last});
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranges;
}

std::optional<std::vector<bool>> ParseRows(std::string_view text, size_t count) {
  const auto ranges = ParseRowRanges(text, count);
  if (!ranges) return std::nullopt;
  std::vector<bool> chosen(count);
  for (const auto& [first, last] : *ranges) {
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(first),
              chosen.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return chosen;
}

}  // namespace opbyop
