// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/history_place.h"

#include <gtest/gtest.h>

#include "history/database/database.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::history {
namespace {

TEST(HistoryPlaceTest, AHistoryIsDistinguishedFromARun) {
  const TestFolder folder;
  const std::string file = (folder.path() / "history.db").string(), other = (folder.path() / "results.jsonl").string();
  ASSERT_TRUE(OpenDatabase(file, Access::kWrite));
  ASSERT_TRUE(WriteFile(other, "{}\n"));
  EXPECT_TRUE(IsHistory(file));
  EXPECT_TRUE(IsHistory("postgresql://ops@db.example/opbyop"));
  EXPECT_FALSE(IsHistory(other));
  EXPECT_FALSE(IsHistory(folder.path().string()));
  EXPECT_FALSE(IsHistory("cost"));
}

}  // namespace
}  // namespace opbyop::history
