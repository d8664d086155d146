// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The members of a JSON object of which there are many, each made in its place. The library's own lists in braces make
// an array of every name and value first, and look for each name among those before it: most of the time of a report.
//
//   Json test = MakeObject({{"case", c.id}, {"flops", c.flops}, {"inputs", std::move(inputs)}});
#ifndef OPBYOP_REPORTS_JSON_MEMBERS_H_
#define OPBYOP_REPORTS_JSON_MEMBERS_H_

#include <initializer_list>
#include <nlohmann/json.hpp>

namespace opbyop::reports {

struct Member {
  const char* name;
  mutable nlohmann::ordered_json value;  // moved out of the list, whose elements are const
};

// The names must differ. There is room for some more.
nlohmann::ordered_json MakeObject(std::initializer_list<Member> members);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_JSON_MEMBERS_H_
