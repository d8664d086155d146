// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of things, in sentences.
//
//   Counted(1, "case")        // "1 case"
//   Counted(12345, "case")    // "12,345 cases"
#ifndef OPBYOP_SUPPORT_COUNTED_H_
#define OPBYOP_SUPPORT_COUNTED_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace opbyop {

// "12,345".
std::string Grouped(int64_t value);

// `one` ends in a word whose plural ends in s.
std::string Counted(std::integral auto count, std::string_view one) {
  return Grouped(static_cast<int64_t>(count)) + " " + std::string(one) + (count == 1 ? "" : "s");
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_COUNTED_H_
