// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/whole_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/page/page_data.h"
#include "reports/summary/summary.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

ExampleRun Ops() {
  ExampleRun ops;
  ops.AddCase("add_1", "stablehlo.add", {"bert", "nn"});
  ops.AddRecord("add_1", Status::kPass);
  return ops;
}

// The model `bert` in one piece.
ExampleRun Whole(Status status, const std::string& stage, Comparison comparison, const std::string& diagnostic = "") {
  ExampleRun whole;
  whole.run.header.mode = "whole";
  whole.AddCase("model_bert", std::string(kWholeModel), {"bert"});
  CaseRecord& record = whole.AddRecord("model_bert", status, stage, diagnostic);
  if (stage == "compare") record.comparisons = {std::move(comparison)};
  return whole;
}

TEST(WholeModelsTest, OpsThatPassDoNotHideAModelThatFails) {
  const ExampleRun ops = Ops();
  const ExampleRun whole =
      Whole(Status::kFail, "compare", {.accepted = false, .range_error = 0.25}, "output 0: 6 of 6 elements");
  View view = ops.MakeView();
  EXPECT_FALSE(view.red());
  AddWholeModels(whole.MakeView(), view);
  EXPECT_TRUE(view.red());
  EXPECT_EQ(WholeModelText(view.models[0]), "fail, error 0.25 of the range");
  EXPECT_EQ(WholeModelText(view.models[1]), "");
  const std::string text = SummaryMarkdown(view);
  EXPECT_THAT(text, HasSubstr("needs attention"));
  EXPECT_THAT(text, HasSubstr("| 100.0 % | fail, error 0.25 of the range |"));
  std::string page;
  PageData(view, {}, [&](std::string_view text) { page += text; });
  const auto data = nlohmann::json::parse(page);
  EXPECT_EQ(data["models"][0]["whole"]["status"], static_cast<int>(Status::kFail));
  EXPECT_EQ(data["models"][0]["whole"]["diagnostic"], "output 0: 6 of 6 elements");
  EXPECT_FALSE(data["models"][1].contains("whole"));
}

TEST(WholeModelsTest, AWeakPassSaysSo) {
  const ExampleRun ops = Ops();
  const ExampleRun whole = Whole(Status::kPass, "compare", {.range_error = 2e-6, .weak = true});
  View view = ops.MakeView();
  AddWholeModels(whole.MakeView(), view);
  EXPECT_FALSE(view.red());
  EXPECT_EQ(WholeModelText(view.models[0]), "pass (weak), error 2e-06 of the range");
}

TEST(WholeModelsTest, AModelThatDoesNotCompileNamesItsStage) {
  const ExampleRun ops = Ops();
  const ExampleRun whole = Whole(Status::kTimeout, "lower", {}, "no answer in 200 s");
  View view = ops.MakeView();
  AddWholeModels(whole.MakeView(), view);
  EXPECT_EQ(WholeModelText(view.models[0]), "timeout in lower: no answer in 200 s");
}

TEST(WholeModelsTest, ResultsOfAnotherCompilerOrModelAreNotShown) {
  const ExampleRun ops = Ops();
  ExampleRun other = Whole(Status::kPass, "compare", {});
  other.run.header.toolchain = "older";
  View view = ops.MakeView();
  AddWholeModels(other.MakeView(), view);
  EXPECT_FALSE(view.models[0].whole);
  ExampleRun changed = Whole(Status::kPass, "compare", {});
  changed.manifest.models[0].sha256 = "0000";
  AddWholeModels(changed.MakeView(), view);
  EXPECT_FALSE(view.models[0].whole);
  EXPECT_THAT(SummaryText(view), Not(HasSubstr("whole model")));
}

}  // namespace
}  // namespace opbyop::reports
