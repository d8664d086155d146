// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/progress_listener.h"

#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

TEST(ProgressLineTest, ShowsProgressRateAndTimeLeft) {
  Scheduler::Progress progress;
  progress.total = 4500;
  progress.done = 900;
  progress.seconds = 10;
  EXPECT_EQ(ProgressListener::Line(progress, 3), "[   900/4500]  20 %   3 failed   90 cases/s   0:40 left");
}

TEST(ProgressLineTest, LeavesOutResultsOfAnEarlierRun) {
  Scheduler::Progress progress;
  progress.total = 1000;
  progress.done = 900;
  progress.known = 890;
  progress.seconds = 10;
  EXPECT_EQ(ProgressListener::Line(progress, 0), "[   900/1000]  90 %   0 failed   1 cases/s   1:40 left");
}

TEST(ProgressLineTest, ShowsNoTimeLeftBeforeTheFirstResult) {
  Scheduler::Progress progress;
  progress.total = 10;
  EXPECT_EQ(ProgressListener::Line(progress, 0), "[     0/10]   0 %   0 failed");
}

}  // namespace
}  // namespace opbyop::harness
