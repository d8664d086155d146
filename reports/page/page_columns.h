// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes kinds of items that a page has many of as arrays. The names of their fields are written once, under `columns`.
// reports/web/src/columns.ts reads them.
//
//   PageColumns columns;
//   page["rows"].push_back(columns.Pack("row", {{"case", 3}, {"status", 0}}));   // [3,0]
//   page["columns"] = columns.ToJson();                                          // {"row":["case","status"]}
#ifndef OPBYOP_REPORTS_PAGE_PAGE_COLUMNS_H_
#define OPBYOP_REPORTS_PAGE_PAGE_COLUMNS_H_

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace opbyop::reports {

class PageColumns {
 public:
  struct Member {
    const char* name;
    mutable nlohmann::ordered_json value;  // mutable so that it can be moved out of the list, whose elements are const
  };

  // The values of `item`, which must have the same names in the same order as all others of `kind`.
  nlohmann::ordered_json Pack(std::string_view kind, std::span<const Member> item);
  nlohmann::ordered_json Pack(std::string_view kind, std::initializer_list<Member> item) {
    return Pack(kind, std::span(item.begin(), item.size()));
  }

  // The names of the fields of every kind that was packed.
  nlohmann::ordered_json ToJson() const { return columns_; }

 private:
  nlohmann::ordered_json columns_ = nlohmann::ordered_json::object();
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PAGE_COLUMNS_H_
