// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace opbyop {

struct FieldsTestPart {
  std::string name;
  double ratio = 0;
};

constexpr auto FieldsOf(const FieldsTestPart*) {
  return std::tuple(Required("name", &FieldsTestPart::name), Always<AnyNumber>("ratio", &FieldsTestPart::ratio));
}

struct FieldsTestWhole {
  int64_t count = 3;
  std::string text;
  std::optional<uint64_t> seed;
  std::vector<FieldsTestPart> parts;
  std::vector<int64_t> places;
  bool flag = false;
};

constexpr auto FieldsOf(const FieldsTestWhole*) {
  using W = FieldsTestWhole;
  return std::tuple(Always("count", &W::count), Optional("text", &W::text), Optional("seed", &W::seed),
                    Optional("parts", &W::parts), Optional("places", &W::places),
                    OptionalIf([](const W& whole) { return whole.count > 5; }, "flag", &W::flag));
}

namespace {

using nlohmann::json;

std::string Text(const FieldsTestWhole& value) {
  JsonText out;
  WriteObject(out, value);
  return out.Take();
}

const FieldsTestWhole kFull = {.count = 7,
                               .text = "a",
                               .seed = 1ull << 63,
                               .parts = {{"x", 0.5}, {"y", std::numeric_limits<double>::infinity()}},
                               .places = {-1, 2},
                               .flag = true};

TEST(FieldsTest, DefaultsOfOptionalFieldsAreLeftOut) { EXPECT_EQ(Text({}), R"({"count":3})"); }

TEST(FieldsTest, FieldsAreWrittenInTheOrderOfTheTable) {
  EXPECT_EQ(Text(kFull), R"({"count":7,"text":"a","seed":9223372036854775808,"parts":[{"name":"x","ratio":0.5},)"
                         R"({"name":"y","ratio":"inf"}],"places":[-1,2],"flag":true})");
}

TEST(FieldsTest, TextAndObjectAreTheSameJson) { EXPECT_EQ(json::parse(Text(kFull)), ToJsonObject(kFull)); }

TEST(FieldsTest, WhatIsWrittenIsRead) {
  const auto read = ReadObject<FieldsTestWhole>(ToJsonObject(kFull));
  EXPECT_EQ(Text(read), Text(kFull));
}

TEST(FieldsTest, AbsentFieldsHaveTheirDefaults) {
  const auto read = ReadObject<FieldsTestWhole>(json::object());
  EXPECT_EQ(read.count, 3);
  EXPECT_FALSE(read.seed);
}

TEST(FieldsTest, ARequiredFieldMustExist) {
  EXPECT_THROW((void)ReadObject<FieldsTestPart>(json{{"ratio", 1}}), json::exception);
}

TEST(FieldsTest, AnotherTypeIsRefused) {
  EXPECT_THROW((void)ReadObject<FieldsTestWhole>(json{{"count", 1.5}}), json::exception);
  EXPECT_THROW((void)ReadObject<FieldsTestWhole>(json{{"text", 1}}), json::exception);
  EXPECT_THROW((void)ReadObject<FieldsTestWhole>(json{{"places", {1, "2"}}}), json::exception);
}

TEST(FieldsTest, AFieldCanBeLeftOut) {
  JsonText out;
  out.BeginObject();
  WriteMembers(out, FieldsTestPart{"x", 1}, "ratio");
  out.EndObject();
  EXPECT_EQ(out.Take(), R"({"name":"x"})");
}

}  // namespace
}  // namespace opbyop
