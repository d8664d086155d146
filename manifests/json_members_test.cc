// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/json_members.h"

#include <gtest/gtest.h>

#include <string>

namespace opbyop {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonMembersTest, TheyStandInTheirOrderWithTheirValues) {
  const Json object = MakeObject(
      {{"zeta", 1}, {"alpha", std::string("text")}, {"list", Json::array({1, 2})}, {"none", nullptr}, {"half", 0.5}});
  EXPECT_EQ(object.dump(), R"({"zeta":1,"alpha":"text","list":[1,2],"none":null,"half":0.5})");
}

TEST(JsonMembersTest, AListInBracesIsAnObjectAsElsewhere) {
  const Json object = MakeObject({{"baseline", {{"reason", "why"}, {"issue", ""}}}});
  EXPECT_EQ(object.dump(), R"({"baseline":{"reason":"why","issue":""}})");
}

TEST(JsonMembersTest, MoreMayBeAdded) {
  Json object = MakeObject({{"a", 1}});
  object["b"] = 2;
  object["a"] = 3;
  EXPECT_EQ(object.dump(), R"({"a":3,"b":2})");
}

}  // namespace
}  // namespace opbyop
