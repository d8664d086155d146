// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/program_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/view/example_run.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reports {
namespace {

using testing::IsEmpty;

class ProgramTextsTest : public testing::Test {
 protected:
  ProgramTextsTest() {
    example_.manifest.path = folder_.path() / "run/manifest.yaml";
    Add("passes_1", Status::kPass, "passing");
    Add("fails_1", Status::kFail, "failing");
    Add("refuses_1", Status::kUnsupported, "refused");
  }

  void Add(const std::string& id, Status status, const std::string& text) {
    Case& c = example_.AddCase(id, "stablehlo.tanh", {"bert", "nn"});
    c.file = "cases/" + id + ".mlir";
    example_.AddRecord(id, status, "compare", "x");
    (void)WriteFile(folder_.path() / "run" / c.file, text);
  }

  ProgramTexts Find(const ProgramLimits& limits = {}) const {
    return FindPrograms(example_.MakeView(), folder_.path() / "out", limits);
  }

  TestFolder folder_;
  ExampleRun example_;
};

TEST_F(ProgramTextsTest, EachCaseHasTheTextOfItsFile) {
  const ProgramTexts programs = Find();
  EXPECT_EQ(programs.href, "../run");
  EXPECT_EQ(programs.of.at(0).text, "passing");
  EXPECT_EQ(programs.of.at(1).text, "failing");
  EXPECT_EQ(programs.of.at(1).bytes, 7);
}

TEST_F(ProgramTextsTest, ALargeFileHasOnlyItsSize) {
  Add("large_1", Status::kFail, std::string(100, 'x'));
  const ProgramTexts programs = Find({.of_case = 99});
  EXPECT_THAT(programs.of.at(3).text, IsEmpty());
  EXPECT_EQ(programs.of.at(3).bytes, 100);
  EXPECT_EQ(programs.of.at(0).text, "passing");
}

TEST_F(ProgramTextsTest, ProgramsOfWrongRowsComeFirstIfThePageIsFull) {
  const ProgramTexts programs = Find({.of_page = 14});
  EXPECT_EQ(programs.of.at(1).text, "failing");
  EXPECT_EQ(programs.of.at(2).text, "refused");
  EXPECT_THAT(programs.of.at(0).text, IsEmpty());
  EXPECT_EQ(programs.of.at(0).bytes, 7);
}

TEST_F(ProgramTextsTest, AMissingFileIsLeftOut) {
  example_.manifest.cases[1].file = "cases/gone.mlir";
  EXPECT_FALSE(Find().of.contains(1));
}

TEST_F(ProgramTextsTest, ControlCharactersAreRemoved) {
  Add("hostile_1", Status::kFail, "a\x1b[2Jb\nc");
  EXPECT_EQ(Find().of.at(3).text, "ab\nc");
}

}  // namespace
}  // namespace opbyop::reports
