// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/runs_before.h"

#include <gmock/gmock.h>

#include "history/import/test_history.h"
#include "support/files/file.h"

namespace opbyop::history {
namespace {

using testing::ElementsAre;
using testing::Optional;

reports::RunsBefore Before(TestHistory& history, const Night& night) {
  const auto found = FindRunsBefore(history.db(), night.MakeView(), "out/here");
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(reports::RunsBefore());
}

TEST(RunsBeforeTest, AreThoseOfTheSeriesThatStartedEarlierOldestFirst) {
  TestHistory history;
  history.Import(Night(2));
  Night red(3);
  red.End(kAdd, Status::kFail, "compare", "wrong");
  history.Import(red);
  history.Import(Night(5));
  Night other(3);
  other.run.header.run_id = "other";
  other.run.header.target = "other";
  history.Import(other);
  const reports::RunsBefore before = Before(history, Night(4));
  ASSERT_EQ(before.runs.size(), 2U);
  EXPECT_EQ(before.runs[0].id, "night-02");
  EXPECT_EQ(before.runs[1].id, "night-03");
  EXPECT_EQ(before.runs[1].rows, 4);
  EXPECT_EQ(before.runs[1].passed, 2);
  EXPECT_EQ(before.runs[1].start.substr(0, 10), "2026-11-03");
  EXPECT_THAT(before.red, Optional(ElementsAre(std::string("bert__") + kAdd, std::string("nn__") + kAdd)));
}

TEST(RunsBeforeTest, ARunIsNotBeforeItselfAndTheFirstHasNone) {
  TestHistory history;
  history.Import(Night(2));
  const reports::RunsBefore before = Before(history, Night(2));
  EXPECT_TRUE(before.runs.empty());
  EXPECT_FALSE(before.red);
}

TEST(RunsBeforeTest, OnlyTheCountsOfAPrunedRunAreKnown) {
  TestHistory history;
  Night red(2);
  red.End(kTanh, Status::kCrash, "compile", "gone");
  history.Import(red);
  ASSERT_TRUE(history.db().Query("UPDATE runs SET details = 0", {}));
  const reports::RunsBefore before = Before(history, Night(3));
  ASSERT_EQ(before.runs.size(), 1U);
  EXPECT_EQ(before.runs[0].passed, 3);
  EXPECT_FALSE(before.red);
}

TEST(RunsBeforeTest, APageIsLinkedWhileItsResultsAreOfThatRun) {
  TestHistory history;
  TestFolder folder;
  const Night night(2);
  const reports::View view = night.MakeView();
  const std::filesystem::path run = folder.path() / "a run";
  std::filesystem::create_directories(run);
  ASSERT_TRUE(Importer(history.db(), {}).ImportView(view, DetailsOf(view), "digest", run.string()));
  const auto href = [&] {
    const auto found = FindRunsBefore(history.db(), Night(3).MakeView(), folder.path() / "next");
    return found && found->runs.size() == 1 ? found->runs[0].href : "no run";
  };
  EXPECT_EQ(href(), "");
  ASSERT_TRUE(WriteFile(run / "index.html", "page"));
  ASSERT_TRUE(WriteFile(run / "results.jsonl", ToJsonLine(night.run.header) + "\n"));
  EXPECT_EQ(href(), "../a run/index.html");
  ASSERT_TRUE(WriteFile(run / "results.jsonl", ToJsonLine(Night(4).run.header) + "\n"));
  EXPECT_EQ(href(), "");
}

}  // namespace
}  // namespace opbyop::history
