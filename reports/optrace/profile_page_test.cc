// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/profile_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/optrace/profile_data.h"
#include "reports/optrace/profile_timeline.h"
#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProfilePageTest, EmbedsDataThatNoTextOfTheTraceCanEnd) {
  Trace trace = SampleTrace();
  trace.header.model = "</script><script>alert(1)</script>";
  trace.ops[0].text = "</script>";
  const std::string page = ProfilePage(trace);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  const size_t begin = page.find("id=\"data\">") + 10;
  const json data = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["header"]["model"], trace.header.model);
}

TEST(ProfilePageTest, LoadsNothingFromElsewhere) {
  const std::string page = ProfilePage(SampleTrace());
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
  EXPECT_THAT(page, Not(HasSubstr("<link rel=\"stylesheet")));
}

TEST(ProfileDataTest, TablesAreThoseOfTheTrace) {
  const json data = ProfileData(SampleTrace());
  EXPECT_EQ(data["tables"]["execution"]["hlo"][0]["name"], "dot_general");
  EXPECT_EQ(data["ops"][1]["frameworkPath"], "NN[model]/Linear[layer1]/aten__addmm");
  EXPECT_EQ(data["compares"].size(), 20u);
  EXPECT_TRUE(data["diff"].is_null());
}

TEST(ProfileDataTest, HasTheTablesOfEveryIteration) {
  const json data = ProfileData(SampleTrace({.iterations = 3}));
  ASSERT_EQ(data["iterations"].size(), 3u);
  int64_t end = 0, time = 0;
  for (const json& iteration : data["iterations"]) {
    EXPECT_GE(iteration["start"], end);
    end = iteration["end"];
    time += iteration["time"].get<int64_t>();
    EXPECT_EQ(iteration["tables"]["execution"]["hlo"][0]["occurrences"], 2);
  }
  int64_t all = 0;
  for (const json& row : data["tables"]["execution"]["hlo"]) all += row["time"].get<int64_t>();
  EXPECT_EQ(time, all);
  EXPECT_TRUE(ProfileData(SampleTrace({.iterations = 1}))["iterations"].empty());
}

TEST(TimelineDataTest, JoinsTheSlicesOfOneExecution) {
  const json data = TimelineData(SampleTrace({.iterations = 1}));
  std::map<int64_t, std::set<std::string>> sections;
  for (const json& row : data["rows"]) {
    if (row["w"].empty()) continue;
    ASSERT_EQ(row["w"].size(), row["s"].size());
    int64_t flow = 0;
    for (const json& step : row["w"]) {
      flow += step.get<int64_t>();
      if (flow != 0) sections[flow].insert(row["section"]);
    }
  }
  EXPECT_EQ(sections[10], (std::set<std::string>{"execution", "data_transfer", "compare"}));
}

TEST(ProfileDataTest, HasTheDifferencesToABase) {
  const Trace base = SampleTrace();
  const json data = ProfileData(SampleTrace({.slower_percent = 20}), &base);
  EXPECT_EQ(data["diff"]["rows"].size(), 10u);
}

// The end of a row's last slice, decoded as the page does it.
int64_t EndOf(const json& row) {
  int64_t start = 0, end = 0;
  for (size_t i = 0; i < row["s"].size(); ++i) {
    start += row["s"][i].get<int64_t>();
    EXPECT_GE(start, end);
    end = start + row["d"][i].get<int64_t>();
  }
  return end;
}

TEST(TimelineDataTest, RowsDoNotOverlapAndEveryLabelIsThere) {
  const json data = TimelineData(SampleTrace());
  for (const json& row : data["rows"]) {
    EndOf(row);
    for (const json& name : row["n"]) {
      ASSERT_LT(name.get<int64_t>(), static_cast<int64_t>(data["labels"].size()));
      ASSERT_GE(name.get<int64_t>(), -static_cast<int64_t>(row["f"].size()));
    }
  }
  EXPECT_EQ(data["merged"], 0);
}

TEST(TimelineDataTest, GivesBoundsToAnOpThatBeginsInAFusedSlice) {
  const json data = TimelineData(SampleTrace());
  bool found = false;
  for (const json& row : data["rows"]) {
    if (row["section"] != "execution" || row["title"] != "HLO Ops") continue;
    for (const json& entry : row["b"]) {
      if (data["labels"][entry[0].get<size_t>()] != "broadcast_in_dim.2") continue;
      found = true;
      EXPECT_EQ(entry[3], 0) << "the start is not exact by what is drawn";
      EXPECT_EQ(entry[9], 1) << "the start is exact by the clock";
    }
  }
  EXPECT_TRUE(found);
}

TEST(TimelineDataTest, DrawsNeighboursAsOneIfThereAreTooMany) {
  const Trace trace = LargeTrace(20'000);
  const json all = TimelineData(trace), few = TimelineData(trace, 2000);
  size_t slices = 0;
  for (const json& row : few["rows"]) slices += row["n"].size();
  EXPECT_LT(slices, 4000u);
  EXPECT_GT(few["merged"], 0);
  ASSERT_EQ(few["rows"].size(), all["rows"].size());
  for (size_t i = 0; i < all["rows"].size(); ++i) EXPECT_EQ(EndOf(few["rows"][i]), EndOf(all["rows"][i]));
}

TEST(ProfileDataTest, StagesAreInTheOrderInWhichAnOpGoesThroughThem) {
  EXPECT_EQ(ProfileData(SampleTrace())["stages"], json::array({"stablehlo-to-linalg", "object"}));
}

}  // namespace
}  // namespace opbyop::optrace
