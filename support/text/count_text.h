// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes counts in sentences.
//
//   CountText(1, "case")        // "1 case"
//   CountText(12345, "case")    // "12,345 cases"
//   SomeOf({"add", "tanh", "sort"}, 2)   // "add, tanh and 1 more"
#ifndef OPBYOP_SUPPORT_TEXT_COUNT_TEXT_H_
#define OPBYOP_SUPPORT_TEXT_COUNT_TEXT_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

// The number with thousands separators: "12,345".
std::string Grouped(int64_t value);

// `one` must end in a word whose plural ends in s.
std::string CountText(std::integral auto count, std::string_view one) {
  return Grouped(static_cast<int64_t>(count)) + " " + std::string(one) + (count == 1 ? "" : "s");
}

// The first `most` of the texts and the number of the others. Empty if there are none.
std::string SomeOf(const std::vector<std::string>& texts, size_t most);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_COUNT_TEXT_H_
