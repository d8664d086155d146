#include "reports/safe_text.h"

namespace opbyop {

std::string FirstLine(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  text.remove_prefix(begin);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, text.find_last_not_of(kBlank) + 1));
}

std::string Grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const int64_t first = value < 0 ? 1 : 0;
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

}  // namespace opbyop
