// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/growing_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using nlohmann::json;

class GrowingFileTest : public testing::Test {
 protected:
  json Read() const { return json::parse(*ReadFile(path_)); }

  TestFolder folder_;
  std::filesystem::path path_ = folder_.path() / "list.json";
};

TEST_F(GrowingFileTest, IsWholeFromTheStart) {
  const auto file = GrowingFile::Create(path_, "[", "\n]\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(Read(), json::array());
}

TEST_F(GrowingFileTest, ContainsThePublishedText) {
  const auto file = GrowingFile::Create(path_, "[", "\n]\n");
  ASSERT_TRUE(file);
  for (int i = 0; i < 5; ++i) {
    (*file)->Append((i == 0 ? "\n" : ",\n") + std::to_string(i));
    EXPECT_EQ(Read().size(), static_cast<size_t>(i));
    ASSERT_TRUE((*file)->Publish("["));
    EXPECT_EQ(Read().size(), static_cast<size_t>(i) + 1);
    EXPECT_EQ(Read().back(), i);
  }
}

TEST_F(GrowingFileTest, TheHeadMayGrow) {
  const auto file = GrowingFile::Create(path_, R"({"count": 0, "list": [)", "\n]}\n");
  ASSERT_TRUE(file);
  (*file)->Append("1");
  ASSERT_TRUE((*file)->Publish(R"({"count": 1000000, "list": [)"));
  EXPECT_EQ(Read()["count"], 1000000);
  EXPECT_EQ(Read()["list"], json::array({1}));
  EXPECT_FALSE((*file)->Publish(std::string(1000, ' ')));
}

TEST_F(GrowingFileTest, LeavesNoOtherFile) {
  {
    const auto file = GrowingFile::Create(path_, "[", "]");
    ASSERT_TRUE(file);
    (*file)->Append("7");
    ASSERT_TRUE((*file)->Publish("["));
  }
  EXPECT_EQ(Read(), json::array({7}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(GrowingFileTest, AKillAtAnyMomentLeavesItWhole) {
  for (int round = 0; round < 12; ++round) {
    std::filesystem::remove(path_);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto file = GrowingFile::Create(path_, "[", "\n]\n");
      // several pages, so that a write can be interrupted
      const std::string item = '"' + std::string(40'000, 'x') + '"';
      for (int i = 0; file && i < 500; ++i) {
        (*file)->Append((i == 0 ? "\n" : ",\n") + item);
        if (!(*file)->Publish("[")) break;
      }
      ::_exit(1);
    }
    while (!std::filesystem::exists(path_)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(211 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(json::accept(*ReadFile(path_))) << round;
  }
}

TEST_F(GrowingFileTest, AFolderThatCannotBeWrittenIsNamed) {
  const auto file = GrowingFile::Create("/proc/no/list.json", "[", "]");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("/proc/no/list.json"), std::string::npos);
}

TEST_F(GrowingFileTest, ADeviceIsRefusedAndStays) {
  const auto file = GrowingFile::Create("/dev/full", "<a>", "</a>");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ExitCode::kNoInput);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace opbyop
