// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "support/test_folder.h"

namespace opbyop {
namespace {

using Mode = FileLock::Mode;

class FileLockTest : public testing::Test {
 protected:
  std::filesystem::path File() const { return folder_.path() / "a.lock"; }
  TestFolder folder_;
};

TEST_F(FileLockTest, OneHolderAtATime) {
  {
    const Expected<FileLock> first = FileLock::Take(File(), Mode::kExclusive);
    ASSERT_TRUE(first) << first.error().message;
    const Expected<FileLock> second = FileLock::Take(File(), Mode::kExclusive);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ExitCode::kUsage);
    EXPECT_FALSE(FileLock::Take(File(), Mode::kShared));
  }
  EXPECT_FALSE(std::filesystem::exists(File()));
  EXPECT_TRUE(FileLock::Take(File(), Mode::kExclusive));
}

TEST_F(FileLockTest, SharedHoldersExcludeOnlyAnExclusiveOne) {
  {
    const Expected<FileLock> first = FileLock::Take(File(), Mode::kShared);
    ASSERT_TRUE(first);
    {
      EXPECT_TRUE(FileLock::Take(File(), Mode::kShared));
    }
    EXPECT_TRUE(std::filesystem::exists(File())) << "the other holder took it away";
    EXPECT_FALSE(FileLock::Take(File(), Mode::kExclusive));
  }
  EXPECT_FALSE(std::filesystem::exists(File()));
}

TEST_F(FileLockTest, AMovedLockIsReleasedOnce) {
  Expected<FileLock> first = FileLock::Take(File(), Mode::kExclusive);
  ASSERT_TRUE(first);
  const FileLock owner = std::move(*first);
  EXPECT_FALSE(FileLock::Take(File(), Mode::kExclusive));
}

TEST_F(FileLockTest, AKilledHolderHoldsNothing) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Expected<FileLock> held = FileLock::Take(File(), Mode::kExclusive);
    (void)!::write(ready[1], held ? "1" : "0", 1);
    ::pause();
    ::_exit(0);
  }
  char held = '0';
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, '1');
  EXPECT_FALSE(FileLock::Take(File(), Mode::kExclusive));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(File()));
  EXPECT_TRUE(FileLock::Take(File(), Mode::kExclusive));
}

// Processes that take the lock race with holders that remove the file.
TEST_F(FileLockTest, NeverTwoHoldersWhenTheFileIsRemoved) {
  std::atomic<int> holders = 0, most = 0, taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 500; ++turn) {
        const Expected<FileLock> lock = FileLock::Take(File(), Mode::kExclusive);
        if (!lock) continue;
        ++taken;
        if (++holders > 1) most = 2;
        std::this_thread::yield();
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 0);
  EXPECT_GT(taken, 0);
}

TEST_F(FileLockTest, AFolderThatCannotBeWrittenIsNamed) {
  const Expected<FileLock> lock = FileLock::Take(folder_.path() / "none/a.lock", Mode::kExclusive);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ExitCode::kNoInput);
  EXPECT_NE(lock.error().message.find("none/a.lock"), std::string::npos);
}

}  // namespace
}  // namespace opbyop
