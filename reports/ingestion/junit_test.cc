// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::HasSubstr;

struct Parsed {
  pugi::xml_document document;
  pugi::xml_node suite;

  explicit Parsed(const ExampleRun& example) {
    EXPECT_TRUE(document.load_string(ReportText(JunitReport(), example.MakeView()).c_str()));
    suite = document.child("testsuites").child("testsuite");
  }
  pugi::xml_node Case(const char* name) const { return suite.find_child_by_attribute("testcase", "name", name); }
  std::string Verdict(const char* name) const {
    const auto found = Case(name).select_nodes("failure|error|skipped");
    EXPECT_LE(found.size(), 1u) << name;
    return found.empty() ? "" : found.first().node().name();
  }
};

TEST(JunitTest, ARunThatJudgedNothingIsAnErrorOfTheRun) {
  ExampleRun example;
  example.AddCase("add", "stablehlo.add", {"bert"});
  example.AddRecord("add", Status::kUnsupported, "lower", "no");
  const Parsed xml(example);
  EXPECT_EQ(xml.Verdict("run"), "error");
  EXPECT_STREQ(xml.Case("run").child("error").attribute("type").value(), "nothing_judged");
  EXPECT_EQ(xml.suite.attribute("errors").as_int(), 1);
}

TEST(JunitTest, EveryStatusHasItsElement) {
  const Parsed xml(EveryStatus());
  EXPECT_EQ(xml.Verdict("bert__a_pass"), "");
  EXPECT_EQ(xml.Verdict("bert__b_fail"), "failure");
  EXPECT_EQ(xml.Verdict("bert__c_wrong"), "failure");
  EXPECT_EQ(xml.Verdict("bert__d_crash"), "error");
  EXPECT_EQ(xml.Verdict("bert__e_timeout"), "error");
  EXPECT_EQ(xml.Verdict("bert__f_out_of_memory"), "error");
  EXPECT_EQ(xml.Verdict("bert__g_unsupported"), "skipped");
  EXPECT_EQ(xml.Verdict("bert__h_inconclusive"), "skipped");
  EXPECT_EQ(xml.Verdict("bert__i_skipped"), "skipped");
  EXPECT_EQ(xml.Verdict("bert__j_flaky"), "failure");
  EXPECT_EQ(xml.Verdict("bert__k_missing"), "error");
  EXPECT_EQ(xml.Verdict("bert__l_expected"), "skipped");
  EXPECT_EQ(xml.Verdict("bert__m_unexpected"), "failure");
  EXPECT_EQ(xml.Verdict("cut__split"), "error");
  EXPECT_EQ(xml.Verdict("run"), "");
}

TEST(JunitTest, CountsAgreeWithTheElements) {
  const Parsed xml(EveryStatus());
  const auto count = [&](const char* path) { return static_cast<int>(xml.suite.select_nodes(path).size()); };
  EXPECT_EQ(xml.suite.attribute("tests").as_int(), count("testcase"));
  EXPECT_EQ(xml.suite.attribute("failures").as_int(), count("testcase/failure"));
  EXPECT_EQ(xml.suite.attribute("errors").as_int(), count("testcase/error"));
  EXPECT_EQ(xml.suite.attribute("skipped").as_int(), count("testcase/skipped"));
}

TEST(JunitTest, FailureSaysStageAndFirstLineOfTheDiagnostic) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  CaseRecord& record = example.AddRecord("add_1", Status::kFail, "lower", "error: no pattern\nnote: see current op");
  record.stderr_tail = {"log tail"};
  const Parsed xml(example);
  const pugi::xml_node node = xml.Case("bert__add_1").child("failure");
  EXPECT_STREQ(node.attribute("type").value(), "fail");
  EXPECT_STREQ(node.attribute("message").value(), "lower: error: no pattern");
  EXPECT_THAT(node.text().get(), HasSubstr("stderr: log tail"));
  EXPECT_THAT(node.text().get(), HasSubstr("repro: opbyop repro add_1"));
}

TEST(JunitTest, ARowHasItsCasesWordsAsProperties) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kFail, "lower", "error: no pattern");
  const Parsed xml(example);
  std::map<std::string, std::string> properties;
  for (const pugi::xml_node node : xml.Case("bert__add_1").child("properties")) {
    properties[node.attribute("name").value()] = node.attribute("value").value();
  }
  EXPECT_EQ(properties["op"], "stablehlo.add");
  EXPECT_EQ(properties["model"], "bert");
  EXPECT_EQ(properties["case"], "add_1");
  EXPECT_EQ(properties["outcome"], "fail");
  EXPECT_EQ(properties["stage"], "lower");
  EXPECT_EQ(properties["reason"], "error: no pattern");
  EXPECT_EQ(properties["repro"], "opbyop repro add_1");
}

TEST(JunitTest, APassNamesThePoliciesThatJudgedNothing) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  example.AddRecord("add_1", Status::kPass, "compare", "").sets = {
      {.policy = "domain", .status = Status::kPass},
      {.policy = "sparse", .status = Status::kSkipped, .diagnostic = "too large", .judged_nothing = true}};
  const Parsed xml(example);
  const pugi::xml_node unjudged =
      xml.Case("bert__add_1").child("properties").find_child_by_attribute("property", "name", "unjudged");
  EXPECT_STREQ(unjudged.attribute("value").value(), "nothing was judged under sparse: too large");
  EXPECT_EQ(xml.Verdict("bert__add_1"), "");
}

TEST(JunitTest, SkippedSaysWhy) {
  const Parsed xml(EveryStatus());
  EXPECT_STREQ(xml.Case("bert__g_unsupported").child("skipped").attribute("message").value(),
               "unsupported in lower: why");
}

TEST(JunitTest, RunThatDidNotEndIsAnError) {
  ExampleRun example;
  example.run.complete = false;
  const Parsed xml(example);
  EXPECT_EQ(xml.Verdict("run"), "error");
  EXPECT_EQ(xml.suite.attribute("errors").as_int(), 1);
}

TEST(JunitTest, HostileTextStaysWellFormed) {
  const Parsed xml(EveryStatus("\xff\x01\x0b]]></failure>\"&"));
  EXPECT_STREQ(xml.Case("bert__b_fail").child("failure").attribute("message").value(),
               "lower: why\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD]]></failure>\"&");
}

}  // namespace
}  // namespace opbyop::reports
