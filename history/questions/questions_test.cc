// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/import/test_history.h"

namespace opbyop::history {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(QuestionsTest, EachAnswersWithItsColumns) {
  TestHistory history;
  Night night(1);
  night.End(kFft, Status::kFail, "lower", "no fft");
  history.Import(night);
  for (const Question& question : Questions()) {
    const Expected<Answer> answer = Ask(history.db(), question, {});
    ASSERT_TRUE(answer) << question.verb << ": " << answer.error().message;
    EXPECT_EQ(answer->table.head.size(), question.columns.size());
    for (const reports::Cells& cells : answer->table.body) EXPECT_EQ(cells.size(), question.columns.size());
  }
}

TEST(QuestionsTest, AnEmptyHistoryAnswersNothing) {
  TestHistory history;
  for (const Question& question : Questions()) {
    const Expected<Answer> answer = Ask(history.db(), question, {});
    ASSERT_TRUE(answer) << question.verb << ": " << answer.error().message;
    EXPECT_THAT(answer->table.body, IsEmpty());
  }
}

TEST(QuestionsTest, RankPutsTheFixThatTurnsModelsReadyFirst) {
  TestHistory history;
  Night night(1);
  night.End(kAdd, Status::kFail, "lower", "no add");             // bert and nn
  night.End(kFft, Status::kUnsupported, "lower", "no fft yet");  // nn
  history.Import(night);
  EXPECT_THAT(history.Ask("rank", {"diagnostic", "turns ready", "models", "rows", "ops"}),
              ElementsAre("no add 1 2 2 4", "no fft yet 0 1 1 2"));
}

TEST(QuestionsTest, RankHasTheTimeOfCasesThatPassedBefore) {
  TestHistory history;
  history.Import(Night(1));
  Night second(2);
  second.End(kAdd, Status::kFail, "lower", "no add");
  history.Import(second);
  EXPECT_THAT(history.Ask("rank", {"device", "rows without time"}), ElementsAre("0.4 ms 0"))
      << "2 rows of 2 ops, 100 µs";
}

TEST(QuestionsTest, SinceNamesTheRunAndItsToolchain) {
  TestHistory history;
  history.Import(Night(1));
  for (const int day : {2, 3}) {
    Night night(day);
    night.End(kFft, Status::kFail, "lower", "no fft");
    history.Import(night);
  }
  EXPECT_THAT(history.Ask("since", {"row", "run", "toolchain", "last good toolchain"}),
              ElementsAre(std::string("nn__") + kFft + " night-02 compiler 2 compiler 1"));
}

TEST(QuestionsTest, SinceSaysThatARowWasNeverGreen) {
  TestHistory history;
  Night night(1);
  night.End(kFft, Status::kFail, "lower", "no fft");
  history.Import(night);
  EXPECT_THAT(history.Ask("since", {"since", "run"}), ElementsAre("its first run "));
}

TEST(QuestionsTest, ARowThatGoesRedAndBackAndAgainIsFlaky) {
  TestHistory history;
  for (int day = 1; day <= 4; ++day) {
    Night night(day);
    if (day % 2 == 0) night.End(kTanh, Status::kFail, "compare", "wrong");
    if (day >= 2) night.End(kFft, Status::kFail, "lower", "no fft");
    history.Import(night);
  }
  EXPECT_THAT(history.Ask("flaky", {"row", "changes"}), ElementsAre(std::string("bert__") + kTanh + " 3"));
}

TEST(QuestionsTest, ARowThatChangesBetweenEqualRunsIsFlaky) {
  TestHistory history;
  Night first(1), second(2);
  second.run.header.digest = first.run.header.digest;
  second.End(kTanh, Status::kFail, "compare", "wrong");
  history.Import(first);
  history.Import(second);
  EXPECT_THAT(history.Ask("flaky", {"row", "between equal runs"}), ElementsAre(std::string("bert__") + kTanh + " 1"));
}

TEST(QuestionsTest, ARowThatPassedWhenItWasTriedAgainIsFlaky) {
  TestHistory history;
  history.Import(Night(1));
  Night second(2);
  second.End(kTanh, Status::kFlaky, "execute", "failed once");
  history.Import(second);
  EXPECT_THAT(history.Ask("flaky", {"passed when tried again"}), ElementsAre("1"));
}

TEST(QuestionsTest, AFixIsNotFlaky) {
  TestHistory history;
  for (int day = 1; day <= 9; ++day) {
    Night night(day);
    if (day >= 3 && day < 6) night.End(kTanh, Status::kFail, "compare", "wrong");
    history.Import(night);
  }
  EXPECT_THAT(history.Ask("flaky", {"row"}), IsEmpty());
}

TEST(QuestionsTest, GroupsSpanTargetsAndTime) {
  TestHistory history;
  for (const char* target : {"host", "iree"}) {
    for (int day = 1; day <= 2; ++day) {
      Night night(day);
      night.run.header.target = target;
      night.run.header.run_id += target;
      night.End(kFft, Status::kFail, "lower", fmt::format("no fft of {} elements", day));
      history.Import(night);
    }
  }
  EXPECT_THAT(history.Ask("groups", {"runs", "series", "fingerprint"}), ElementsAre("4 2 no fft of # elements"));
}

TEST(QuestionsTest, ReadyAndLeftSayWhatAModelNeeds) {
  TestHistory history;
  Night night(1);
  night.End(kFft, Status::kUnsupported, "lower", "no fft yet");
  history.Import(night);
  EXPECT_THAT(history.Ask("ready", {"model", "ready", "ops", "ops left"}),
              ElementsAre("bert 100.0 % 4 0", "nn 50.0 % 4 2"));
  EXPECT_THAT(history.Ask("left", {"model", "op", "shapes", "ops"}),
              ElementsAre("nn stablehlo.fft (2x3xf32, 2x3xf32) -> (2x3xf32) 2"));
}

TEST(QuestionsTest, TrendHasALineForEachRun) {
  TestHistory history;
  history.Import(Night(1));
  Night second(2);
  second.End(kAdd, Status::kFail, "lower", "no add");
  history.Import(second);
  EXPECT_THAT(history.Ask("trend", {"run", "rows", "pass", "red", "broke"}),
              ElementsAre("night-02 4 50.0 % 2 2", "night-01 4 100.0 % 0 0"));
}

TEST(QuestionsTest, ScopeNarrowsTheAnswer) {
  TestHistory history;
  for (int day = 1; day <= 5; ++day) history.Import(Night(day));
  const Question& trend = *FindQuestion("trend");
  const Answer two = *Ask(history.db(), trend, {.most = 2});
  EXPECT_EQ(two.table.body.size(), 2u);
  EXPECT_EQ(two.left_out, 3);
  EXPECT_EQ(Ask(history.db(), trend, {.name = "*-04"})->table.body.size(), 1u);
  EXPECT_EQ(Ask(history.db(), trend, {.series = "iree"})->table.body.size(), 0u);
}

TEST(QuestionsTest, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(TableCsv({{"a", "b"}, {{"1,2", "say \"no\""}, {"x", ""}}}), "a,b\r\n\"1,2\",\"say \"\"no\"\"\"\r\nx,\r\n");
}

}  // namespace
}  // namespace opbyop::history
