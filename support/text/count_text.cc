// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/count_text.h"

#include <algorithm>

namespace opbyop {

std::string Grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const int64_t first = value < 0 ? 1 : 0;
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

std::string SomeOf(const std::vector<std::string>& texts, size_t most) {
  const size_t shown = std::min(texts.size(), most);
  std::string some;
  for (size_t i = 0; i < shown; ++i) some += (i == 0 ? "" : ", ") + texts[i];
  if (texts.size() > shown) some += " and " + Grouped(static_cast<int64_t>(texts.size() - shown)) + " more";
  return some;
}

}  // namespace opbyop
