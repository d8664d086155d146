// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/compared_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "history/difference/difference_report.h"
#include "history/difference/earlier_times.h"
#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::HasSubstr;

// The difference of the two runs if each is loaded by itself.
std::string TextOfBoth(Database& db, const std::string& before, const std::string& after) {
  const Expected<Snapshot> a = LoadSnapshot(db, before), b = LoadSnapshot(db, after);
  if (!a || !b) return "no such runs";
  const Expected<Difference> difference = Compare(*a, *b, {}, TimesBefore(db, *a));
  return difference ? DifferenceText(*difference) : difference.error().message;
}

class ComparedRunsTest : public testing::Test {
 protected:
  Expected<ComparedRuns> Compared(const std::string& before, const std::string& after) {
    const auto beside = OpenDatabase(history_.where(), Access::kRead);
    if (!beside) return Unexpected(beside.error());
    return CompareStored({.db = history_.db(), .beside = **beside}, before, after, {});
  }

  TestHistory history_;
};

TEST_F(ComparedRunsTest, IsTheDifferenceOfRunsLoadedOneByOne) {
  for (int night = 1; night <= 8; ++night) {
    Night each(night);
    each.AddCase(night < 8 ? "sine_4_f32_00000001" : "cosine_4_f32_00000002", "stablehlo.sine", {"nn", "cnn"});
    if (night == 8) {
      each.End(kFft, Status::kFail, "lower", "no fft");
      each.RecordOf(kAdd).timing = {10, 480, 500, 510};
    }
    history_.Import(each);
  }
  const auto compared = Compared("night-07", "night-08");
  ASSERT_TRUE(compared) << compared.error().message;
  const std::string text = DifferenceText(compared->difference);
  EXPECT_EQ(text, TextOfBoth(history_.db(), "night-07", "night-08"));
  EXPECT_THAT(text, HasSubstr("broke"));
  EXPECT_THAT(text, HasSubstr("cosine_4_f32_00000002"));
  EXPECT_THAT(text, HasSubstr("not in the run any more"));
}

TEST_F(ComparedRunsTest, ARunThatIsNotThereIsNamed) {
  history_.Import(Night(1));
  const auto compared = Compared("night-01", "night-07");
  ASSERT_FALSE(compared);
  EXPECT_EQ(compared.error().code, ExitCode::kNoInput);
  EXPECT_THAT(compared.error().message, HasSubstr("night-07"));
}

}  // namespace
}  // namespace opbyop::history
