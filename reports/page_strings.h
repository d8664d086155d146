// The table of distinct strings that a page's data refers to by index.
//
//   PageStrings strings;
//   row.push_back(strings.Intern(diagnostic));  // -1 for an empty text
//   page["strings"] = strings.Take();
#ifndef OPBYOP_REPORTS_PAGE_STRINGS_H_
#define OPBYOP_REPORTS_PAGE_STRINGS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace opbyop {

class PageStrings {
 public:
  int64_t Intern(std::string_view text);

  // All of them, in order of their indices.
  nlohmann::ordered_json Take() { return std::move(strings_); }

 private:
  std::unordered_map<std::string, int64_t> index_;
  nlohmann::ordered_json strings_ = nlohmann::ordered_json::array();
};

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_PAGE_STRINGS_H_
