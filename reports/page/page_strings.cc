// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_strings.h"

#include "reports/view/first_line.h"

namespace opbyop::reports {

int64_t PageStrings::Intern(std::string_view text) {
  if (text.empty()) return -1;
  const auto [at, is_new] = index_.try_emplace(SafeText(text), static_cast<int64_t>(index_.size()));
  if (is_new) strings_.push_back(&at->first);
  return at->second;
}

nlohmann::ordered_json PageStrings::Take() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string* text : strings_) list.push_back(*text);
  return list;
}

}  // namespace opbyop::reports
