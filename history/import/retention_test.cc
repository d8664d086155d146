// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/difference/stored_snapshot.h"
#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::ElementsAre;

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() {
    for (int day = 1; day <= 6; ++day) {
      Night night(day);
      if (day >= 2) night.End(kFft, Status::kFail, "lower", "no fft");
      history_.Import(night);
    }
  }
  TestHistory history_;
};

TEST_F(RetentionTest, OldResultsGoAndCountsStay) {
  const auto pruned = Prune(history_.db(), {.keep = 4, .keep_details = 2});
  ASSERT_TRUE(pruned) << pruned.error().message;
  EXPECT_EQ(pruned->results, 2);
  EXPECT_EQ(pruned->details, 2);
  EXPECT_EQ(history_.Count("results"), 16);
  EXPECT_EQ(history_.Count("timings"), 6);
  EXPECT_EQ(history_.Count("trend WHERE rows_count = 4"), 6);
  EXPECT_THAT(history_.Ask("since", {"run"}), ElementsAre("night-02")) << "of a run whose results are gone";
}

TEST_F(RetentionTest, TheNewestRunStays) {
  ASSERT_TRUE(Prune(history_.db(), {.keep = 0, .keep_details = 0}));
  EXPECT_EQ(history_.Count("results"), 4);
  EXPECT_EQ(history_.Count("stages"), 12);
}

TEST_F(RetentionTest, PruningTwiceChangesNothingMore) {
  ASSERT_TRUE(Prune(history_.db(), {.keep = 4, .keep_details = 2}));
  const auto again = Prune(history_.db(), {.keep = 4, .keep_details = 2});
  EXPECT_EQ(again->results + again->details, 0);
}

TEST_F(RetentionTest, APrunedRunSaysSo) {
  ASSERT_TRUE(Prune(history_.db(), {.keep = 1, .keep_details = {}}));
  const auto snapshot = LoadSnapshot(history_.db(), "night-03");
  EXPECT_EQ(snapshot.error().code, ExitCode::kNoInput);
  EXPECT_THAT(snapshot.error().message, testing::HasSubstr("its results were pruned"));
}

TEST_F(RetentionTest, TheNextRunIsComparedAsBefore) {
  ASSERT_TRUE(Prune(history_.db(), {.keep = 1, .keep_details = 1}));
  EXPECT_EQ(history_.Import(Night(7)).changes, 1) << "fixed";
}

TEST_F(RetentionTest, RunsAreListedNewestFirst) {
  const auto runs = ListRuns(history_.db(), "");
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 6u);
  EXPECT_EQ(runs->front().run_id, "night-06");
  EXPECT_EQ(runs->front().red, 1);
  EXPECT_EQ(ListRuns(history_.db(), "iree")->size(), 0u);
}

}  // namespace
}  // namespace opbyop::history
