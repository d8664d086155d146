// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/json_members.h"

#include <utility>

namespace opbyop {
namespace {

constexpr size_t kRoom = 8;

}  // namespace

nlohmann::ordered_json MakeObject(std::initializer_list<Member> members) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  auto& list = object.get_ref<nlohmann::ordered_json::object_t&>();
  list.reserve(members.size() + kRoom);
  for (const Member& member : members) AddMember(object, member.name, std::move(member.value));
  return object;
}

}  // namespace opbyop
