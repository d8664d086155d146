// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace opbyop {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The distance of optimal string alignment.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> names) {
  constexpr size_t kLongest = 100;  // longest name; a longer text is not a misspelt name
  if (typed.empty() || typed.size() > kLongest) return std::nullopt;
  const std::string wanted = LowerCase(typed);
  std::optional<std::string> nearest;
  size_t least = 0;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const size_t distance = Distance(wanted, LowerCase(name));
    if (3 * distance > std::max(typed.size(), name.size()) || (nearest && distance >= least)) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string> names) {
  const std::optional<std::string> nearest = Nearest(typed, names);
  return nearest ? "did you mean " + *nearest + "? " : "";
}

}  // namespace opbyop
