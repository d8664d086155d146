// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

TEST(ProcessTreeTest, FindsGrandchildren) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() == 0) ::pause();
    ::pause();
  }
  std::vector<pid_t> found;
  while (found.size() < 2) found = DescendantsOf(0);
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], child);
  for (const pid_t pid : found) ::kill(pid, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessTreeTest, TheNewestProcessIsAnotherAfterAForkAndAfterAThread) {
  const std::optional<pid_t> before = NewestProcess(::getpid());
  if (!before) GTEST_SKIP() << "no /proc/loadavg of the kernel's own here, or low ids again";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  const std::optional<pid_t> after = NewestProcess(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_NE(after, before);
  std::thread([] {}).join();
  EXPECT_NE(NewestProcess(0), after);
}

TEST(ProcessTreeTest, ADescendantThatIsStartedLaterIsFound) {
  Descendants descendants;
  EXPECT_TRUE(descendants.Of(::getpid()).empty());
  const pid_t child = ::fork();
  if (child == 0) ::pause();
  EXPECT_EQ(descendants.Of(::getpid()), std::vector{child});
  EXPECT_TRUE(descendants.Of(child).empty());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessTreeTest, ASharedPageIsDividedAmongItsProcesses) {
  constexpr int64_t kMb = 32;
  std::string shared(kMb << 20, 'x');
  std::vector<pid_t> family = {::getpid()};
  for (int i = 0; i < 4; ++i) {
    family.push_back(::fork());
    if (family.back() == 0) ::pause();
  }
  const MemoryUse each = MemoryOf(family), once = ProportionalMemoryOf(family);
  family.erase(family.begin());
  for (const pid_t pid : family) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  EXPECT_GE(each.resident_kb, (5 * kMb) << 10);
  EXPECT_GE(once.resident_kb, kMb << 10);
  EXPECT_LT(once.resident_kb, (3 * kMb) << 10);
  EXPECT_EQ(shared.back(), 'x');
}

TEST(ProcessTreeTest, AFileInMemoryIsMemoryAndItsHolesAreNot) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm here";
  const fs::path folder = fs::path("/dev/shm") / ("opbyop-test-" + std::to_string(::getpid()));
  fs::create_directories(folder / "below");
  ASSERT_TRUE(WriteFile(folder / "below/dense", std::string(3 << 20, 'x')));
  ASSERT_TRUE(WriteFile(folder / "sparse", "x"));
  fs::resize_file(folder / "sparse", 64 << 20);
  const int64_t kb = MemoryOfFolderKb(folder);
  fs::remove_all(folder);
  EXPECT_GE(kb, 3 << 10);
  EXPECT_LT(kb, 4 << 10);
  EXPECT_EQ(MemoryOfFolderKb(folder), 0) << "a folder that is gone";
}

}  // namespace
}  // namespace opbyop
