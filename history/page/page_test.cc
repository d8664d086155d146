// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "history/import/test_history.h"
#include "support/files/file.h"

namespace opbyop::history {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class HistoryPageTest : public testing::Test {
 protected:
  void Import(int day, Status status, const std::string& diagnostic) {
    Night night(day);
    if (status != Status::kPass) night.End(kTanh, status, "compare", diagnostic);
    history_.Import(night);
  }

  void Write() {
    const Expected<PageReport> made = WritePage(history_.db(), {.out = out()});
    ASSERT_TRUE(made) << made.error().message;
    report_ = *made;
  }

  std::filesystem::path out() const { return folder_.path() / "page"; }

  json Embedded() {
    const std::string page = ReadFile(out() / "index.html").value_or("");
    const std::string mark = "id=\"data\">";
    const size_t begin = page.find(mark) + mark.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  // The content of a data file of the page.
  json Data(const std::string& name) {
    const std::string text = ReadFile(out() / "data" / (name + ".js")).value_or("");
    const size_t open = text.find('(');
    const json call = json::parse("[" + text.substr(open + 1, text.rfind(')') - open - 1) + "]");
    EXPECT_EQ(call[0], Embedded()["version"]);
    EXPECT_EQ(call[1], name);
    return json::parse(call[2].get<std::string>());
  }

  TestHistory history_;
  TestFolder folder_;
  PageReport report_;
};

TEST_F(HistoryPageTest, HasTheAnswerToEveryQuestion) {
  Import(1, Status::kPass, "");
  Import(2, Status::kFail, "1 of 4 elements");
  Write();
  const json data = Embedded();
  EXPECT_EQ(data["schema"], "opbyop-history/1");
  ASSERT_EQ(data["tables"].size(), Questions().size());
  for (size_t i = 0; i < Questions().size(); ++i) {
    const Question& question = Questions()[i];
    const json& table = data["tables"][i];
    const Expected<Answer> answer = Ask(history_.db(), question, {.series = "", .name = "", .most = 0});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(table["verb"], question.verb);
    EXPECT_EQ(table["lines"].size(), answer->table.body.size()) << question.verb;
    EXPECT_EQ(table["columns"].size(), answer->table.head.size()) << question.verb;
  }
}

TEST_F(HistoryPageTest, HasWhatEachRunChangedRowByRow) {
  Import(1, Status::kPass, "");
  Import(2, Status::kFail, "1 of 4 elements");
  Write();
  const json data = Embedded();
  ASSERT_EQ(data["runs"].size(), 2);
  EXPECT_EQ(data["runs"][0]["name"], "night-02");
  EXPECT_EQ(data["runs"][1]["changes"], "");
  const json changes = Data(data["runs"][0]["changes"]);
  ASSERT_EQ(changes.size(), 1);
  EXPECT_EQ(changes[0][0], "broke");
  EXPECT_EQ(changes[0][1], "bert");
  EXPECT_EQ(changes[0][2], kTanh);
}

TEST_F(HistoryPageTest, ACaseIsShownInItsRuns) {
  Import(1, Status::kPass, "");
  Import(2, Status::kFail, "1 of 4 elements");
  Write();
  const json cases = Data("cases");
  const auto at = std::ranges::find(cases["name"], kTanh) - cases["name"].begin();
  const json chunk = Data("case-0");
  const json& runs = chunk["cases"][static_cast<size_t>(at) - chunk["first"].get<size_t>()]["runs"];
  ASSERT_EQ(runs.size(), 2);
  // [run, status, stage, cause, rows, ...], newest first.
  EXPECT_EQ(runs[0][0], 0);
  EXPECT_EQ(runs[0][1], static_cast<int>(Status::kFail));
  EXPECT_EQ(chunk["strings"][runs[0][2].get<size_t>()], "compare");
  EXPECT_EQ(runs[1][1], static_cast<int>(Status::kPass));
  EXPECT_EQ(runs[1][3], -1) << "a pass has no cause";
}

TEST_F(HistoryPageTest, RowsAreThoseOfTheNewestRun) {
  Import(1, Status::kPass, "");
  Import(2, Status::kUnsupported, "no tanh");
  Write();
  EXPECT_EQ(report_.rows, 4);
  const json data = Embedded();
  ASSERT_EQ(data["series"].size(), 1);
  EXPECT_EQ(data["series"][0]["run"], 0);
  EXPECT_THAT(data["series"][0]["absent"], HasSubstr("no longer holds this run"));
  const json rows = Data(data["series"][0]["file"]);
  EXPECT_EQ(rows["case"].size(), 4);
  EXPECT_EQ(std::ranges::count(rows["status"], json(static_cast<int>(Status::kUnsupported))), 1);
}

TEST_F(HistoryPageTest, NoTextOfADiagnosticRunsAsAScript) {
  Import(1, Status::kFail, "</script><script>alert(1)</script>\xe2\x80\xa8");
  Write();
  const std::string page = ReadFile(out() / "index.html").value_or("");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_THAT(Embedded().dump(), HasSubstr("<script>alert(1)"));
}

TEST_F(HistoryPageTest, IsWrittenAgainInTheSameFolder) {
  Import(1, Status::kPass, "");
  Write();
  const json before = Embedded();
  WriteFile(out() / "data" / "record-9-9.js", "of an earlier page");
  Write();
  EXPECT_NE(Embedded()["version"], before["version"]);
  EXPECT_FALSE(std::filesystem::exists(out() / "data" / "record-9-9.js"));
}

TEST_F(HistoryPageTest, AFolderOfAnotherProgramIsLeftAlone) {
  Import(1, Status::kPass, "");
  ASSERT_TRUE(WriteFile(out() / "data" / "mine.txt", "dear"));
  const Expected<PageReport> made = WritePage(history_.db(), {.out = out()});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ExitCode::kUsage);
  EXPECT_THAT(made.error().message, HasSubstr("not made by"));
  EXPECT_TRUE(std::filesystem::exists(out() / "data" / "mine.txt"));
}

TEST_F(HistoryPageTest, AHistoryWithoutRunsHasNoPage) {
  const Expected<PageReport> made = WritePage(history_.db(), {.out = out()});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ExitCode::kNothingToDo);
}

}  // namespace
}  // namespace opbyop::history
