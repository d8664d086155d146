// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/output_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "reference/bounds/bound.h"

namespace opbyop::reference {
namespace {

using testing::HasSubstr;

Tensor F32(const std::vector<double>& values) {
  return Tensor::Of<double>(ElementType::kF32, {static_cast<int64_t>(values.size())}, values);
}

Expected<Comparison> Judge(const Tensor& expected, const Tensor& got, const OutputCriteria& criteria = {}) {
  return JudgeOutput(1, expected, got.shape(), TensorToBytes(got), criteria);
}

TEST(OutputJudgeTest, ARightOutputIsAccepted) {
  const Expected<Comparison> comparison = Judge(F32({1, 2}), F32({1, 2}));
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_TRUE(comparison->accepted);
  EXPECT_EQ(comparison->output, 1);
}

TEST(OutputJudgeTest, AnotherShapeIsAnError) {
  const Expected<Comparison> comparison = Judge(F32({1, 2}), F32({1, 2, 3}));
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().message, "output 1: has shape [3], expected [2]");
}

// Alternative results of a device that declares this arithmetic. give(way) returns the judged output, which is the
// second one.
AlternativeResults Others(const Arithmetic& declared, std::function<Expected<Tensor>(const std::string&)> give) {
  return {AlternativesOf(declared, {}), [give = std::move(give)](const Alternative& way) -> Expected<Values> {
            const Expected<Tensor> tensor = give(way.what);
            if (!tensor) return Unexpected(tensor.error());
            return Values{F32({0}), *tensor};
          }};
}
constexpr FlushedParts kFlushes = {.operands = true, .results = true};

TEST(OutputJudgeTest, AFlushedResultIsAcceptedIfFlushingIsDeclared) {
  const Tensor expected = F32({0x1p-130, 2, 3});
  const Tensor got = F32({0, 2, 3});
  EXPECT_FALSE(Judge(expected, got)->accepted);
  AlternativeResults others = Others({.flushes = kFlushes}, [&](const std::string&) { return Tensor(got); });
  const Expected<Comparison> comparison = Judge(expected, got, {.alternatives = &others});
  EXPECT_TRUE(comparison->accepted);
  EXPECT_THAT(comparison->rule, HasSubstr(", 1 with subnormals taken for zero"));
}

TEST(OutputJudgeTest, EachElementMayFollowADifferentDeclaredWay) {
  AlternativeResults others = Others({.stores_toward_zero = true, .flushes = kFlushes}, [](const std::string& way) {
    return way == "rounded toward zero" ? F32({0x1p-130, 1.5}) : F32({0, 2});
  });
  const Expected<Comparison> comparison = Judge(F32({0x1p-130, 2}), F32({0, 1.5}), {.alternatives = &others});
  EXPECT_TRUE(comparison->accepted);
  EXPECT_THAT(comparison->rule, HasSubstr(", 1 with subnormals taken for zero, 1 rounded toward zero"));
  EXPECT_FALSE(Judge(F32({0x1p-130, 2}), F32({0, 1.75}), {.alternatives = &others})->accepted);
}

TEST(OutputJudgeTest, AlternativesAreNotEvaluatedIfThePlainResultFits) {
  AlternativeResults others = Others({.flushes = kFlushes}, [](const std::string&) {
    ADD_FAILURE() << "evaluated for nothing";
    return F32({});
  });
  EXPECT_TRUE(Judge(F32({1}), F32({1}), {.alternatives = &others})->accepted);
}

TEST(OutputJudgeTest, AnErrorOfAnAlternativeIsReturned) {
  AlternativeResults others = Others({.flushes = kFlushes}, [](const std::string&) -> Expected<Tensor> {
    return MakeError(ExitCode::kUnsupported, "unsupported: x");
  });
  const Expected<Comparison> comparison = Judge(F32({1}), F32({2}), {.alternatives = &others});
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().code, ExitCode::kUnsupported);
}

TEST(OutputJudgeTest, TheRuleSaysThatAProgramWasRaised) {
  EXPECT_THAT(Judge(F32({1}), F32({1}), {.raised = true})->rule, HasSubstr(", raised to StableHLO"));
  EXPECT_THAT(Judge(F32({1}), F32({1}), {.own_inputs = true})->rule,
              HasSubstr(", on inputs that the target generated itself"));
}

TEST(OutputJudgeTest, WhereTheBoundSaysNothingAnAlternativeMayBeNear) {
  const double inf = std::numeric_limits<double>::infinity();
  Tensor expected = F32({-744, 4, 2});
  auto bound = MakeBound(3, "propagated", 1);
  MutableSpan(*bound)[0] = inf;
  expected.set_bound(std::move(bound));
  AlternativeResults others = Others({.flushes = kFlushes}, [&](const std::string&) { return F32({-inf, 4, 3}); });
  const auto judge = [&](const Tensor& got) {
    return *Judge(expected, got, {.alternatives = &others, .weak = WeakCriterion()});
  };
  const Comparison flushed = judge(F32({-inf, 4, 2}));
  EXPECT_TRUE(flushed.accepted);
  EXPECT_THAT(flushed.rule, HasSubstr("says nothing, 1 with subnormals taken for zero"));
  EXPECT_TRUE(judge(F32({-744, 4, 2})).accepted);
  EXPECT_FALSE(judge(F32({inf, 4, 2})).accepted);
  EXPECT_FALSE(judge(F32({-300, 4, 2})).accepted);
}

TEST(OutputJudgeTest, TheErrorOfAWholeModelIsAShareOfItsRange) {
  const Expected<Comparison> comparison = Judge(F32({0, 4}), F32({1, 4}), {.weak = WeakCriterion()});
  EXPECT_FALSE(comparison->accepted);
  EXPECT_EQ(comparison->range_error, 0.25);
}

}  // namespace
}  // namespace opbyop::reference
