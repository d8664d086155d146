// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/stored_snapshot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "history/test_history.h"

namespace opbyop::history {
namespace {

using testing::Contains;
using testing::HasSubstr;

// What a difference is made of, in no order.
std::multiset<std::string> TextOf(const Snapshot& snapshot) {
  std::multiset<std::string> lines;
  for (const SnapshotRow& row : snapshot.rows) {
    const SnapshotCase& c = snapshot.cases[row.case_index];
    lines.insert(fmt::format("{} {} {} {} {} {} {} {}", row.model, c.id, c.op, c.signature, c.median_us, row.stage,
                             static_cast<int>(row.status), row.cause.empty() ? "" : row.cause));
  }
  return lines;
}

TEST(StoredSnapshotTest, TwoRunsAtOnceAreWhatEachIsAlone) {
  TestHistory history;
  Night first(1), second(2);
  first.AddCase("sine_4_f32_00000001", "stablehlo.sine", {"nn"});
  second.AddCase("cosine_4_f32_00000002", "stablehlo.cosine", {"nn"});
  second.End(kFft, Status::kFail, "lower", "no fft");
  history.Import(first);
  history.Import(second);
  const auto beside = OpenDatabase(history.where(), Access::kRead);
  ASSERT_TRUE(beside) << beside.error().message;
  const auto pair = LoadSnapshots({.db = history.db(), .beside = **beside}, "night-01", "night-02");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(TextOf(pair->before), TextOf(*LoadSnapshot(history.db(), "night-01")));
  EXPECT_EQ(TextOf(pair->after), TextOf(*LoadSnapshot(history.db(), "night-02")));
  EXPECT_NE(TextOf(pair->before), TextOf(pair->after));
  EXPECT_THAT(TextOf(pair->before), Contains(HasSubstr("nn sine_4_f32_00000001 stablehlo.sine ")));
}

TEST(StoredSnapshotTest, ARunThatIsNotThereIsNamed) {
  TestHistory history;
  history.Import(Night(1));
  const auto beside = OpenDatabase(history.where(), Access::kRead);
  const auto pair = LoadSnapshots({.db = history.db(), .beside = **beside}, "night-01", "night-07");
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().code, ExitCode::kNoInput);
  EXPECT_THAT(pair.error().message, HasSubstr("night-07"));
}

}  // namespace
}  // namespace opbyop::history
