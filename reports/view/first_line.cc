// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/first_line.h"

namespace opbyop::reports {

std::string FirstLine(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  text.remove_prefix(begin);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, text.find_last_not_of(kBlank) + 1));
}

}  // namespace opbyop::reports
