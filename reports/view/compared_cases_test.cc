// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/compared_cases.h"

#include <gtest/gtest.h>

#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

TEST(ComparedCasesTest, EndsAreCountedRedFirst) {
  ExampleRun example;
  const auto add = [&](const std::string& id, Status status) {
    example.AddCase(id, "stablehlo.add", {"bert"});
    example.AddRecord(id, status, "lower", "why");
  };
  add("add_a", Status::kUnsupported);
  add("add_b", Status::kUnsupported);
  add("add_c", Status::kCrash);
  add("add_d", Status::kPass);
  const View view = example.MakeView();
  const std::vector<ComparedCase> cases = JoinCases({{&view, ""}});
  const OutcomeSummary summary = Summarize(ByOp(cases).at("stablehlo.add"), 0);
  EXPECT_EQ(summary.cases, 4);
  EXPECT_EQ(summary.passed, 1);
  ASSERT_EQ(summary.ends.size(), 2u);
  EXPECT_EQ(summary.ends[0].status, Status::kCrash);
  EXPECT_EQ(summary.ends[1].status, Status::kUnsupported);
  EXPECT_EQ(summary.ends[1].cases, 2);
  EXPECT_EQ(summary.ends[1].first->row->c->id, "add_a");
}

TEST(ComparedCasesTest, ACaseHasTheOutcomeOfItsWorstRow) {
  ExampleRun example;
  example.AddCase("add_a", "stablehlo.add", {"bert", "nn"});
  example.AddRecord("add_a", Status::kFail, "lower", "why").repro = "again";
  example.Expect({.ids = {"bert__*"}, .stage = "lower", .reason = "known"});
  const View view = example.MakeView();
  const std::vector<ComparedCase> cases = JoinCases({{&view, ""}});
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].outcomes[0]->row->model, "nn");
  EXPECT_EQ(cases[0].outcomes[0]->repro, "again");
}

TEST(ComparedCasesTest, QuantizedTypesAreOneType) {
  EXPECT_EQ(ResultType({.outputs = {{{4}, "!quant.uniform<i8:f32, 0.5>"}}}), "quantized");
  EXPECT_EQ(ResultType({}), "none");
}

TEST(ComparedCasesTest, ATypeThatContainsOthersIsNamedByItsKind) {
  EXPECT_EQ(ResultType({.outputs = {{{4}, "complex<f32>"}}}), "complex<f32>");
  EXPECT_EQ(ResultType({.outputs = {{{}, "tuple<tensor<3x5xf16>, tensor<i1>>"}}}), "tuple");
  EXPECT_EQ(ResultType({.outputs = {{{}, "!stablehlo.future<tensor<2x!quant.uniform<u8:f32, 0.05:128>>>"}}}), "future");
  EXPECT_EQ(ResultType({.outputs = {{{}, "!stablehlo.token"}}}), "token");
}

}  // namespace
}  // namespace opbyop::reports
