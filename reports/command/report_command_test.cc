// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/command/report_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "reports/view/sample_run.h"
#include "support/files/file.h"

namespace opbyop::reports {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

// A folder for this test only.
fs::path Folder() {
  const fs::path folder =
      fs::path(testing::TempDir()) / "reports" / testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(folder);
  return folder;
}

fs::path Sample(const SampleOptions& options) {
  const fs::path folder = Folder();
  SampleRun sample = MakeSampleRun(options);
  const auto written = WriteSampleRun(sample, folder);
  EXPECT_TRUE(written) << written.error().message;
  return folder;
}

TEST(ReportCommandTest, WritesAllReports) {
  const fs::path folder = Sample({.cases = 40});
  const auto reports = WriteReports({.run = folder, .out_dir = folder / "out", .job_id = 1001});
  ASSERT_TRUE(reports) << reports.error().message;
  std::vector<std::string> names;
  for (const fs::path& file : reports->files) {
    EXPECT_TRUE(fs::exists(file)) << file;
    names.push_back(file.filename());
  }
  EXPECT_THAT(names, ElementsAre("optest.json", "op_by_op_report-1001.json", "report_1001.xml", "junit.xml",
                                 "summary.md", "scorecard.md", "scorecard.json", "badge.svg", "index.html"));
  EXPECT_THAT(reports->summary, HasSubstr("distinct cases  40"));
  EXPECT_THAT(*ReadFile(folder / "out/index.html"), HasSubstr(R"("score_card":"scorecard")"));
}

TEST(ReportCommandTest, ARunWithCasesOfSeveralOpsHasAPageOfItsModelsAsTrees) {
  const fs::path folder = Folder();
  SampleRun sample = MakeSampleRun({.cases = 40});
  Case& layer = sample.manifest.cases.front();
  layer.op = kLayer;
  layer.members = {sample.manifest.cases[1].id};
  ASSERT_TRUE(WriteSampleRun(sample, folder));
  const auto reports = WriteReports({.run = folder, .out_dir = folder / "out", .job_id = 1});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_THAT(*ReadFile(folder / "out/tree.html"), HasSubstr(layer.id));
  EXPECT_THAT(*ReadFile(folder / "out/index.html"), HasSubstr(R"("tree":"tree.html")"));
  RemoveReports(folder / "out", "");
  EXPECT_FALSE(fs::exists(folder / "out/tree.html"));
}

TEST(ReportCommandTest, ReportsOfAnEarlierRunAreRemovedOrWrittenWhileTheRunGoesOn) {
  const fs::path folder = Sample({.cases = 40});
  const fs::path out = folder / "out";
  ASSERT_TRUE(WriteReports({.run = folder, .out_dir = out, .job_id = 1001}));
  RemoveReports(out, "");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(out)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, UnorderedElementsAre("optest.json", "junit.xml")) << "these, LiveReports replaces";
}

TEST(ReportCommandTest, ReportsTheNumberOfWrittenRows) {
  const fs::path folder = Sample({.cases = 40});
  std::vector<std::pair<size_t, size_t>> reported;
  const auto reports =
      WriteReports({.run = folder, .out_dir = folder / "out", .job_id = 1, .progress = [&](size_t rows, size_t of) {
                      reported.emplace_back(rows, of);
                    }});
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_GE(reported.size(), 40U) << "a case has a row in each of its models";
  for (size_t i = 0; i < reported.size(); ++i) EXPECT_EQ(reported[i], std::make_pair(i + 1, reported.size()));
}

// The profile of each model in the page's data.
std::map<std::string, std::string> ProfilesOf(const fs::path& page) {
  const std::string text = ReadFile(page).value();
  const size_t begin = text.find("id=\"data\">") + 10;
  const auto data = nlohmann::json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  std::map<std::string, std::string> profiles;
  for (const auto& model : data["models"]) {
    if (!model.contains("profile")) continue;
    profiles[model["name"]] =
        model["profile"]["href"].get<std::string>() + " on " + model["profile"]["target"].get<std::string>();
  }
  return profiles;
}

TEST(ReportCommandTest, ThePageLeadsToTheProfilesThatAreThere) {
  const fs::path folder = Sample({.cases = 40});
  const auto loaded = LoadRunWithManifest(folder);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_GE((*loaded)->manifest.models.size(), 2U);
  const std::string one = (*loaded)->manifest.models[0].name, two = (*loaded)->manifest.models[1].name;
  const fs::path out = folder / "nightly";
  ASSERT_TRUE(WriteReports({.run = folder, .out_dir = out, .job_id = 1}));
  EXPECT_TRUE(ProfilesOf(out / "index.html").empty());

  const auto write = [&](const fs::path& at, const std::string& target) {
    EXPECT_TRUE(WriteFile(at / "profile.html", "<!doctype html>"));
    EXPECT_TRUE(WriteFile(at / "optrace.ndjson", "{\"record\":\"header\",\"target\":\"" + target + "\"}\n"));
  };
  write(out / "chained" / one, "elsewhere");
  write(folder / "profile" / one, (*loaded)->run.header.target);
  write(folder / "profile" / two, "elsewhere");
  ASSERT_TRUE(WriteReports({.run = folder, .out_dir = out, .job_id = 1}));
  EXPECT_THAT(ProfilesOf(out / "index.html"),
              UnorderedElementsAre(Pair(one, "../profile/" + one + "/profile.html on " + (*loaded)->run.header.target),
                                   Pair(two, "../profile/" + two + "/profile.html on elsewhere")));
}

TEST(ReportCommandTest, SameRunGivesTheSameBytes) {
  const fs::path folder = Sample({.cases = 60});
  std::map<std::string, std::string> first;
  for (const char* out : {"one", "two"}) {
    const auto reports = WriteReports({.run = folder, .out_dir = folder / out, .job_id = 1});
    ASSERT_TRUE(reports) << reports.error().message;
    for (const fs::path& file : reports->files) {
      const auto text = ReadFile(file);
      ASSERT_TRUE(text);
      const auto [at, is_new] = first.emplace(file.filename(), *text);
      EXPECT_EQ(at->second, *text) << file;
    }
  }
  EXPECT_EQ(first.size(), 9u);
}

TEST(ReportCommandTest, RunThatDidNotEndIsReportedAndRed) {
  const fs::path folder = Sample({.cases = 40, .complete = false, .unsplit_model = false});
  const auto reports = WriteReports({.run = folder, .out_dir = folder, .job_id = 1});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_TRUE(reports->red);
  EXPECT_THAT(reports->summary, HasSubstr(" missing"));
  const auto optest = ReadFile(folder / "optest.json");
  ASSERT_TRUE(optest);
  int missing = 0;
  for (const auto& test : nlohmann::json::parse(*optest)) missing += test["config"]["status"] == "missing";
  EXPECT_GE(missing, 4) << "a tenth of the cases is absent";
}

TEST(ReportCommandTest, RunCutInTheMiddleOfALineIsReported) {
  const fs::path folder = Sample({.cases = 40});
  const auto text = ReadFile(folder / "results.jsonl");
  ASSERT_TRUE(WriteFile(folder / "results.jsonl", text->substr(0, text->size() / 2)));
  const auto reports = WriteReports({.run = folder, .out_dir = folder, .job_id = 1});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_TRUE(reports->red);
}

TEST(ReportCommandTest, ADamagedLineIsNamedAndRed) {
  const fs::path folder = Sample({.cases = 40, .unsplit_model = false});
  std::string text = *ReadFile(folder / "results.jsonl");
  text[text.find('\n') + 1] = '#';
  ASSERT_TRUE(WriteFile(folder / "results.jsonl", text));
  const auto reports = WriteReports({.run = folder, .out_dir = folder, .job_id = 1});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_EQ(reports->exit_code, ExitCode::kUnexpectedResult);
  EXPECT_THAT(reports->summary, HasSubstr("results.jsonl: 1 line cannot be read: 2 (not JSON"));
  EXPECT_THAT(*ReadFile(folder / "junit.xml"), HasSubstr("1 line cannot be read: 2 (not JSON"));
}

TEST(ReportCommandTest, ManifestOfAnotherRunIsRefused) {
  const fs::path folder = Sample({.cases = 20});
  const auto results = ReadFile(folder / "results.jsonl");
  SampleRun other = MakeSampleRun({.cases = 21});
  ASSERT_TRUE(WriteSampleRun(other, folder));
  ASSERT_TRUE(WriteFile(folder / "results.jsonl", *results));
  const auto reports = WriteReports({.run = folder, .out_dir = folder / "out"});
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().code, ExitCode::kBadInput);
  EXPECT_THAT(reports.error().message, HasSubstr("run it again"));
  EXPECT_FALSE(fs::exists(folder / "out")) << "nothing half-written";
}

TEST(ReportCommandTest, ARunIsReportedWithoutItsPrograms) {
  const fs::path folder = Sample({.cases = 40});
  fs::remove_all(folder / "cases");
  const auto reports = WriteReports({.run = folder, .out_dir = folder / "out", .job_id = 1});
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_TRUE(fs::exists(folder / "out/index.html"));
  EXPECT_THAT(reports->summary, HasSubstr("distinct cases  40"));
}

TEST(ReportCommandTest, FolderWithoutARunIsNamed) {
  const fs::path folder = Folder();
  const auto reports = WriteReports({.run = folder, .out_dir = folder});
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().code, ExitCode::kNoInput);
  EXPECT_THAT(reports.error().message, HasSubstr((folder / "results.jsonl").string()));
}

TEST(ReportCommandTest, BaselineThatDoesNotExistIsNamed) {
  const fs::path folder = Sample({.cases = 20});
  const auto reports = WriteReports({.run = folder, .out_dir = folder, .baseline = folder / "none.yaml"});
  ASSERT_FALSE(reports);
  EXPECT_THAT(reports.error().message, HasSubstr("none.yaml"));
}

TEST(ReportCommandTest, BaselineTurnsAKnownFailureGreen) {
  const fs::path folder = Sample({.cases = 120, .unsplit_model = false});
  ASSERT_TRUE(WriteFile(folder / "baseline.yaml",
                        "schema: opbyop-baseline/1\ntarget: host\nentries:\n  - {op: stablehlo.scatter, stage: "
                        "linalg-to-llvm, status: fail, reason: not lowered}\n"));
  const auto reports =
      WriteReports({.run = folder, .out_dir = folder, .job_id = 1, .baseline = folder / "baseline.yaml"});
  ASSERT_TRUE(reports) << reports.error().message;
  const auto optest = ReadFile(folder / "optest.json");
  int scatters = 0;
  for (const auto& test : nlohmann::json::parse(*optest)) {
    if (test["op_name"] != "stablehlo.scatter") continue;
    ++scatters;
    EXPECT_EQ(test["config"]["status"], "expected_fail");
    EXPECT_EQ(test["config"]["baseline"]["reason"], "not lowered");
  }
  EXPECT_GT(scatters, 0);
}

TEST(ReportCommandTest, APluginByItsPathHasTheBaselinesOfTheTargetThatDeclaresForIt) {
  const fs::path folder = Folder();
  for (const char* name : {"plugin.yaml", "plugin-whole.yaml", "other.yaml"}) {
    ASSERT_TRUE(WriteFile(folder / name, std::string(name) + " text\n"));
  }
  RunHeader header;
  header.target = "pjrt:/opt/plugin.so";
  EXPECT_EQ(*BaselineTextFor(header, folder), "");
  header.properties["declarations_of"] = "plugin";
  EXPECT_THAT(
      *BaselineTextFor(header, folder),
      testing::AllOf(HasSubstr("plugin.yaml text"), HasSubstr("plugin-whole.yaml text"), Not(HasSubstr("other"))));
}

TEST(ReportCommandTest, JobIdIsTheFirstIntegerOfTheEnvironment) {
  std::map<std::string, std::string> variables;
  const auto get = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const int64_t derived = ChooseJobId("run", get);
  EXPECT_GT(derived, 0);
  EXPECT_LT(derived, int64_t{1} << 53) << "exact in every JSON reader";
  EXPECT_EQ(ChooseJobId("run", get), derived);
  EXPECT_NE(ChooseJobId("another", get), derived);
  variables["GITHUB_RUN_ID"] = "33";
  EXPECT_EQ(ChooseJobId("run", get), derived) << "a workflow's run has many jobs, so its id is no job's";
  variables["GITHUB_JOB_ID"] = "22";
  EXPECT_EQ(ChooseJobId("run", get), 22);
  variables["OPBYOP_JOB_ID"] = "build";
  EXPECT_EQ(ChooseJobId("run", get), 22) << "a word is no id";
  variables["OPBYOP_JOB_ID"] = "11";
  EXPECT_EQ(ChooseJobId("run", get), 11);
}

}  // namespace
}  // namespace opbyop::reports
