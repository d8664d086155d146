// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_columns.h"

#include <cassert>
#include <utility>

namespace opbyop::reports {

using Json = nlohmann::ordered_json;

Json PageColumns::Pack(std::string_view kind, std::span<const Member> item) {
  const auto found = columns_.find(kind);
  Json& names = found != columns_.end() ? *found : columns_[std::string(kind)];
  const bool is_new = names.is_null();
  if (is_new) names = Json::array();
  Json values = Json::array();
  values.get_ref<Json::array_t&>().reserve(item.size());
  for (const Member& member : item) {
    if (is_new) names.push_back(member.name);
    assert(names.size() > values.size() && names[values.size()] == member.name);
    values.push_back(std::move(member.value));
  }
  assert(names.size() == values.size());
  return values;
}

}  // namespace opbyop::reports
