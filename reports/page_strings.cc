#include "reports/page_strings.h"

#include "reports/safe_text.h"

namespace opbyop {

int64_t PageStrings::Intern(std::string_view text) {
  if (text.empty()) return -1;
  std::string safe = SafeText(text);
  const auto [at, is_new] = index_.try_emplace(safe, static_cast<int64_t>(index_.size()));
  if (is_new) strings_.push_back(std::move(safe));
  return at->second;
}

}  // namespace opbyop
