// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/output_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

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

TEST(OutputJudgeTest, WhatADeviceThatFlushesGivesIsAcceptedWhereItIsDeclared) {
  const Tensor expected = F32({0x1p-130, 2, 3});
  const Tensor got = F32({0, 2, 3});
  OutputCriteria criteria;
  EXPECT_FALSE(Judge(expected, got, criteria)->accepted);
  criteria.flushed = [&]() -> Expected<Tensor> { return got; };
  const Expected<Comparison> comparison = Judge(expected, got, criteria);
  EXPECT_TRUE(comparison->accepted);
  EXPECT_THAT(comparison->rule, HasSubstr(", 1 with subnormals taken for zero"));
}

TEST(OutputJudgeTest, TheFlushedResultIsNotAskedForWhereThePlainOneFits) {
  const OutputCriteria criteria{.flushed = []() -> Expected<Tensor> {
    ADD_FAILURE() << "evaluated for nothing";
    return F32({});
  }};
  EXPECT_TRUE(Judge(F32({1}), F32({1}), criteria)->accepted);
}

TEST(OutputJudgeTest, TheFlushedResultsOfSeveralOutputsAreEvaluatedOnce) {
  int evaluations = 0;
  FlushedResults flushed([&]() -> Expected<Values> {
    ++evaluations;
    return Values{F32({0}), F32({0, 2})};
  });
  EXPECT_FALSE(flushed.evaluated());
  EXPECT_TRUE(Judge(F32({0x1p-130}), F32({0}), {.flushed = flushed.Output(0)})->accepted);
  EXPECT_TRUE(Judge(F32({0x1p-130, 2}), F32({0, 2}), {.flushed = flushed.Output(1)})->accepted);
  EXPECT_EQ(evaluations, 1);
  EXPECT_TRUE(flushed.evaluated());
}

TEST(OutputJudgeTest, AnErrorOfTheFlushedResultIsTheErrorOfTheJudgement) {
  const OutputCriteria criteria{
      .flushed = []() -> Expected<Tensor> { return MakeError(ExitCode::kUnsupported, "unsupported: x"); }};
  const Expected<Comparison> comparison = Judge(F32({1}), F32({2}), criteria);
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().code, ExitCode::kUnsupported);
}

TEST(OutputJudgeTest, TheRuleSaysThatAProgramWasRaised) {
  EXPECT_THAT(Judge(F32({1}), F32({1}), {.raised = true})->rule, HasSubstr(", raised to StableHLO"));
  EXPECT_THAT(Judge(F32({1}), F32({1}), {.own_inputs = true})->rule,
              HasSubstr(", on inputs that the target generated itself"));
}

TEST(OutputJudgeTest, OfAWholeModelTheErrorIsAShareOfTheRange) {
  const Expected<Comparison> comparison = Judge(F32({0, 4}), F32({1, 4}), {.weak = WeakCriterion()});
  EXPECT_FALSE(comparison->accepted);
  EXPECT_EQ(comparison->range_error, 0.25);
}

}  // namespace
}  // namespace opbyop::reference
