// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/trace_diff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

TEST(TraceDiffTest, RanksByChange) {
  const TraceDiff diff = DiffTraces(SampleTrace(), SampleTrace({.slower_percent = 20}));
  EXPECT_EQ(diff.rows[0].name, "NN[model]/ReLU[relu]/aten__relu/maximum");
  EXPECT_GT(diff.rows[0].delta_ps, 50'000);
  EXPECT_FALSE(diff.rows[0].noise);
  EXPECT_GT(diff.candidate_ps, diff.base_ps);
}

TEST(TraceDiffTest, EqualRunsDifferByNoiseOnly) {
  const TraceDiff diff = DiffTraces(SampleTrace(), SampleTrace());
  EXPECT_TRUE(std::ranges::all_of(diff.rows, &DiffRow::noise));
  EXPECT_EQ(diff.rows.size(), 10u);
}

TEST(TraceDiffTest, KeepsOpsThatAppearedAndDisappeared) {
  Trace candidate = SampleTrace();
  candidate.ops[9].framework = "aten__sigmoid";
  candidate.ops[9].hlo = "logistic";
  const TraceDiff diff = DiffTraces(SampleTrace(), candidate);
  EXPECT_EQ(diff.rows.size(), 11u);
  EXPECT_EQ(std::ranges::count_if(diff.rows, [](const DiffRow& row) { return !row.base; }), 1);
  EXPECT_EQ(std::ranges::count_if(diff.rows, [](const DiffRow& row) { return !row.candidate; }), 1);
}

TEST(TraceDiffTest, MatchesByPlaceNotById) {
  Trace candidate = SampleTrace();
  candidate.ops.push_back(candidate.ops[9]);
  candidate.ops.back().id = 10;
  candidate.ops.back().hlo = "extra";
  const TraceDiff diff = DiffTraces(SampleTrace(), candidate);
  const auto added = std::ranges::find_if(diff.rows, [](const DiffRow& row) { return !row.base; });
  ASSERT_NE(added, diff.rows.end());
  EXPECT_EQ(added->name, "NN[model]/Tanh[tanh]/aten__tanh/extra");
}

}  // namespace
}  // namespace opbyop::optrace
