// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/stored_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(StoredSnapshotTest, CasesOfTwoRunsAreNamedOnDemand) {
  TestHistory history;
  history.Import(Night(1));
  history.Import(Night(2));
  const auto beside = OpenDatabase(history.where(), Access::kRead);
  ASSERT_TRUE(beside) << beside.error().message;
  auto pair = LoadSnapshots({.db = history.db(), .beside = **beside}, "night-01", "night-02");
  ASSERT_TRUE(pair) << pair.error().message;
  const Expected<Snapshot> whole = LoadSnapshot(history.db(), "night-02");
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_THAT(pair->after.cases, SizeIs(3));
  EXPECT_EQ(pair->after.cases[1].id, "");
  ASSERT_TRUE(NameCases(history.db(), {1}, pair->after));
  EXPECT_EQ(pair->after.cases[1].id, whole->cases[1].id);
  EXPECT_EQ(pair->after.cases[1].op, whole->cases[1].op);
  EXPECT_NE(whole->cases[1].op, "");
  EXPECT_EQ(pair->after.cases[0].id, "");
}

TEST(StoredSnapshotTest, AStatusOfALaterVersionIsMissing) {
  TestHistory history;
  history.Import(Night(1));
  for (const char* number : {"99", "-1"}) {
    ASSERT_TRUE(history.db().Run(std::string("UPDATE results SET status_id = ") + number));
    const Expected<Snapshot> snapshot = LoadSnapshot(history.db(), "night-01");
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    for (const SnapshotRow& row : snapshot->rows) EXPECT_EQ(row.status, Status::kMissing);
    EXPECT_FALSE(snapshot->rows.empty());
  }
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
