// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of distinct strings that a page's data refers to by index.
//
//   PageStrings strings;
//   row.push_back(strings.Intern(diagnostic));  // -1 for an empty text
//   page["strings"] = strings.Take();         // or one by one: strings[i] of strings.size()
#ifndef OPBYOP_REPORTS_PAGE_PAGE_STRINGS_H_
#define OPBYOP_REPORTS_PAGE_PAGE_STRINGS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opbyop::reports {

class PageStrings {
 public:
  int64_t Intern(std::string_view text);

  // All strings, in order of their indices.
  nlohmann::ordered_json Take() const;
  size_t size() const { return strings_.size(); }
  const std::string& operator[](size_t index) const { return *strings_[index]; }

 private:
  std::unordered_map<std::string, int64_t> index_;
  std::vector<const std::string*> strings_;  // keys of the map
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PAGE_STRINGS_H_
