// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using nlohmann::json;

TEST(JsonTest, LimitsDoNotCountInsideTexts) {
  EXPECT_TRUE(CheckJsonLimits(R"({"a,b": [1, 2]})", {.values = 4}));
  EXPECT_EQ(CheckJsonLimits(R"({"a,b": [1, 2]})", {.values = 3}).error().message, "of more than 3 values");
  EXPECT_EQ(CheckJsonLimits("[[[1]]]", {.depth = 2}).error().message, "nested more than 2 deep");
  EXPECT_EQ(CheckJsonLimits("]]][[[1", {.depth = 2}).error().message, "nested more than 2 deep");
}

TEST(JsonTest, NestingUpToTheLimitIsRead) {
  EXPECT_TRUE(ParseJson(std::string(kDeepestJson, '[') + std::string(kDeepestJson, ']')));
  EXPECT_FALSE(ParseJson(std::string(kDeepestJson + 1, '[') + std::string(kDeepestJson + 1, ']')));
}

TEST(JsonTest, BracketsInTextsDoNotNest) {
  const std::string brackets(1000, '[');
  EXPECT_TRUE(ParseJson("{\"a\\\"" + brackets + "\\\\\": \"" + brackets + "\"}"));
  EXPECT_FALSE(ParseJson("[\"\\\\\", " + brackets));
}

TEST(JsonTest, NestingWithoutEndIsAnError) {
  for (const std::string& text : {std::string(300'000, '['), std::string(300'000, '{')}) {
    const auto value = ParseJson(text);
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message, "nested more than 200 deep");
  }
}

TEST(JsonTest, InvalidJsonIsAnError) {
  for (const char* text : {"", "{", "\"", "\"\\", "nul", "[1,]", "{} {}", "\xff"})
    EXPECT_FALSE(ParseJson(text)) << text;
}

TEST(JsonTest, IntegerMustFitItsType) {
  const json object = json::parse(R"({"a": 255, "b": 256, "c": -1, "d": 1.0, "e": 1e300, "f": 18446744073709551615})");
  EXPECT_EQ(IntegerAt<uint8_t>(object, "a"), 255);
  for (const char* key : {"b", "c", "d", "e", "f"}) {
    EXPECT_THROW(IntegerAt<uint8_t>(object, key), json::exception) << key;
  }
  EXPECT_EQ(IntegerAt<uint64_t>(object, "f"), UINT64_MAX);
  EXPECT_THROW(IntegerAt<int64_t>(object, "f"), json::exception);
  EXPECT_EQ(IntegerAt<int>(object, "c"), -1);
  EXPECT_THROW(IntegerAt<int>(object, "c", 0), json::exception);
  EXPECT_EQ(IntegerOr(object, "absent", 7), 7);
}

}  // namespace
}  // namespace opbyop
