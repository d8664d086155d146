// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/test_folder.h"

namespace opbyop::locate {
namespace {

using testing::HasSubstr;

class RecordsTest : public testing::Test {
 protected:
  std::unique_ptr<Records> Open(const std::string& target = "host", bool fresh = false) {
    auto records = Records::Open(path_, {{"target", target}, {"seed", "0"}}, fresh);
    error_ = records ? "" : records.error().message;
    return records ? std::move(*records) : nullptr;
  }

  TestFolder folder_;
  std::filesystem::path path_ = folder_.path() / "locate.jsonl";
  std::string error_;
};

TEST_F(RecordsTest, AVerdictIsKnownToTheNextSearch) {
  const Verdict verdict{Status::kFail, "compare", "off \"by\" 1", true};
  ASSERT_TRUE(Open()->Add("abc", "model", verdict, 3, 1.5));
  const auto again = Open();
  ASSERT_NE(again, nullptr) << error_;
  const Verdict* found = again->Find("abc");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->status, Status::kFail);
  EXPECT_EQ(found->stage, "compare");
  EXPECT_EQ(found->diagnostic, verdict.diagnostic);
  EXPECT_TRUE(found->weak);
  EXPECT_EQ(again->Find("abd"), nullptr);
  EXPECT_EQ(Open("host", true)->Find("abc"), nullptr) << "a fresh search knows nothing";
}

TEST_F(RecordsTest, ALineThatWasCutOffCountsAsNotWritten) {
  ASSERT_TRUE(Open()->Add("abc", "model", {Status::kPass, "", ""}, 3, 1.5));
  std::ofstream(path_, std::ios::app) << R"({"program":"def","status":"pa)";
  auto records = Open();
  ASSERT_NE(records, nullptr) << error_;
  EXPECT_NE(records->Find("abc"), nullptr);
  EXPECT_EQ(records->Find("def"), nullptr);
  ASSERT_TRUE(records->Add("def", "model", {Status::kPass, "", ""}, 3, 1.5));
  EXPECT_NE(Open()->Find("def"), nullptr);
}

TEST_F(RecordsTest, StepsOfAnotherSearchAreRefusedWithWhatDiffers) {
  ASSERT_NE(Open(), nullptr);
  EXPECT_EQ(Open("iree"), nullptr);
  EXPECT_THAT(error_, HasSubstr("has the steps of another search (target differ)"));
  EXPECT_NE(Open("iree", true), nullptr) << error_;
}

TEST_F(RecordsTest, AnotherFileIsRefused) {
  std::ofstream(path_) << "notes\n";
  EXPECT_EQ(Open(), nullptr);
  EXPECT_THAT(error_, HasSubstr("another search"));
}

}  // namespace
}  // namespace opbyop::locate
