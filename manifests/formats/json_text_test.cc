// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manifests/formats/json.h"

namespace opbyop {
namespace {

template <class T>
std::string TextOf(const T& value) {
  JsonText json;
  json.Value(value);
  return json.Take();
}

TEST(JsonTextTest, ObjectsAndListsNest) {
  JsonText json;
  json.BeginObject();
  json.Member("text", "a\"\n");
  json.Member("shape", std::vector<int64_t>{2, -3});
  json.Member("map", std::map<std::string, double>{{"a", 0.5}});
  json.Key("list");
  json.BeginList();
  json.Null();
  json.Value(true);
  json.BeginObject();
  json.EndObject();
  json.EndList();
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"text":"a\"\n","shape":[2,-3],"map":{"a":0.5},"list":[null,true,{}]})");
  json.Value(1);
  EXPECT_EQ(json.Take(), "1") << "the text before it is gone";
}

TEST(JsonTextTest, EveryTextIsReadBackAsDumpLineWouldWriteIt) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "\0\x01\x1f\x7f\"\\/\b\f\n\r\t"s, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"s, "\xff"s, "a\xc3"s,
        "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s, "\xc0\xaf"s, "binary \xfe\x00 \x80 in the middle"s}) {
    const auto read = ParseJson(TextOf(text));
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, *ParseJson(DumpLine(text))) << text;
  }
}

TEST(JsonTextTest, EveryNumberIsReadBackAsItIs) {
  constexpr auto kMost = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min();
  for (const double number : {0.0, 1.0, -2.5, 0.1, 1.0 / 3, 1e21, 1e-7, 123456789012345680.0, kMost, kLeast, 5e-324}) {
    EXPECT_EQ(ParseJson(TextOf(number))->get<double>(), number) << number;
  }
  EXPECT_TRUE(std::signbit(ParseJson(TextOf(-0.0))->get<double>()));
  EXPECT_EQ(TextOf(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(TextOf(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(TextOf(2.0), "2.0") << "still no whole number for who reads it";
}

TEST(JsonTextTest, NumbersThatJsonLacksAreNullOrAText) {
  EXPECT_EQ(TextOf(NAN), "null");
  EXPECT_EQ(TextOf(-INFINITY), "null");
  JsonText json;
  json.BeginObject();
  json.Key("a");
  json.AnyNumber(NAN);
  json.Key("b");
  json.AnyNumber(INFINITY);
  json.Key("c");
  json.AnyNumber(0.5);
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"a":"nan","b":"inf","c":0.5})");
}

}  // namespace
}  // namespace opbyop
