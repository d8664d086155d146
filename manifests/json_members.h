// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The members of a JSON object of which there are many, each made in its place. The library's own lists in braces make
// an array of every name and value first, and look for each name among those before it: most of the time of a report.
//
//   Json test = MakeObject({{"case", c.id}, {"flops", c.flops}, {"inputs", std::move(inputs)}});
//   if (!c.target.empty()) AddMember(test, "call_target", c.target);
#ifndef OPBYOP_MANIFESTS_JSON_MEMBERS_H_
#define OPBYOP_MANIFESTS_JSON_MEMBERS_H_

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

namespace opbyop {

struct Member {
  const char* name;
  mutable nlohmann::ordered_json value;  // moved out of the list, whose elements are const
};

// The names must differ. There is room for some more.
nlohmann::ordered_json MakeObject(std::initializer_list<Member> members);

// One that the object does not have; of a sorted object one that comes after all others.
inline void AddMember(nlohmann::ordered_json& object, const char* name, nlohmann::ordered_json value) {
  object.get_ref<nlohmann::ordered_json::object_t&>().emplace_back(name, std::move(value));
}
inline void AddMember(nlohmann::json& object, const char* name, nlohmann::json value) {
  auto& members = object.get_ref<nlohmann::json::object_t&>();
  members.emplace_hint(members.end(), name, std::move(value));
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_JSON_MEMBERS_H_
