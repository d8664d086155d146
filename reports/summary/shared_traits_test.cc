// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/shared_traits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/summary/ranked_causes.h"
#include "reports/summary/summary.h"
#include "reports/view/example_run.h"

namespace opbyop::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SharedTraitsTest : public testing::Test {
 protected:
  // Adds a row with its own case.
  void Add(Status status, const std::string& dtype, const std::vector<int64_t>& shape = {8, 128},
           const std::string& op = "convert") {
    const std::string id = fmt::format("{}_{}", op, example_.manifest.cases.size());
    Case& c = example_.AddCase(id, "stablehlo." + op, {"bert"});
    c.inputs = {{shape, "f32"}};
    c.outputs = {{shape, dtype}};
    example_.AddRecord(id, status, "compare", status == Status::kPass ? "" : "wrong");
  }
  void AddMany(int count, Status status, const std::string& dtype, const std::vector<int64_t>& shape = {8, 128},
               const std::string& op = "convert") {
    for (int i = 0; i < count; ++i) Add(status, dtype, shape, op);
  }

  std::vector<std::string> Sentences() const {
    const View view = example_.MakeView();
    return SharedTraits(view).Sentences();
  }

  ExampleRun example_;
};

TEST_F(SharedTraitsTest, AnElementTypeOfOnlyRedRowsIsReported) {
  AddMany(34, Status::kFail, "f8E5M2");
  AddMany(3, Status::kPass, "f16");
  EXPECT_THAT(Sentences(), ElementsAre("stablehlo.convert: of its red rows all 34 have f8E5M2, and none of 3 rows of "
                                       "the op that pass"));
  AddMany(2, Status::kPass, "f8E5M2");
  EXPECT_THAT(Sentences(), ElementsAre(HasSubstr("all 34 have f8E5M2, as have 2 of 5 rows of the op that pass")));
}

TEST_F(SharedTraitsTest, NothingIsReportedForTwoRowsOrOneCase) {
  AddMany(2, Status::kFail, "f8E5M2");
  AddMany(9, Status::kPass, "f16");
  EXPECT_THAT(Sentences(), IsEmpty());
  example_ = ExampleRun();
  Case& c = example_.AddCase("one", "stablehlo.convert", {"bert", "nn"});
  c.outputs = {{{4}, "f8E5M2"}};
  example_.AddRecord("one", Status::kFail, "compare", "wrong");
  AddMany(9, Status::kPass, "f16");
  EXPECT_THAT(Sentences(), IsEmpty()) << "rows of one case have everything in common";
}

TEST_F(SharedTraitsTest, NothingIsReportedIfARedRowHasAnotherType) {
  AddMany(33, Status::kFail, "f8E5M2");
  Add(Status::kFail, "f16");
  AddMany(3, Status::kPass, "bf16");
  EXPECT_THAT(Sentences(), IsEmpty());
}

TEST_F(SharedTraitsTest, NothingIsReportedIfNoRowOfAnotherTypePasses) {
  AddMany(9, Status::kFail, "f8E5M2");
  EXPECT_THAT(Sentences(), IsEmpty());
  AddMany(3, Status::kUnsupported, "f16");
  AddMany(3, Status::kPass, "f8E5M2");
  AddMany(5, Status::kPass, "f16", {8, 128}, "add");
  EXPECT_THAT(Sentences(), IsEmpty()) << "they say nothing, have it too, or are of another op";
}

TEST_F(SharedTraitsTest, AClassOfShapesIsReportedIfMostPassingRowsLackIt) {
  for (const int64_t n : {8, 12, 100}) Add(Status::kFail, "f16", {4, n});
  AddMany(5, Status::kPass, "f16", {4, 128});
  EXPECT_THAT(Sentences(), ElementsAre(HasSubstr("all 3 have an innermost dimension that is no multiple of 32, and "
                                                 "none of 5 rows of the op that pass")));
  AddMany(6, Status::kPass, "f16", {4, 20});
  EXPECT_THAT(Sentences(), IsEmpty()) << "most of those that pass have it too";
}

TEST_F(SharedTraitsTest, RedRowsOfSeveralOpsAreReportedTogether) {
  AddMany(2, Status::kFail, "f8E5M2");
  AddMany(2, Status::kFail, "f8E5M2", {8, 128}, "add");
  Add(Status::kPass, "f16");
  EXPECT_THAT(Sentences(), ElementsAre("of the red rows of all ops all 4 have f8E5M2, and the only row of these ops "
                                       "that passes has not"));
}

TEST_F(SharedTraitsTest, ClassesOfShapes) {
  const auto shapes = [](const std::vector<int64_t>& shape) {
    Case c;
    c.outputs = {{shape, "f32"}};
    return TraitsOf(c).shapes;
  };
  EXPECT_THAT(shapes({}), ElementsAre("a scalar", "scalars alone"));
  EXPECT_THAT(shapes({3, 0}), ElementsAre("a tensor of rank 2", "an empty tensor"));
  EXPECT_THAT(shapes({2, 65537, 128}), ElementsAre("a dimension above 65,536", "a tensor of rank 3"));
  EXPECT_THAT(shapes({65536}), ElementsAre("a tensor of rank 1"));
  EXPECT_THAT(shapes({16}), ElementsAre("a tensor of rank 1", "an innermost dimension that is no multiple of 128",
                                        "an innermost dimension that is no multiple of 32"));
  EXPECT_THAT(shapes({4, 1}), ElementsAre("a tensor of rank 2"));
  EXPECT_THAT(TraitsOf(Case()).shapes, IsEmpty());
}

TEST_F(SharedTraitsTest, SummariesAndGroupsHaveTheSentences) {
  AddMany(3, Status::kFail, "f8E5M2");
  AddMany(4, Status::kPass, "f16");
  const View view = example_.MakeView();
  const std::string said = "all 3 have f8E5M2, and none of 4 rows of the op that pass";
  EXPECT_THAT(SummaryText(view), HasSubstr("stablehlo.convert: of its red rows " + said));
  EXPECT_THAT(SummaryMarkdown(view), HasSubstr("- stablehlo.convert: of its red rows " + said));
  EXPECT_THAT(RankCauses(view).front().shared, ElementsAre(said));
}

}  // namespace
}  // namespace opbyop::reports
