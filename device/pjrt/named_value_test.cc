// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/named_value.h"

#include <gtest/gtest.h>

namespace opbyop::pjrt {
namespace {

const NamedValues kAll = {{"text", std::string("x")},
                          {"number", int64_t{-3}},
                          {"list", std::vector<int64_t>{1, 13, 3}},
                          {"fraction", 0.5f},
                          {"flag", true}};

TEST(NamedValueTest, EveryTypeSurvivesARoundTrip) {
  const NamedValueList list(kAll);
  EXPECT_EQ(ReadNamedValues(list.data(), list.size()), kAll);
}

TEST(NamedValueTest, EveryTypeHasAText) {
  EXPECT_EQ(ToText(kAll.at("text")), "x");
  EXPECT_EQ(ToText(kAll.at("number")), "-3");
  EXPECT_EQ(ToText(kAll.at("list")), "1, 13, 3");
  EXPECT_EQ(ToText(kAll.at("fraction")), "0.5");
  EXPECT_EQ(ToText(kAll.at("flag")), "true");
}

TEST(NamedValueTest, NullValuesAndUnknownTypesAreLeftOut) {
  EXPECT_TRUE(ReadNamedValues(nullptr, 3).empty());
  PJRT_NamedValue values[2] = {};
  values[1].name = "later";
  values[1].name_size = 5;
  values[1].type = static_cast<PJRT_NamedValue_Type>(42);
  EXPECT_TRUE(ReadNamedValues(values, 2).empty());
}

}  // namespace
}  // namespace opbyop::pjrt
