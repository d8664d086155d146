// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/unjudged_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/summary/summary.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

TEST(UnjudgedRowsTest, ReasonsThatDifferInNamesAndNumbersAreOne) {
  ExampleRun example;
  example.AddCase("sine_1", "stablehlo.sine", {"bert"});
  example.AddCase("cosine_1", "stablehlo.cosine", {"bert", "nn"});
  example.AddRecord("sine_1", Status::kUnsupported, "lower", "failed to legalize 'stablehlo.sine' at line 3");
  example.AddRecord("cosine_1", Status::kUnsupported, "lower", "failed to legalize 'stablehlo.cosine' at line 12");
  const View view = example.MakeView();
  const std::vector<UnjudgedGroup> gaps = FindUnjudged(view);
  ASSERT_THAT(gaps, SizeIs(1));
  EXPECT_EQ(gaps[0].reason, "failed to legalize 'stablehlo.cosine' at line 12") << "the most frequent one";
  EXPECT_EQ(gaps[0].reasons, 2);
  EXPECT_EQ(gaps[0].cases, 2);
  EXPECT_EQ(gaps[0].rows, 3);
  EXPECT_EQ(gaps[0].ops, 6);
  EXPECT_THAT(gaps[0].models, ElementsAre(0, 1));
  ASSERT_THAT(gaps[0].of, SizeIs(2));
  EXPECT_EQ(gaps[0].of[0].op, "stablehlo.cosine") << "most ops of the models first";
}

TEST(UnjudgedRowsTest, UnsupportedComesBeforeInconclusiveBeforeSkipped) {
  ExampleRun example;
  for (const char* id : {"a", "b", "c"}) example.AddCase(id, "stablehlo.add", {"bert"});
  example.AddRecord("a", Status::kSkipped, "inputs", "too large");
  example.AddRecord("b", Status::kInconclusive, "compare", "all zero");
  example.AddRecord("c", Status::kUnsupported, "lower", "no kernel");
  std::vector<Status> statuses;
  for (const UnjudgedGroup& gap : FindUnjudged(example.MakeView())) statuses.push_back(gap.status);
  EXPECT_THAT(statuses, ElementsAre(Status::kUnsupported, Status::kInconclusive, Status::kSkipped));
}

TEST(UnjudgedRowsTest, JudgedRowsAreNoGap) {
  ExampleRun example;
  example.AddCase("a", "stablehlo.add", {"bert"});
  example.AddCase("b", "stablehlo.add", {"bert"});
  example.AddRecord("a", Status::kPass);
  example.AddRecord("b", Status::kCrash, "lower", "died");
  const View view = example.MakeView();
  EXPECT_THAT(FindUnjudged(view), IsEmpty());
  EXPECT_EQ(UnjudgedLine(view, Status::kUnsupported), "");
  EXPECT_THAT(SummaryMarkdown(view), Not(HasSubstr("not judged")));
}

TEST(UnjudgedRowsTest, CasesOfOneShapeAreCounted) {
  ExampleRun example;
  for (const char* id : {"a", "b", "c"}) {
    example.AddCase(id, "stablehlo.add", {"bert", "nn"});
    example.AddRecord(id, Status::kUnsupported, "lower", "no kernel");
  }
  example.manifest.cases[2].inputs = {{{7}, "f64"}};
  const View view = example.MakeView();
  const std::vector<UnjudgedGroup> gaps = FindUnjudged(view);
  ASSERT_THAT(gaps, SizeIs(1));
  const auto shapes = ShapesOf(view, gaps[0].of[0].cases);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_THAT(shapes[0], Pair(HasSubstr("f32"), 2));
  EXPECT_THAT(shapes[1], Pair(HasSubstr("f64"), 1));
  EXPECT_EQ(UnjudgedLine(view, Status::kUnsupported),
            "still to be supported: 1 kind of op in 2 shapes, 12 ops of the models");
}

TEST(UnjudgedRowsTest, ConsoleAndSummaryListReasonsOpsAndShapes) {
  ExampleRun example;
  for (int i = 0; i < 6; ++i) {
    const std::string id = "sine_" + std::to_string(i);
    example.AddCase(id, "stablehlo.sine", {"bert"}).inputs = {{{i + 1}, "f32"}};
    example.AddRecord(id, Status::kUnsupported, "lower", "no kernel for size " + std::to_string(i));
  }
  const View view = example.MakeView();
  for (const std::string& text : {SummaryText(view), SummaryMarkdown(view)}) {
    EXPECT_THAT(text, HasSubstr("still to be supported: 1 kind of op in 6 shapes, 12 ops of the models"));
    EXPECT_THAT(text, HasSubstr("unsupported in lower: no kernel for size"));
    EXPECT_THAT(text, HasSubstr("(and 5 like it)"));
    EXPECT_THAT(text, HasSubstr("12 ops of the models, 6 rows, 6 cases"));
    EXPECT_THAT(text, HasSubstr("stablehlo.sine"));
  }
  EXPECT_THAT(SummaryText(view), HasSubstr("; and 3 more"));
}

TEST(UnjudgedRowsTest, OneIsNoPlural) {
  ExampleRun example;
  example.AddCase("sine_1", "stablehlo.sine", {"bert"}).origins[0].count = 1;
  example.AddRecord("sine_1", Status::kUnsupported, "lower", "no kernel");
  const View view = example.MakeView();
  for (const std::string& text : {SummaryText(view), SummaryMarkdown(view)}) {
    EXPECT_THAT(text, HasSubstr("1 op of the models, 1 row, 1 case"));
    EXPECT_THAT(text, HasSubstr("still to be supported: 1 kind of op in 1 shape, 1 op of the models"));
  }
}

}  // namespace
}  // namespace opbyop::reports
