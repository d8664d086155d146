// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/comparison/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/page/golden_page.h"
#include "reports/view/example_run.h"
#include "reports/view/sample_run.h"
#include "support/files/file.h"

namespace opbyop::reports {
namespace {

// The data of a comparison of the runs and their cases.
std::string Of(decltype(&ComparisonData) report, const std::vector<ComparedRun>& runs) {
  return report(runs, JoinCases(runs));
}

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFft = "fft_4_f32_00000002";
constexpr const char* kTanh = "tanh_4_f32_00000001";

// Two targets that run tanh and fft: host fails fft in lower, xla passes both.
class ComparisonTest : public testing::Test {
 protected:
  ComparisonTest() {
    for (ExampleRun* run : {&host_, &xla_}) {
      run->AddCase(kTanh, "stablehlo.tanh", {"bert"});
      run->AddCase(kFft, "stablehlo.fft", {"bert", "nn"});
      run->AddRecord(kTanh, Status::kPass);
    }
    host_.AddRecord(kFft, Status::kFail, "lower", "no fft </script>").repro = std::string("opbyop repro bert__") + kFft;
    CaseRecord& passed = xla_.AddRecord(kFft, Status::kPass);
    passed.timing = {3, 1, 2, 5};
    passed.comparisons = {{.max_abs = 0.5, .bound_ratio = 0.25}};
    xla_.run.header.target = "xla";
  }

  json Data() {
    const View host = host_.MakeView(), xla = xla_.MakeView();
    return json::parse(Of(&ComparisonData, {{&host, "host/index.html"}, {&xla, "xla/index.html"}}));
  }

  ExampleRun host_, xla_;
};

// The page's own tests read this file (reports/web/src/comparison_test.ts).
TEST_F(ComparisonTest, EqualsTheTestDataOfThePage) {
  const json data = Data();
  EXPECT_EQ(data, GoldenPage("comparison.json", data));
}

TEST_F(ComparisonTest, AnOpHasACellForEachRun) {
  const json data = Data();
  ASSERT_EQ(data["ops"].size(), 2u);
  const json& cells = data["ops"][0]["cells"];
  EXPECT_EQ(data["ops"][0]["label"], "stablehlo.fft");
  const json& strings = data["strings"];
  EXPECT_EQ(cells[0]["cases"], 1);
  EXPECT_EQ(cells[0]["passed"], 0);
  ASSERT_EQ(cells[0]["ends"].size(), 1u);
  const json& end = cells[0]["ends"][0];
  EXPECT_EQ(data["statuses"][PackedField(data, "end", end, "status").get<size_t>()], "fail");
  EXPECT_EQ(strings[PackedField(data, "end", end, "stage").get<size_t>()], "lower");
  EXPECT_EQ(PackedField(data, "end", end, "cases"), 1);
  EXPECT_EQ(cells[1]["passed"], 1);
  EXPECT_EQ(cells[1]["bound_ratio"], 0.25);
  EXPECT_EQ(cells[1]["median_us"], 2);
  EXPECT_EQ(cells[1]["compile_ms"], 2) << "parse and lower, 1 ms each";
}

TEST_F(ComparisonTest, ACaseHasAnOutcomeForEachRun) {
  const json data = Data();
  ASSERT_EQ(data["cases"].size(), 2u);
  EXPECT_EQ(PackedField(data, "case", data["cases"][1], "id"), kFft);
  const json outcomes = PackedField(data, "case", data["cases"][1], "outcomes");
  const json diagnostic = PackedField(data, "outcome", outcomes[0], "diagnostic");
  EXPECT_EQ(data["strings"][diagnostic.get<size_t>()], "no fft </script>");
  EXPECT_EQ(PackedField(data, "outcome", outcomes[1], "max_abs"), 0.5);
}

TEST_F(ComparisonTest, ACaseOfOneRunOnlyHasNoOutcomeInTheOther) {
  xla_.AddCase("sort_4_f32_00000003", "stablehlo.sort", {"bert"});
  const json data = Data();
  ASSERT_EQ(data["cases"].size(), 3u);
  EXPECT_EQ(PackedField(data, "case", data["cases"][2], "outcomes")[0], nullptr);
}

TEST_F(ComparisonTest, NoTextClosesTheScriptElement) {
  const View host = host_.MakeView();
  EXPECT_THAT(Of(&ComparisonData, {{&host, "x"}}), Not(HasSubstr("<")));
}

TEST(WriteComparisonTest, LinksToThePagesOfTheRuns) {
  const fs::path folder = fs::path(testing::TempDir()) / "comparison";
  fs::remove_all(folder);
  SampleRun sample = MakeSampleRun({.cases = 20});
  for (const char* name : {"a", "b"}) ASSERT_TRUE(WriteSampleRun(sample, folder / name));
  const auto written = WriteComparison({.run_dirs = {folder / "a", folder / "b"}, .out_dir = folder});
  ASSERT_TRUE(written) << written.error().message;
  const auto page = ReadFile(folder / "index.html");
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("a/index.html"));
  EXPECT_THAT(*page, HasSubstr("opbyop-comparison/3"));
  EXPECT_TRUE(written->red);
}

TEST(WriteComparisonTest, ARunThatIsNotThereIsNamed) {
  const auto written = WriteComparison({.run_dirs = {"/nowhere/run"}, .out_dir = testing::TempDir()});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("/nowhere/run"));
}

}  // namespace
}  // namespace opbyop::reports
