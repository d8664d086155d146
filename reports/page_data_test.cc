#include "reports/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/example_run.h"
#include "reports/html.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string DataOf(const View& view) {
  std::string text;
  PageData(view, {}, [&](std::string_view part) { text += part; });
  return text;
}

std::string PageOf(const View& view) {
  std::string text;
  HtmlPage(view, {}, [&](std::string_view part) { text += part; });
  return text;
}

Json Data(const ExampleRun& example) { return Json::parse(DataOf(example.MakeView())); }

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(PageDataTest, HoldsEveryRowWithItsStatus) {
  const Json data = Data(EveryStatus());
  EXPECT_EQ(data["schema"], "opbyop-page/1");
  EXPECT_EQ(data["cases"].size(), 13u);
  ASSERT_EQ(data["rows"].size(), 26u);
  EXPECT_EQ(data["statuses"].size(), kAllStatuses.size());
  EXPECT_EQ(data["rows"][6][2], static_cast<int>(Status::kCrash));
  EXPECT_EQ(data["statuses"][data["rows"][6][2].get<size_t>()], "crash");
  EXPECT_EQ(data["models"][2]["error"], "cut off");
}

TEST(PageDataTest, TextThatRepeatsIsWrittenOnce) {
  const std::string text = DataOf(EveryStatus().MakeView());
  EXPECT_EQ(CountOf(text, "model.py:7"), 0u);
  EXPECT_EQ(CountOf(text, "cases/"), 1u) << "the case id is taken out of file names";
  EXPECT_EQ(CountOf(text, "opbyop repro"), 1u);
}

TEST(PageDataTest, NothingInTheDataEndsItsElement) {
  const ExampleRun example = EveryStatus("</script><script>alert(1)</script><!--");
  EXPECT_THAT(DataOf(example.MakeView()), Not(HasSubstr("<")));
  const std::string page = PageOf(example.MakeView());
  EXPECT_EQ(CountOf(page, "</script>"), 2u) << "of the data and of the program";
  EXPECT_EQ(CountOf(page, "<script>alert"), 0u);
}

TEST(PageDataTest, NumbersThatJsonLacksAreWords) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFail, "compare", "x").comparisons = {
      {.max_abs = INFINITY, .max_rel = -INFINITY, .pcc = NAN, .cosine = 0.9999999876, .rmse = 0.123456}};
  const Json comparison = Data(example)["cases"][0][8][1][0];
  EXPECT_EQ(comparison[4], "inf");
  EXPECT_EQ(comparison[5], "-inf");
  EXPECT_EQ(comparison[7], "nan");
  EXPECT_EQ(comparison[8], 0.9999999876) << "what tells it from 1 is kept";
  EXPECT_EQ(comparison[9], 0.1235);
}

TEST(PageDataTest, ARowShowsUnderWhichPolicyItIsRed) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kFail, "compare", "under edge: x");
  record.comparisons = {{.policy = "domain"}, {.unbounded = 2, .policy = "edge"}};
  record.sets = {{"domain", 7, Status::kPass, "compare", "", 0}, {"edge", 7, Status::kFail, "compare", "x", 2}};
  const Json data = Data(example);
  const Json& detail = data["cases"][0][8];
  const auto text = [&](const Json& index) { return data["strings"][index.get<size_t>()]; };
  EXPECT_EQ(text(detail[1][1][17]), "edge");
  EXPECT_EQ(detail[1][1][18], 2);
  const Json& edge = detail[16][1];
  EXPECT_EQ(text(edge[0]), "edge");
  EXPECT_EQ(edge[1], "7");
  EXPECT_EQ(edge[2], static_cast<int>(Status::kFail));
  EXPECT_EQ(text(edge[3]), "compare");
  EXPECT_EQ(text(edge[4]), "x");
  EXPECT_EQ(edge[5], 2);
}

TEST(PageDataTest, SeedKeepsAllItsDigits) {
  ExampleRun example;
  example.run.header.seed = 18'446'744'073'709'551'615u;
  EXPECT_EQ(Data(example)["run"]["seed"], "18446744073709551615");
}

TEST(PageDataTest, CaseThatWasNotRunHasNoRecord) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  EXPECT_EQ(Data(example)["cases"][0][8], 0);
  EXPECT_EQ(Data(example)["rows"][0][3], -1);
}

TEST(HtmlTest, PageAsksTheNetworkForNothing) {
  const std::string page = PageOf(EveryStatus().MakeView());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* part : {" src=", "@import", "url(http", "<link rel=\"stylesheet\"", "fetch(", "XMLHttpRequest"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(HtmlTest, PageIsReadableWithoutScript) {
  const std::string page = PageOf(EveryStatus("<b>").MakeView());
  EXPECT_THAT(page, HasSubstr("<noscript>"));
  EXPECT_THAT(page, HasSubstr("cut off&lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("<title>7.6 % of rows pass on host - opbyop</title>"));
}

}  // namespace
}  // namespace opbyop::reports
