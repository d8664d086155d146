// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/scorecard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::HasSubstr;

ScoreCard CardOf(const ExampleRun& example) {
  const View view = example.MakeView();
  return MakeScoreCard(view);
}

// tanh passes in two models; one sort is unsupported, the other crashes.
ExampleRun Example() {
  ExampleRun example;
  example.AddCase("tanh_a", "stablehlo.tanh", {"bert", "nn"});
  example.AddCase("sort_a", "stablehlo.sort", {"bert"});
  example.AddCase("sort_b", "stablehlo.sort", {"bert"}).outputs = {{{4}, "i32"}};
  example.AddRecord("tanh_a", Status::kPass);
  example.AddRecord("sort_a", Status::kUnsupported, "lower", "no sort");
  example.AddRecord("sort_b", Status::kCrash, "lower", "signal 11");
  return example;
}

TEST(ScoreCardTest, CasesCountOnceWhateverTheirModels) {
  const ScoreCard card = CardOf(Example());
  EXPECT_EQ(card.total.cases, 3);
  EXPECT_EQ(card.total.passed, 1);
  EXPECT_EQ(card.total.unsupported, 1);
  EXPECT_EQ(card.total.red, 1);
}

TEST(ScoreCardTest, ScoresAreByOpAndByType) {
  const ScoreCard card = CardOf(Example());
  EXPECT_EQ(card.by_op.at("stablehlo.sort").cases, 2);
  EXPECT_EQ(card.by_type.at("f32").passed, 1);
  EXPECT_EQ(card.by_op_type.at("stablehlo.sort").at("i32").red, 1);
}

TEST(ScoreCardTest, JsonHasAllThatMakesScoresComparable) {
  ExampleRun example = Example();
  example.run.header.manifest_hash = "abc";
  const nlohmann::json json = nlohmann::json::parse(ScoreCardJson(CardOf(example)));
  EXPECT_EQ(json["schema"], "opbyop-scorecard/1");
  EXPECT_EQ(json["manifest_sha256"], "abc");
  EXPECT_EQ(json["total"]["cases"], 3);
  EXPECT_EQ(json["by_op_type"]["stablehlo.sort"]["f32"]["unsupported"], 1);
}

TEST(ScoreCardTest, ASuiteIsNamedWithItsVersionAndLevel) {
  ExampleRun example = Example();
  example.manifest.suite = {{"stablehlo", "1.0", "smoke"}};
  const ScoreCard card = CardOf(example);
  EXPECT_THAT(ScoreCardMarkdown(card), HasSubstr("# host: 33.3 % of suite stablehlo 1.0 smoke"));
  EXPECT_THAT(ScoreBadge(card), HasSubstr("stablehlo 1.0 smoke: host"));
  EXPECT_EQ(nlohmann::json::parse(ScoreCardJson(card))["suite"]["version"], "1.0");
}

TEST(ScoreCardTest, MarkdownHasAHeatMap) {
  const std::string text = ScoreCardMarkdown(CardOf(Example()));
  EXPECT_THAT(text, HasSubstr("# host: 33.3 % of 2 models"));
  EXPECT_THAT(text, HasSubstr("| op | f32 | i32 |"));
  EXPECT_THAT(text, HasSubstr("| stablehlo.sort | 0/1 | 0/1 |"));
}

TEST(ScoreCardTest, AScoreOfAPartSaysSo) {
  ExampleRun example = Example();
  example.run.complete = false;
  EXPECT_THAT(ScoreCardMarkdown(CardOf(example)), HasSubstr("The run did not end"));
  EXPECT_THAT(ScoreBadge(CardOf(example)), HasSubstr("(part)"));
}

TEST(ScoreCardTest, ACompiledCaseIsNotCalledRight) {
  ExampleRun example = Example();
  example.run.header.compile_only = "no chip";
  EXPECT_THAT(ScoreCardMarkdown(CardOf(example)), HasSubstr("a pass means that the case was compiled"));
  EXPECT_THAT(ScoreBadge(CardOf(example)), HasSubstr("33.3 % of 3 cases compiled"));
}

TEST(ScoreCardTest, TheBadgeIsXmlWhateverTheTargetIsCalled) {
  ExampleRun example = Example();
  example.run.header.target = "<&\"";
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(ScoreBadge(CardOf(example)).c_str()));
  EXPECT_STREQ(document.document_element().name(), "svg");
}

}  // namespace
}  // namespace opbyop::reports
