// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "history/database/sqlite_database.h"
#include "history/import/test_history.h"
#include "support/files/file.h"

namespace opbyop::history {
namespace {

using testing::HasSubstr;

class MigrationsTest : public testing::Test {
 protected:
  std::unique_ptr<Database> Open(Access access = Access::kWrite) {
    auto db = OpenSqlite(path_, access);
    EXPECT_TRUE(db) << db.error().message;
    return std::move(*db);
  }

  TestFolder folder_;
  std::filesystem::path path_ = folder_.path() / "history.db";
};

constexpr std::array<Migration, 2> kTwo = {
    Migration{"0001_a.sql",
              "CREATE TABLE statuses (id INTEGER PRIMARY KEY, name "
              "TEXT, red INTEGER, blocks INTEGER, silent INTEGER);"},
    Migration{"0002_b.sql", "CREATE TABLE b (x INTEGER); INSERT INTO b VALUES (7);"}};

TEST_F(MigrationsTest, EachIsAppliedOnce) {
  const auto db = Open();
  ASSERT_TRUE(Migrate(*db, std::span(kTwo).first(1), "h"));
  EXPECT_EQ(*db->SchemaVersion(), 1);
  ASSERT_TRUE(Migrate(*db, kTwo, "h"));
  ASSERT_TRUE(Migrate(*db, kTwo, "h"));
  EXPECT_EQ(*db->SchemaVersion(), 2);
  EXPECT_EQ(*QueryInteger(*db, "SELECT count(*) FROM b", {}), 1);
}

TEST_F(MigrationsTest, OneThatFailsLeavesTheSchemaAsItWas) {
  const auto db = Open();
  const std::array<Migration, 2> bad = {kTwo[0],
                                        Migration{"0002_bad.sql", "CREATE TABLE c (x INTEGER); SELECT nosuch;"}};
  const auto done = Migrate(*db, bad, "h");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("0002_bad.sql"));
  EXPECT_EQ(*db->SchemaVersion(), 1);
  EXPECT_EQ(*QueryInteger(*db, "SELECT count(*) FROM sqlite_master WHERE name = 'c'", {}), 0);
}

TEST_F(MigrationsTest, ALaterSchemaIsRefused) {
  const auto db = Open();
  ASSERT_TRUE(Migrate(*db, kTwo, "h"));
  for (const auto check : {&Migrate, &CheckSchema}) {
    const auto done = check(*db, std::span(kTwo).first(1), "h");
    EXPECT_EQ(done.error().code, ExitCode::kUnsupported);
    EXPECT_THAT(done.error().message, HasSubstr("its schema has version 2, this opbyop knows 1"));
  }
}

TEST_F(MigrationsTest, ReadersWantTheSchemaAsItIs) {
  const auto db = Open();
  EXPECT_THAT(CheckSchema(*db, kTwo, "h").error().message, HasSubstr("holds no history"));
  ASSERT_TRUE(Migrate(*db, std::span(kTwo).first(1), "h"));
  EXPECT_THAT(CheckSchema(*db, kTwo, "h").error().message, HasSubstr("brings it up to date"));
}

TEST_F(MigrationsTest, AFileThatIsNoDatabaseIsRefused) {
  ASSERT_TRUE(WriteFile(path_, std::string(5000, 'x')));
  for (const Access access : {Access::kRead, Access::kWrite}) {
    const auto db = OpenDatabase(path_.string(), access);
    ASSERT_FALSE(db);
    EXPECT_EQ(db.error().code, ExitCode::kBadInput);
    EXPECT_THAT(db.error().message, HasSubstr("is it a history"));
  }
}

TEST_F(MigrationsTest, TheDatabaseOfAnotherProgramIsRefused) {
  ASSERT_TRUE(Open()->Run("CREATE TABLE runs (x INTEGER)"));
  const auto db = OpenDatabase(path_.string(), Access::kWrite);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().code, ExitCode::kBadInput);
  EXPECT_THAT(db.error().message, HasSubstr("is it the database of another program?"));
  EXPECT_EQ(*QueryInteger(*Open(), "SELECT count(*) FROM sqlite_master WHERE type = 'table'", {}), 1);
}

TEST_F(MigrationsTest, ReadingDoesNotCreateAMissingHistory) {
  const auto db = OpenDatabase(path_.string(), Access::kRead);
  EXPECT_EQ(db.error().code, ExitCode::kNoInput);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(MigrationsTest, AServerThatIsNotThereIsNamedWithoutItsPassword) {
  const auto db = OpenDatabase("postgresql://ops:secret@127.0.0.1:1/opbyop?connect_timeout=2", Access::kRead);
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().code, ExitCode::kNoInput);
  EXPECT_THAT(db.error().message, testing::StartsWith("postgresql://ops@127.0.0.1:1/opbyop: "));
  EXPECT_THAT(db.error().message, testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace opbyop::history
