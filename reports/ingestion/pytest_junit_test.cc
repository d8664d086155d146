// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/pytest_junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <set>

#include "reports/ingestion/ingestion_rules.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

constexpr char kHostileToXml[] = "\xff\x01\"']]>)\\</failure>\n) line";

std::string WrittenXml(const ExampleRun& example) {
  const View view = example.MakeView();
  return ReportText(PytestJunitReport(), view);
}

std::vector<BuilderCase> ReadXml(const ExampleRun& example) {
  std::string why;
  const auto cases = ReadBuilderXml(WrittenXml(example), why);
  EXPECT_TRUE(cases) << why;
  return cases.value_or(std::vector<BuilderCase>());
}

BuilderCase Find(const std::vector<BuilderCase>& cases, std::string_view name) {
  for (const BuilderCase& c : cases) {
    if (c.name == name) return c;
  }
  return {};
}

pugi::xml_node Suite(pugi::xml_document& document, const ExampleRun& example) {
  EXPECT_TRUE(document.load_string(WrittenXml(example).c_str()));
  return document.child("testsuites").child("testsuite");
}

TEST(PytestJunitTest, FileNameGivesTheJobId) { EXPECT_EQ(JobIdOf(PytestJunitName(1002)), 1002); }

TEST(PytestJunitTest, ReaderTakesARowOfEveryStatus) { EXPECT_EQ(ReadXml(EveryStatus()).size(), 27u); }

TEST(PytestJunitTest, ThereIsOneSuiteNamedPytestWithEverything) {
  pugi::xml_document document;
  const pugi::xml_node suite = Suite(document, EveryStatus());
  EXPECT_STREQ(suite.attribute("name").value(), "pytest");
  EXPECT_FALSE(suite.next_sibling("testsuite")) << "only the first suite is read";
  EXPECT_EQ(suite.attribute("tests").as_int(), 27);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 8);
  EXPECT_EQ(suite.attribute("failures").as_int(), 17);
  EXPECT_TRUE(IsPython310Timestamp(suite.attribute("timestamp").value()));
}

TEST(PytestJunitTest, SuiteNamesCardAndRevisionEvenIfUnknown) {
  ExampleRun example;
  example.run.header.git_sha.clear();
  example.run.header.host.clear();
  pugi::xml_document document;
  const pugi::xml_node properties = Suite(document, example).child("properties");
  const auto value = [&](const char* name) {
    return std::string(properties.find_child_by_attribute("property", "name", name).attribute("value").value());
  };
  EXPECT_EQ(value("card"), "host");
  EXPECT_EQ(value("git_sha"), "unknown");
}

TEST(PytestJunitTest, EveryCaseHasABackend) {
  ExampleRun example = EveryStatus();
  for (const BuilderCase& c : ReadXml(example)) EXPECT_EQ(c.properties.at("backend"), "host") << c.name;
  example.run.header.target.clear();
  for (const BuilderCase& c : ReadXml(example)) EXPECT_EQ(c.properties.at("backend"), "unknown") << c.name;
}

TEST(PytestJunitTest, FailureStageIsOneOfFourWords) {
  const auto cases = ReadXml(EveryStatus());
  EXPECT_EQ(Find(cases, "bert__a_pass").properties["failure_stage"], "success");
  EXPECT_EQ(Find(cases, "bert__b_fail").properties["failure_stage"], "compile");
  EXPECT_EQ(Find(cases, "bert__c_wrong").properties["failure_stage"], "golden");
  EXPECT_EQ(Find(cases, "bert__d_crash").properties["failure_stage"], "compile");
  EXPECT_EQ(Find(cases, "bert__e_timeout").properties["failure_stage"], "runtime");
  EXPECT_EQ(Find(cases, "bert__k_missing").properties["failure_stage"], "runtime");
}

TEST(PytestJunitTest, ShapesHaveTheirDtypes) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"}).inputs = {{{2, 3}, "f32"}, {{}, "i1"}};
  example.AddCase("iota_1", "stablehlo.iota", {"bert"}).inputs = {};
  const auto cases = ReadXml(example);
  EXPECT_EQ(cases[0].properties.at("input_shapes"), "[[2, 3], []]");
  EXPECT_EQ(cases[0].properties.at("input_dtypes"), "['f32', 'i1']");
  EXPECT_EQ(cases[1].properties.at("input_shapes"), "[]");
  EXPECT_EQ(cases[1].properties.at("input_dtypes"), "[]");
}

TEST(PytestJunitTest, CaseHasOneVerdictAtMost) {
  pugi::xml_document document;
  for (const pugi::xml_node& node : Suite(document, EveryStatus()).children("testcase")) {
    EXPECT_LE(node.select_nodes("failure|error|skipped").size(), 1u) << node.attribute("name").value();
  }
}

TEST(PytestJunitTest, SkippedHasTypeAndMessage) {
  pugi::xml_document document;
  const pugi::xml_node suite = Suite(document, EveryStatus());
  const auto skipped = [&](const char* name) {
    return suite.find_child_by_attribute("testcase", "name", name).child("skipped");
  };
  EXPECT_STREQ(skipped("bert__g_unsupported").attribute("type").value(), "pytest.skip");
  EXPECT_STREQ(skipped("bert__g_unsupported").attribute("message").value(), "unsupported in lower: why");
  EXPECT_STREQ(skipped("bert__l_expected").attribute("type").value(), "pytest.xfail");
}

TEST(PytestJunitTest, RowsThatDidNotPassHaveAnErrorMessage) {
  const auto cases = ReadXml(EveryStatus());
  EXPECT_EQ(Find(cases, "bert__d_crash").properties["error_message"], "crash in lower (signal 11): why");
  EXPECT_FALSE(Find(cases, "bert__a_pass").properties.count("error_message"));
}

TEST(PytestJunitTest, ParametersCarryAttributesNumbersAndRepro) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"}).attributes = {{"dimensions", "array<i64: 2>"}};
  example.AddRecord("add_1", Status::kFail, "compare", "wrong").comparisons = {{.pcc = 0.41, .accepted = false}};
  auto properties = ReadXml(example).at(0).properties;
  EXPECT_EQ(properties["param_dimensions"], "array<i64: 2>");
  EXPECT_EQ(properties["param_pcc"], "0.41");
  EXPECT_EQ(properties["param_stage"], "compare");
  EXPECT_EQ(properties["param_ms_parse"], "1.000");
  EXPECT_EQ(properties["param_repro"], "opbyop repro add_1");
}

TEST(PytestJunitTest, AttributeCannotTakeThePlaceOfAParameter) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"}).attributes = {{"model", "x"}, {"stage", "y"}};
  example.AddRecord("add_1", Status::kPass);
  const auto properties = ReadXml(example).at(0).properties;
  EXPECT_EQ(properties.at("param_model"), "bert");
  EXPECT_EQ(properties.at("param_attribute_model"), "x");
}

TEST(PytestJunitTest, TimesAreSecondsAndStartsAreUnique) {
  pugi::xml_document document;
  const pugi::xml_node suite = Suite(document, EveryStatus());
  EXPECT_STREQ(suite.child("testcase").attribute("time").value(), "1.25");
  std::set<std::string> starts;
  const auto cases = ReadXml(EveryStatus());
  for (const BuilderCase& c : cases) {
    EXPECT_TRUE(IsPython310Timestamp(c.properties.at("start_timestamp")));
    starts.insert(c.properties.at("start_timestamp"));
  }
  EXPECT_EQ(starts.size(), cases.size());
}

TEST(PytestJunitTest, HostileTextCostsNoCase) { EXPECT_EQ(ReadXml(EveryStatus(kHostileToXml)).size(), 27u); }

}  // namespace
}  // namespace opbyop::reports
