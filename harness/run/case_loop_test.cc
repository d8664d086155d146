// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/case_loop.h"

#include <gmock/gmock.h>

#include <limits>
#include <memory>
#include <string>

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;
using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class CaseLoopTest : public testing::Test {
 protected:
  CaseLoopTest() {
    for (const char* id : {"a", "b", "c", "d"}) owned_.push_back({.id = id});
    for (const Case& c : owned_) cases_.push_back(&c);
  }

  // Returns jobs that note their cases. A job fails on the case `bad`.
  auto Noting(const std::string& bad = "") {
    return [this, bad] {
      ++jobs_;
      return [this, bad](const Case& c) -> Expected<void> {
        const std::scoped_lock lock(mutex_);
        seen_.push_back(c.id);
        if (c.id == bad) return MakeError(ExitCode::kInternal, "bad " + c.id);
        return {};
      };
    };
  }

  std::vector<Case> owned_;
  std::vector<const Case*> cases_;
  std::mutex mutex_;
  std::vector<std::string> seen_;
  std::atomic<int> jobs_ = 0;
};

TEST_F(CaseLoopTest, EveryCaseIsDoneOnce) {
  ASSERT_TRUE(ForEachCase(cases_, 3, Clock::time_point::max(), Noting()).has_value());
  EXPECT_THAT(seen_, UnorderedElementsAre("a", "b", "c", "d"));
}

TEST_F(CaseLoopTest, EachThreadHasAJobOfItsOwn) {
  ASSERT_TRUE(ForEachCase(cases_, 3, Clock::time_point::max(), Noting()).has_value());
  EXPECT_EQ(jobs_, 3);
}

TEST_F(CaseLoopTest, ANumberBelowOneMeansOneThread) {
  ASSERT_TRUE(ForEachCase(cases_, -1, Clock::time_point::max(), Noting()).has_value());
  EXPECT_THAT(seen_, SizeIs(4));
}

TEST_F(CaseLoopTest, OneThreadKeepsTheOrder) {
  ASSERT_TRUE(ForEachCase(cases_, 1, Clock::time_point::max(), Noting()).has_value());
  EXPECT_THAT(seen_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(CaseLoopTest, AnErrorEndsItAndIsReturned) {
  const Expected<void> done = ForEachCase(cases_, 1, Clock::time_point::max(), Noting("b"));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "bad b");
  EXPECT_THAT(seen_, ElementsAre("a", "b"));
}

TEST_F(CaseLoopTest, NoCaseIsStartedAfterTheEnd) {
  ASSERT_TRUE(ForEachCase(cases_, 2, Clock::now(), Noting()).has_value());
  EXPECT_THAT(seen_, SizeIs(0));
}

TEST_F(CaseLoopTest, JobsMayBeMoveOnly) {
  int count = 0;
  const auto make_job = [&] {
    return [&count, one = std::make_unique<int>(1)](const Case&) -> Expected<void> {
      count += *one;
      return {};
    };
  };
  ASSERT_TRUE(ForEachCase(cases_, 1, Clock::time_point::max(), make_job).has_value());
  EXPECT_EQ(count, 4);
}

TEST(EndAfterTest, ATimeBeyondTheClocksRangeMeansNever) {
  EXPECT_EQ(EndAfter(std::numeric_limits<double>::infinity()), Clock::time_point::max());
  EXPECT_EQ(EndAfter(1e12), Clock::time_point::max());
  EXPECT_LT(EndAfter(1e6), Clock::time_point::max());
}

}  // namespace
}  // namespace opbyop::harness
