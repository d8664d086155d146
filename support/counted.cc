// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/counted.h"

namespace opbyop {

std::string Grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const int64_t first = value < 0 ? 1 : 0;
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

}  // namespace opbyop
