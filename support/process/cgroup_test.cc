// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Cgroup::Make()) GTEST_SKIP() << "no cgroup of version 2 can be made here: read-only, or none is mounted";
  }

  // Starts a process in the group that waits until it is killed.
  static pid_t StartIn(const Cgroup& group) {
    const pid_t pid = group.Fork();
    if (pid == 0) {
      ::setsid();
      ::execlp("sleep", "sleep", "1000", nullptr);
    }
    return pid;
  }

  static int EndOf(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
  }
};

TEST_F(CgroupTest, KillEndsEveryProcessInTheGroup) {
  auto group = Cgroup::Make();
  ASSERT_TRUE(group);
  const pid_t pid = StartIn(*group);
  while (::getsid(pid) != pid) ::usleep(1000);
  group->Kill();
  EXPECT_EQ(EndOf(pid), SIGKILL);
  const std::filesystem::path path = group->path();
  group.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CgroupTest, OnlyGroupsOfDeadCreatorsAreEndedAndRemoved) {
  const auto living = Cgroup::Make();
  ASSERT_TRUE(living);
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  TestFolder folder;
  const std::string name = folder.path() / "name";
  const pid_t maker = ::fork();
  if (maker == 0) {
    auto group = Cgroup::Make();
    const pid_t left = group ? StartIn(*group) : 0;
    if (group) std::ofstream(name) << group->path().string();
    while (left > 0 && ::getsid(left) != left) ::usleep(1000);
    (void)!::write(pipe[1], &left, sizeof left);
    ::_exit(0);  // without clean-up, as after a SIGKILL
  }
  ::waitpid(maker, nullptr, 0);
  pid_t left = 0;
  ASSERT_EQ(::read(pipe[0], &left, sizeof left), static_cast<ssize_t>(sizeof left));
  ASSERT_GT(left, 0);
  const std::string stale = ReadFile(name).value_or("");
  EXPECT_TRUE(std::filesystem::exists(stale));
  // A process that is left holds its creator's lock until it has executed another program.
  for (int i = 0; i < 1000 && std::filesystem::exists(stale); ++i) Cgroup::RemoveStale();
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(living->path()));
}

}  // namespace
}  // namespace opbyop
