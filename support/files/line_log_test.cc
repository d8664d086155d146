// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/line_log.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class LineLogTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = fs::temp_directory_path() / ("opbyop-line-log-" + std::to_string(::getpid())); }
  void TearDown() override { fs::remove_all(folder_); }

  Expected<std::unique_ptr<LineLog>> Open() {
    lines_.clear();
    return LineLog::Open(folder_ / "deep/log", [this](std::string_view line) { lines_.emplace_back(line); });
  }

  fs::path folder_;
  std::vector<std::string> lines_;
};

TEST_F(LineLogTest, ReadsWhatEarlierCallsAppended) {
  {
    auto log = Open();
    ASSERT_TRUE(log.has_value()) << log.error().message;
    EXPECT_TRUE((*log)->Append("one").has_value());
    EXPECT_TRUE((*log)->Append("two").has_value());
  }
  ASSERT_TRUE(Open().has_value());
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
}

TEST_F(LineLogTest, ATruncatedLineCostsOnlyItself) {
  ASSERT_TRUE(Open().has_value());
  std::ofstream(folder_ / "deep/log") << "one\ntw";
  {
    auto log = Open();
    ASSERT_TRUE(log.has_value());
    EXPECT_TRUE((*log)->Append("three").has_value());
  }
  ASSERT_TRUE(Open().has_value());
  EXPECT_THAT(lines_, ElementsAre("one", "tw", "three"));
}

TEST_F(LineLogTest, AFileThatCannotBeMadeIsNamed) {
  const auto log = LineLog::Open("/proc/no/log", [](std::string_view) {});
  ASSERT_FALSE(log.has_value());
  EXPECT_THAT(log.error().message, testing::HasSubstr("/proc/no/log"));
}

}  // namespace
}  // namespace opbyop
