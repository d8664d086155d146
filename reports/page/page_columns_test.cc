// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_columns.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(PageColumnsTest, NamesAreWrittenOnceAndValuesInTheirOrder) {
  PageColumns columns;
  EXPECT_EQ(columns.Pack("row", {{"status", 0}, {"case", "a"}}), OrderedJson({0, "a"}));
  EXPECT_EQ(columns.Pack("row", {{"status", 1}, {"case", nullptr}}), OrderedJson({1, nullptr}));
  EXPECT_EQ(columns.Pack("set", {{"seed", OrderedJson::array({1})}}), OrderedJson::array({OrderedJson::array({1})}));
  EXPECT_EQ(columns.ToJson().dump(), R"({"row":["status","case"],"set":["seed"]})");
}

}  // namespace
}  // namespace opbyop::reports
