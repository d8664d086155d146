// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace opbyop {
namespace {

using simdjson::simdjson_error;
using testing::ElementsAre;
using testing::Pair;

JsonView Parsed(JsonDocument& document, std::string_view text) {
  const std::optional<JsonView> view = document.Parse(text);
  if (!view) throw simdjson_error(simdjson::TAPE_ERROR);
  return *view;
}

TEST(JsonViewTest, ValuesAreThoseOfTheText) {
  JsonDocument document;
  const JsonView view = Parsed(
      document,
      R"({"text": "a\u00e9\n", "yes": true, "real": 2.5, "whole": 3, "texts": ["a", "b"], "map": {"b": 1, "a": 2.5}})");
  EXPECT_EQ(view.at("text").get<std::string>(), "a\u00e9\n");
  EXPECT_TRUE(view.at("yes").get<bool>());
  EXPECT_EQ(view.at("real").get<double>(), 2.5);
  EXPECT_EQ(view.at("whole").get<double>(), 3);
  EXPECT_THAT(view.at("texts").get<std::vector<std::string>>(), ElementsAre("a", "b"));
  EXPECT_THAT((view.at("map").get<std::map<std::string, double>>()), ElementsAre(Pair("a", 2.5), Pair("b", 1)));
  EXPECT_EQ(view.at("texts").at(1).get<std::string>(), "b");
  EXPECT_EQ(view.at("texts").size(), 2U);
}

TEST(JsonViewTest, AnAbsentMemberIsTheFallback) {
  JsonDocument document;
  const JsonView view = Parsed(document, R"({"there": "x"})");
  EXPECT_EQ(view.value("there", ""), "x");
  EXPECT_EQ(view.value("absent", "y"), "y");
  EXPECT_EQ(IntegerOr(view, "absent", 7), 7);
  EXPECT_FALSE(FindMember(view, "absent"));
  for (const JsonView item : ListOr(view, "absent")) ADD_FAILURE() << item.get<std::string>();
}

TEST(JsonViewTest, AMissingMemberOrAnotherTypeThrows) {
  JsonDocument document;
  const JsonView view = Parsed(document, R"({"text": "x", "list": [], "number": 1})");
  EXPECT_THROW((void)view.at("absent"), simdjson_error);
  EXPECT_THROW((void)view.at("number").get<std::string>(), simdjson_error);
  EXPECT_THROW((void)view.at("text").get<double>(), simdjson_error);
  EXPECT_THROW((void)view.at("number").get<bool>(), simdjson_error);
  EXPECT_THROW((void)view.at("list").at("key"), simdjson_error);
  EXPECT_THROW((void)view.at("list").at(size_t{0}), simdjson_error);
  EXPECT_THROW((void)view.value("number", ""), simdjson_error);
  EXPECT_THROW((void)view.at("number").size(), simdjson_error);
}

TEST(JsonViewTest, TheLastOfRepeatedKeysCountsAsInOtherReaders) {
  constexpr std::string_view kTwice = R"({"status": "fail", "status": "pass"})";
  JsonDocument document;
  EXPECT_EQ(Parsed(document, kTwice).at("status").get<std::string>(),
            ParseJson(kTwice)->at("status").get<std::string>());
}

TEST(JsonViewTest, IntegerMustFitItsType) {
  JsonDocument document;
  const JsonView view =
      Parsed(document, R"({"a": 255, "b": 256, "c": -1, "d": 1.0, "e": 1e300, "f": 18446744073709551615, "g": "1"})");
  EXPECT_EQ(IntegerAt<uint8_t>(view, "a"), 255);
  for (const char* key : {"b", "c", "d", "e", "f", "g"}) {
    EXPECT_THROW((void)IntegerAt<uint8_t>(view, key), simdjson_error) << key;
  }
  EXPECT_EQ(IntegerAt<uint64_t>(view, "f"), UINT64_MAX);
  EXPECT_THROW((void)IntegerAt<int64_t>(view, "f"), simdjson_error);
  EXPECT_EQ(IntegerAt<int>(view, "c"), -1);
  EXPECT_THROW((void)IntegerAt<int>(view, "c", 0), simdjson_error);
}

TEST(JsonViewTest, NumbersThatJsonLacksAreRead) {
  JsonDocument document;
  const JsonView view = Parsed(document, R"(["inf", "-inf", "nan", "other", 2, -0.5])");
  EXPECT_EQ(DecodeDouble(view.at(size_t{0})), INFINITY);
  EXPECT_EQ(DecodeDouble(view.at(1)), -INFINITY);
  EXPECT_TRUE(std::isnan(DecodeDouble(view.at(2))));
  EXPECT_TRUE(std::isnan(DecodeDouble(view.at(3))));
  EXPECT_EQ(DecodeDouble(view.at(4)), 2);
  EXPECT_EQ(DecodeDouble(view.at(5)), -0.5);
}

TEST(JsonViewTest, InvalidJsonAndTooDeepNestingAreNotParsed) {
  JsonDocument document;
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  for (const std::string& text : {std::string(), std::string("{"), std::string("\""), std::string("[1,]"),
                                  std::string("{} {}"), std::string("\xff"), std::string("\"\xff\""),
                                  std::string("1e999"), std::string(300'000, '['), nested(kDeepestJson + 1)}) {
    EXPECT_FALSE(document.Parse(text)) << text.substr(0, 20);
  }
  EXPECT_TRUE(document.Parse(nested(kDeepestJson)));
}

}  // namespace
}  // namespace opbyop
