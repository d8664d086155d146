// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/read_only.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

class ReadOnlyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!CanMakeReadOnly()) GTEST_SKIP() << "this user may neither mount nor make a user namespace here";
    fs::create_directories(own_ / "folder");
    fs::create_directories(other_);
    ASSERT_TRUE(WriteFile(other_ / "file", "theirs"));
  }

  // Whether `attempt` succeeds in a process that may change only `own_`.
  bool Restricted(const std::function<bool()>& attempt) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::chdir(own_.c_str()) != 0 || !MakeReadOnlyBut({own_, folder_.path() / "absent"})) ::_exit(2);
      ::_exit(attempt() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
    return status == 0;
  }

  TestFolder folder_;
  const fs::path own_ = folder_.path() / "own", other_ = folder_.path() / "other";
};

TEST_F(ReadOnlyTest, ModesOfOthersStayAsTheyAre) {
  EXPECT_FALSE(Restricted([&] { return ::chmod(other_.c_str(), 0) == 0; }));
  EXPECT_FALSE(Restricted([&] { return ::chmod((other_ / "file").c_str(), 0) == 0; }));
  EXPECT_FALSE(Restricted([&] { return ::chmod(folder_.path().c_str(), 0) == 0; }));
  EXPECT_FALSE(Restricted([&] { return ::utimensat(AT_FDCWD, other_.c_str(), nullptr, 0) == 0; }));
}

TEST_F(ReadOnlyTest, ItsOwnFolderIsWritable) {
  EXPECT_TRUE(Restricted([&] { return WriteFile(own_ / "file", "mine").has_value(); }));
  EXPECT_TRUE(Restricted([&] { return ::chmod((own_ / "file").c_str(), 0400) == 0; }));
  EXPECT_TRUE(Restricted([] { return WriteFile("file", "mine").has_value(); }));  // from inside of it
}

TEST_F(ReadOnlyTest, OtherProcessesDoNotSeeTheMounts) {
  EXPECT_TRUE(Restricted([] { return true; }));
  EXPECT_EQ(::chmod(other_.c_str(), 0755), 0);
}

TEST_F(ReadOnlyTest, TheUserStaysTheSame) {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  EXPECT_TRUE(Restricted([&] { return ::getuid() == user && ::getgid() == group; }));
}

TEST_F(ReadOnlyTest, InProcItCanChangeOnlyItself) {
  const auto writes = [](const std::string& process) {
    return ::open(("/proc/" + process + "/oom_score_adj").c_str(), O_WRONLY) >= 0;
  };
  EXPECT_TRUE(Restricted([&] { return writes("self"); }));
  EXPECT_FALSE(Restricted([&] { return writes(std::to_string(::getppid())); }));
}

TEST_F(ReadOnlyTest, DevicesStayUsable) {
  EXPECT_TRUE(Restricted([] { return ::open("/dev/null", O_WRONLY | O_TRUNC) >= 0; }));
}

}  // namespace
}  // namespace opbyop
