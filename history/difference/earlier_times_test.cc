// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/earlier_times.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "history/difference/stored_snapshot.h"
#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kCases = 40;  // in addition to those of every night

std::string CaseName(int number) { return fmt::format("sine_{}_f32_{:08}", number, number); }

void Take(Night& night, const std::string& id, double us) { night.RecordOf(id).timing = {10, us * 0.99, us, us * 1.1}; }

// Each case takes 1 ms plus its number, so that no night is slower as a whole.
Night MakeNight(int day) {
  Night night(day);
  for (int i = 0; i < kCases; ++i) {
    night.AddCase(CaseName(i), "stablehlo.sine", {"nn"});
    Take(night, CaseName(i), 1000 + i);
  }
  return night;
}

class EarlierTimesTest : public testing::Test {
 protected:
  // The times in the runs before `run` of the cases with these names, newest first.
  std::vector<std::vector<double>> TimesOf(const std::string& run, const std::vector<std::string>& names) {
    const Expected<Snapshot> before = LoadSnapshot(history_.db(), run);
    EXPECT_TRUE(before) << before.error().message;
    std::vector<size_t> cases;
    for (const std::string& name : names) {
      const auto found = std::ranges::find(before->cases, name, &SnapshotCase::id);
      EXPECT_NE(found, before->cases.end()) << name;
      cases.push_back(static_cast<size_t>(found - before->cases.begin()));
    }
    auto times = TimesBefore(history_.db(), *before)(cases);
    EXPECT_TRUE(times) << times.error().message;
    for (std::vector<double>& each : *times) {
      for (double& time : each) time = std::exp(time);
    }
    return *times;
  }

  TestHistory history_;
};

TEST_F(EarlierTimesTest, NewestFirstWithoutTheRunItself) {
  for (int day = 1; day <= 4; ++day) {
    Night night = MakeNight(day);
    Take(night, CaseName(7), 1000 + day);  // less than what counts as slower
    history_.Import(night);
  }
  EXPECT_THAT(TimesOf("night-04", {CaseName(7), CaseName(9)}),
              ElementsAre(ElementsAre(DoubleNear(1003, 0.1), DoubleNear(1002, 0.1), DoubleNear(1001, 0.1)),
                          ElementsAre(DoubleNear(1009, 0.1), DoubleNear(1009, 0.1), DoubleNear(1009, 0.1))));
  EXPECT_THAT(TimesOf("night-01", {CaseName(7)}), ElementsAre(IsEmpty()));
}

TEST_F(EarlierTimesTest, FewCasesHaveTheTimesThatTheyHaveAmongAll) {
  for (int day = 1; day <= 3; ++day) history_.Import(MakeNight(day));
  std::vector<std::string> all;
  for (int i = 0; i < kCases; ++i) all.push_back(CaseName(i));
  const auto of_all = TimesOf("night-03", all);
  EXPECT_EQ(TimesOf("night-03", {CaseName(0), CaseName(39)}), (std::vector{of_all.front(), of_all.back()}));
}

TEST_F(EarlierTimesTest, TheyStopAtTheRunThatMadeTheCaseSlower) {
  for (int day = 1; day <= 6; ++day) {
    Night night = MakeNight(day);
    if (day >= 4) Take(night, CaseName(7), 3000);
    history_.Import(night);
  }
  EXPECT_THAT(TimesOf("night-06", {CaseName(7)}), ElementsAre(ElementsAre(DoubleNear(3000, 1), DoubleNear(3000, 1))));
}

}  // namespace
}  // namespace opbyop::history
