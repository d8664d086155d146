// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/false_positives/progress.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/test_folder.h"

namespace opbyop {
namespace {

TEST(ProgressTest, ResumesWhereTheLastCallStopped) {
  const TestFolder folder;
  const auto file = folder.path() / "p.jsonl";
  {
    ProgressFile progress = ProgressFile::Open(file).value();
    Progress& a = progress.Of("a");
    a.seeds = 3;
    a.targets["host"] = {.runs = 3, .refused = 0, .ratio = 0.25};
    ASSERT_TRUE(progress.Append("a"));
    a.seeds = 7;
    a.alike = 2;
    a.targets["host"].runs = 5;
    a.targets["host"].flushed = 1;
    a.targets["host"].precision = 0.5;
    a.targets["xla"] = {.runs = 4, .refused = 1, .ratio = 1, .status = "", .first = "seed 2: \"x\""};
    ASSERT_TRUE(progress.Append("a"));
  }
  ProgressFile progress = ProgressFile::Open(file).value();
  const Progress& a = progress.Of("a");
  EXPECT_EQ(a.seeds, 7);
  EXPECT_EQ(a.alike, 2);
  EXPECT_EQ(a.targets.at("host").runs, 5);
  EXPECT_EQ(a.targets.at("host").flushed, 1);
  EXPECT_EQ(a.targets.at("host").ratio, 0.25);
  EXPECT_EQ(a.targets.at("host").precision, 0.5);
  EXPECT_EQ(a.targets.at("xla").first, "seed 2: \"x\"");
  EXPECT_FALSE(a.Done(8));
  EXPECT_TRUE(a.Done(7));
}

TEST(ProgressTest, ATruncatedLineLosesNothingElse) {
  const TestFolder folder;
  const auto file = folder.path() / "p.jsonl";
  {
    ProgressFile progress = ProgressFile::Open(file).value();
    progress.Of("a").seeds = 5;
    ASSERT_TRUE(progress.Append("a"));
  }
  std::ofstream(file, std::ios::app) << R"({"case": "a", "see)";
  {
    ProgressFile progress = ProgressFile::Open(file).value();
    EXPECT_EQ(progress.Of("a").seeds, 5);
    progress.Of("b").seeds = 2;
    ASSERT_TRUE(progress.Append("b"));
  }
  ProgressFile progress = ProgressFile::Open(file).value();
  EXPECT_EQ(progress.Of("a").seeds, 5);
  EXPECT_EQ(progress.Of("b").seeds, 2);
}

TEST(ProgressTest, ACaseThatNoTargetRunsIsDone) {
  Progress progress;
  EXPECT_FALSE(progress.Done(1));
  progress.targets["host"].status = "unsupported in parse: no";
  EXPECT_TRUE(progress.Done(1));
  progress.targets["xla"];
  EXPECT_FALSE(progress.Done(1));
  progress.skipped = "too large";
  EXPECT_TRUE(progress.Done(1));
}

TEST(ProgressTest, TheSummaryListsTheRefusals) {
  const TestFolder folder;
  ProgressFile progress = ProgressFile::Open(folder.path() / "p.jsonl").value();
  progress.Of("a").seeds = 2;
  progress.Of("a").targets["host"] = {.runs = 2, .refused = 0, .ratio = 0.5};
  testing::internal::CaptureStdout();
  EXPECT_TRUE(Summarize(progress, {"a", "b"}, 2, "domain"));
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("1 of 2 cases started, 1 with all of 2 seeds; 2 of 4 cases x seeds done"), std::string::npos)
      << text;
  EXPECT_NE(text.find("host: 2 runs, 0 refused, max error 0.500 of its bound"), std::string::npos) << text;
  progress.Of("b").targets["host"] = {.runs = 1, .refused = 1, .ratio = 0, .status = "", .first = "seed 0: far off"};
  testing::internal::CaptureStdout();
  EXPECT_FALSE(Summarize(progress, {"a", "b"}, 2, "domain"));
  text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("refused: b on host: 1 of 1 runs, seed 0: far off"), std::string::npos) << text;
}

}  // namespace
}  // namespace opbyop
