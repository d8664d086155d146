// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/command/live_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <thread>

#include "reports/ingestion/optest.h"
#include "reports/view/example_run.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reports {
namespace {

using nlohmann::json;

class LiveReportsTest : public testing::Test {
 protected:
  LiveReportsTest() : example_(EveryStatus("<]]>\xff\"")) {
    for (const CaseRecord& record : example_.run.cases) records_[record.id] = &record;
  }

  std::unique_ptr<LiveReports> Open(const std::string& results = "results.jsonl") {
    auto live = LiveReports::Open({.results = folder_.path() / results,
                                   .manifest = &example_.manifest,
                                   .header = example_.run.header,
                                   .baseline = &*example_.baseline,
                                   .job_id = 7});
    EXPECT_TRUE(live) << live.error().message;
    return std::move(*live);
  }

  void AddAll(LiveReports& live, const std::function<void()>& check = [] {}) {
    for (const Case& c : example_.manifest.cases) {
      for (const std::string& model : ModelsOf(c)) {
        const auto record = records_.find(c.id);
        EXPECT_TRUE(live.Add(c, model, record == records_.end() ? nullptr : record->second));
        EXPECT_TRUE(live.Publish());
        check();
      }
    }
  }

  json OpTests(const std::string& name = "optest.json") const { return json::parse(*ReadFile(folder_.path() / name)); }

  pugi::xml_node Suite(const std::string& name = "junit.xml") {
    EXPECT_TRUE(xml_.load_file((folder_.path() / name).c_str()));
    return xml_.child("testsuites").child("testsuite");
  }

  TestFolder folder_;
  ExampleRun example_;
  std::unordered_map<std::string, const CaseRecord*> records_;
  pugi::xml_document xml_;
};

TEST_F(LiveReportsTest, BothDocumentsAreValidAfterEachRow) {
  const auto live = Open();
  EXPECT_EQ(OpTests(), json::array());
  size_t rows = 0;
  AddAll(*live, [&] {
    EXPECT_EQ(OpTests().size(), ++rows);
    const pugi::xml_node suite = Suite();
    EXPECT_EQ(suite.select_nodes("testcase[@file]").size(), rows + 1) << "and the model that could not be split";
    EXPECT_EQ(suite.attribute("tests").as_uint(), rows + 2);
    EXPECT_EQ(suite.attribute("failures").as_uint(), suite.select_nodes("testcase/failure").size());
    EXPECT_EQ(suite.attribute("errors").as_uint(), suite.select_nodes("testcase/error").size());
  });
  EXPECT_EQ(rows, 26U);
}

TEST_F(LiveReportsTest, ARowIsTheSameAsInTheReportOfTheRun) {
  const auto live = Open();
  AddAll(*live);
  const json whole = json::parse(ReportText(OpTestReport(7), example_.MakeView()));
  const json tests = OpTests();
  ASSERT_EQ(tests.size(), 26U);
  for (size_t i = 0; i < tests.size(); ++i) {
    json expected = whole[i], found = tests[i];
    for (const char* field :
         {"test_start_ts", "test_end_ts"}) {  // depend on all rows of the run, which are not known yet
      expected.erase(field);
      found.erase(field);
    }
    if (expected["config"]["status"] == "missing") continue;  // only because the run has not ended
    EXPECT_EQ(found, expected);
  }
}

TEST_F(LiveReportsTest, RowsOfACaseHaveStartsOfTheirOwn) {
  const auto live = Open();
  const Case& c = example_.manifest.cases[0];
  for (const char* model : {"bert", "nn"}) ASSERT_TRUE(live->Add(c, model, records_.at(c.id)));
  ASSERT_TRUE(live->Publish());
  EXPECT_NE(OpTests()[0]["test_start_ts"], OpTests()[1]["test_start_ts"]);
}

TEST_F(LiveReportsTest, ARunThatIsCutOffIsAnError) {
  const auto live = Open();
  EXPECT_STREQ(Suite().find_child_by_attribute("testcase", "name", "run").child("error").attribute("type").value(),
               "incomplete");
}

TEST_F(LiveReportsTest, AShardHasFilesOfItsOwn) {
  const auto live = Open("results-2-of-3.jsonl");
  AddAll(*live);
  EXPECT_EQ(OpTests("optest-2-of-3.json").size(), 26U);
  EXPECT_FALSE(Suite("junit-2-of-3.xml").empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "optest.json"));
}

TEST_F(LiveReportsTest, ReportsOfAnEarlierRunAreRemoved) {
  for (const char* name : {"op_by_op_report-12.json", "report_12.xml", "index.html", "report_of_mine.xml",
                           "op_by_op_report-1-of-2-12.json", "report-1-of-2_12.xml"}) {
    std::ofstream(folder_.path() / name) << "old";
  }
  const auto live = Open();
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) left.insert(entry.path().filename());
  for (const char* removed : {"op_by_op_report-12.json", "report_12.xml", "index.html"}) {
    EXPECT_FALSE(left.contains(removed)) << removed;
  }
  for (const char* kept : {"report_of_mine.xml", "op_by_op_report-1-of-2-12.json", "report-1-of-2_12.xml"}) {
    EXPECT_TRUE(left.contains(kept)) << kept;
  }
}

}  // namespace
}  // namespace opbyop::reports
