// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests the files that the conformance program leaves next to its results, with the mock target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <thread>

#include "manifests/results/results_file.h"
#include "manifests/runs/merge_runs.h"
#include "reports/command/report_command.h"
#include "suites/test_conformance_program.h"
#include "support/test_folder.h"

namespace opbyop::suites {
namespace {

namespace fs = std::filesystem;
using mock::Behaviour;
using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class SuiteReportsTest : public ConformanceTest {
 protected:
  fs::path out() const { return folder_.path() / "out"; }

  std::string Text(const std::string& name) const { return ReadFile(out() / name).value_or(""); }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const json& test : json::parse(Text("optest.json"))) names.insert(test["test_case_name"]);
    return names;
  }

  // Expects that the files in `out` are those that a report of its results makes.
  void ExpectSameAsReport(const std::string& results = "results.jsonl") {
    const fs::path again = folder_.path() / "again";
    fs::remove_all(again);
    const auto written = reports::WriteReports({.run = out() / results, .out_dir = again});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->files.size(), 9U);
    for (const fs::path& file : written->files) {
      EXPECT_TRUE(fs::exists(out() / file.filename())) << file.filename();
      EXPECT_TRUE(*ReadFile(file) == Text(file.filename())) << file.filename();
    }
  }
};

TEST_F(SuiteReportsTest, ARunLeavesTheFilesThatItsReportWrites) {
  Write({{}, {"fail", "lower"}, {"segfault", "execute"}, {"unsupported", "lower"}, {"zero", "lower"}}, {"bert", "nn"});
  EXPECT_EQ(Run(Command({})).code, 1);
  ExpectSameAsReport();
  EXPECT_EQ(Names().size(), 10U);
}

TEST_F(SuiteReportsTest, AFilteredRunReportsItsRowsAndMissesNone) {
  Write({{}, {"fail", "lower"}, {}}, {"bert", "nn"});
  EXPECT_EQ(Run(Command({"--gtest_filter=*bert__pass*"})).code, 0);
  ExpectSameAsReport();
  EXPECT_THAT(Names(), UnorderedElementsAre("bert__pass_lower_4_f32_00000000", "bert__pass_lower_4_f32_00000002"));
  EXPECT_THAT(Text("summary.md"), HasSubstr("no unexpected result"));
  EXPECT_EQ(Run(Command({"--select=op=pass,model=nn"})).code, 0);
  ExpectSameAsReport();
  EXPECT_THAT(Names(), UnorderedElementsAre("nn__pass_lower_4_f32_00000000", "nn__pass_lower_4_f32_00000002"));
}

TEST_F(SuiteReportsTest, RowsWhoseResultsAreKeptStayInTheReports) {
  Write(std::vector<Behaviour>(3), {"bert"});
  EXPECT_EQ(Run(Command({"--gtest_filter=*00"})).code, 0);
  EXPECT_EQ(Run(Command({"--resume", "--gtest_filter=*02"})).code, 0);
  ExpectSameAsReport();
  EXPECT_THAT(Names(), UnorderedElementsAre("bert__pass_lower_4_f32_00000000", "bert__pass_lower_4_f32_00000002"));
  EXPECT_EQ(Run(Command({"--resume"})).code, 0);
  EXPECT_EQ(Run(Command({"--resume", "--gtest_filter=*02"})).code, 0);
  EXPECT_EQ(Names().size(), 3U);
}

TEST_F(SuiteReportsTest, ShardsReportTheirOwnRowsSideBySide) {
  Write(std::vector<Behaviour>(12), {"bert", "nn"});
  size_t rows = 0;
  for (const char* shard : {"0", "1"}) {
    EXPECT_EQ(Run(Command({}), {{"GTEST_TOTAL_SHARDS", "2"}, {"GTEST_SHARD_INDEX", shard}}).code, 0);
  }
  for (const std::string suffix : {"-1-of-2", "-2-of-2"}) {
    ExpectSameAsReport("results" + suffix + ".jsonl");
    const json tests = json::parse(Text("optest" + suffix + ".json"));
    EXPECT_GT(tests.size(), 0U);
    for (const json& test : tests) EXPECT_EQ(test["config"]["status"], "pass");
    rows += tests.size();
  }
  EXPECT_EQ(rows, 24U);
}

// The results without their times.
std::map<std::string, Status> StatusesOf(const fs::path& results) {
  std::map<std::string, Status> statuses;
  const auto run = LoadRun(results);
  EXPECT_TRUE(run && run->complete && run->bad_lines.empty());
  for (const CaseRecord& record : run->cases) statuses[record.id] = record.status;
  return statuses;
}

TEST_F(SuiteReportsTest, MergedShardsEqualOneRun) {
  Write({{}, {"fail", "lower"}, {}, {"unsupported", "lower"}, {}, {}, {"segfault", "execute"}}, {"bert", "nn"});
  EXPECT_EQ(Run(Command({})).code, 1);
  fs::rename(out() / "results.jsonl", folder_.path() / "whole.jsonl");
  const std::set<std::string> rows = Names();
  for (const char* shard : {"--shard=2/3", "--shard=1/3", "--shard=3/3"}) {
    EXPECT_THAT(Run(Command({shard})).output, HasSubstr("results: "));
  }
  const fs::path merged = folder_.path() / "merged/results.jsonl";
  const auto done = MergeRuns({.inputs = {out()}, .out = merged});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(StatusesOf(merged), StatusesOf(folder_.path() / "whole.jsonl"));
  EXPECT_EQ(LoadRunHeader(merged)->selected, "");
  // A folder with shards has the same report as their merged results.
  for (const char* name : {"of-shards", "of-merged"}) {
    const bool of_shards = std::string_view(name) == "of-shards";
    const auto written =
        reports::WriteReports({.run = of_shards ? out() : merged, .out_dir = folder_.path() / name, .job_id = 1});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(static_cast<int>(written->exit_code), 1);
  }
  std::set<std::string> reported;
  for (const json& test : json::parse(ReadFile(folder_.path() / "of-shards/optest.json").value())) {
    reported.insert(test["test_case_name"]);
  }
  EXPECT_EQ(reported, rows);
  for (const char* name : {"optest.json", "junit.xml", "scorecard.md"}) {
    EXPECT_EQ(ReadFile(folder_.path() / "of-shards" / name).value(),
              ReadFile(folder_.path() / "of-merged" / name).value());
  }
}

TEST_F(SuiteReportsTest, AFolderThatLacksAShardIsReportedWithItsRowsMissing) {
  Write(std::vector<Behaviour>(6), {"bert"});
  EXPECT_EQ(Run(Command({"--shard=1/2"})).code, 0);
  const auto written = reports::WriteReports({.run = out(), .out_dir = folder_.path() / "report"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(static_cast<int>(written->exit_code), 1);
  EXPECT_THAT(written->summary, HasSubstr("3 missing"));
}

TEST_F(SuiteReportsTest, AShardWithoutACaseHasResultsToo) {
  Write(std::vector<Behaviour>(2), {"bert"});
  for (const char* shard : {"--shard=1/3", "--shard=2/3", "--shard=3/3"}) {
    const Outcome outcome = Run(Command({shard}));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }
  EXPECT_TRUE(Results("results-3-of-3.jsonl").complete);
  EXPECT_TRUE(Results("results-3-of-3.jsonl").cases.empty());
  const auto done = MergeRuns({.inputs = {out()}, .out = out() / "results.jsonl"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->cases, 2u);
  const auto written = reports::WriteReports({.run = out(), .out_dir = folder_.path() / "report"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(static_cast<int>(written->exit_code), 0);
}

TEST_F(SuiteReportsTest, ALaterShardBesideAWholeRunHasToBeNamed) {
  Write(std::vector<Behaviour>(4), {"bert"});
  EXPECT_EQ(Run(Command({})).code, 0);
  EXPECT_EQ(Run(Command({"--shard=1/2"})).code, 0);
  const auto written = reports::WriteReports({.run = out(), .out_dir = folder_.path() / "report"});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("results.jsonl and the later results-1-of-2.jsonl"));
}

TEST_F(SuiteReportsTest, DurationsOfAnEarlierRunAssignCasesToShards) {
  Write(std::vector<Behaviour>(9));
  EXPECT_EQ(Run(Command({})).code, 0);
  const opbyop::Run earlier = Results();
  std::string text = ToJsonLine(earlier.header) + "\n";
  for (CaseRecord record : earlier.cases) {
    record.wall_ms = record.id.ends_with("4") ? 8000 : 1000;
    text += ToJsonLine(record) + "\n";
  }
  const std::string balance = "--balance=" + WriteText("earlier.jsonl", text);
  fs::remove_all(out());
  for (const char* shard : {"--shard=1/2", "--shard=2/2"}) EXPECT_EQ(Run(Command({shard, balance})).code, 0);
  EXPECT_THAT(Results("results-1-of-2.jsonl").header.balance, HasSubstr("9 durations"));
  EXPECT_EQ(std::min(Results("results-1-of-2.jsonl").cases.size(), Results("results-2-of-2.jsonl").cases.size()), 1u)
      << "the one that takes as long as all others";
  EXPECT_TRUE(MergeRuns({.inputs = {out()}, .out = out() / "results.jsonl"}));
}

TEST_F(SuiteReportsTest, ShuffledAndRepeatedRunsAreReportedInOrder) {
  Write(std::vector<Behaviour>(9), {"bert", "nn"});
  EXPECT_EQ(Run(Command({"--gtest_shuffle", "--gtest_repeat=2", "--gtest_random_seed=5"})).code, 0);
  ExpectSameAsReport();
  EXPECT_EQ(Names().size(), 18U);
}

TEST_F(SuiteReportsTest, TheBaselineOfTheRunJudgesItsReports) {
  Write({{}, {"fail", "lower"}});
  const std::string baseline =
      WriteText("known.yaml",
                "schema: opbyop-baseline/1\ntarget: mock\nentries:\n  - {id: \"*fail_lower*\", "
                "stage: lower, status: fail, reason: \"no kernel\"}\n");
  EXPECT_EQ(Run(Command({"--baseline=" + baseline})).code, 0);
  EXPECT_THAT(Text("optest.json"), HasSubstr("\"reason\":\"no kernel\""));
  EXPECT_THAT(Text("junit.xml"), Not(HasSubstr("<failure")));
}

TEST_F(SuiteReportsTest, RowsAppearDuringTheRunAndStayAfterAKill) {
  Behaviour slow;
  slow.ms = 4;
  Write(std::vector<Behaviour>(400, slow), {"bert", "nn"});
  for (const int ended : {1, 40, 90}) {  // rows that have ended before the kill
    fs::remove_all(out());
    const auto process = Start(Command({"--jobs=1", "--gtest_output=xml:" + (out() / "gtest.xml").string()}));
    json seen = json::array();
    while (seen.size() < static_cast<size_t>(ended)) {
      std::this_thread::sleep_for(milliseconds(3));
      if (fs::exists(out() / "optest.json")) seen = json::parse(Text("optest.json"));
    }
    ::kill(process->pid(), SIGKILL);
    ASSERT_TRUE(process->WaitFor(kTestPatience));
    const json left = json::parse(Text("optest.json"), nullptr, false);
    ASSERT_FALSE(left.is_discarded()) << ended;
    EXPECT_GE(left.size(), seen.size());
    EXPECT_LT(left.size(), 800U);
    for (const char* name : {"junit.xml", "gtest.xml"}) {
      pugi::xml_document xml;
      EXPECT_TRUE(xml.load_string(Text(name).c_str())) << name;
      EXPECT_FALSE(xml.child("testsuites").child("testsuite").empty()) << name;
    }
    EXPECT_THAT(Text("junit.xml"), HasSubstr("type=\"incomplete\"")) << "a cut run is not green";
  }
}

TEST_F(SuiteReportsTest, AListingLeavesNothing) {
  Write({{}});
  EXPECT_EQ(Run(Command({"--gtest_list_tests"})).code, 0);
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(SuiteReportsTest, ReportsCanBeLeftOut) {
  Write({{}});
  EXPECT_EQ(Run(Command({"--reports=off"})).code, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(out()), {}), 1);
}

TEST_F(SuiteReportsTest, ARunThatCannotStartLeavesTheReportsOfTheLastOne) {
  Write({{}, {}});
  EXPECT_EQ(Run(Command({})).code, 0);
  const std::string before = Text("optest.json");
  EXPECT_NE(Run(Command({"--reference-worker=/no/such/worker"})).code, 0);
  EXPECT_EQ(Text("optest.json"), before);
}

TEST_F(SuiteReportsTest, AnotherRunsReportsAreReplacedNotAddedTo) {
  Write({{}});
  EXPECT_EQ(Run(Command({})).code, 0);
  const auto count = [&] { return std::distance(fs::directory_iterator(out()), {}); };
  const auto before = count();
  EXPECT_EQ(Run(Command({})).code, 0);
  ASSERT_TRUE(fs::remove(out() / "results.previous.jsonl"));  // of the last complete run
  EXPECT_EQ(count(), before) << "names hold the number of a job";
}

// Tests of GoogleTest's XML.

TEST_F(SuiteReportsTest, XmlHasTheFactsOfEachRowAsProperties) {
  Write({{}, {"fail", "lower"}}, {"bert"});
  EXPECT_EQ(Run(Command({"--gtest_output=xml:" + (out() / "gtest.xml").string()})).code, 1);
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(Text("gtest.xml").c_str()));
  const pugi::xml_node row = xml.select_node("//testcase[@name='Row/bert__fail_lower_4_f32_00000001']").node();
  std::map<std::string, std::string> properties;
  for (const pugi::xml_node property : row.child("properties")) {
    properties[property.attribute("name").value()] = property.attribute("value").value();
  }
  EXPECT_EQ(properties["op"], "mock.fail");
  EXPECT_EQ(properties["model"], "bert");
  EXPECT_EQ(properties["outcome"], "fail");
  EXPECT_EQ(properties["stage"], "lower");
  EXPECT_THAT(properties["reason"], HasSubstr("has no kernel"));
  EXPECT_THAT(properties["repro"], HasSubstr("opbyop repro bert__fail_lower_4_f32_00000001"));
}

TEST_F(SuiteReportsTest, XmlHasTheTimeOfTheCaseNotOfTheWait) {
  Behaviour slow;
  slow.ms = 30;
  Write({slow, slow, slow, slow}, {"bert", "nn"});
  EXPECT_EQ(Run(Command({"--gtest_output=xml:" + (out() / "gtest.xml").string()})).code, 0);
  std::map<std::string, double> recorded;
  for (const CaseRecord& record : Results().cases) recorded[record.id] = record.wall_ms;
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(Text("gtest.xml").c_str()));
  const auto rows = xml.select_nodes("//testcase");
  EXPECT_EQ(rows.size(), 8U);
  for (const auto& row : rows) {
    const std::string name = row.node().attribute("name").value();
    EXPECT_NEAR(row.node().attribute("time").as_double() * 1000, recorded[name.substr(name.find("__") + 2)], 0.001);
  }
}

TEST_F(SuiteReportsTest, XmlInAFolderIsNamedAfterTheProgram) {
  Write({{}});
  EXPECT_EQ(Run(Command({"--gtest_output=xml:" + folder_.path().string() + "/xml/"})).code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "xml/conformance.xml"));
}

TEST_F(SuiteReportsTest, JsonOfGoogleTestHasThePropertiesToo) {
  Write({{}}, {"bert"});
  EXPECT_EQ(Run(Command({"--gtest_output=json:" + (out() / "gtest.json").string()})).code, 0);
  EXPECT_EQ(json::parse(Text("gtest.json"))["testsuites"][0]["testsuite"][0]["model"], "bert");
}

}  // namespace
}  // namespace opbyop::suites
