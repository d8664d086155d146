// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/sweeper.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

bool Await(const std::function<bool()>& what) {
  for (int i = 0; i < 5000 && !what(); ++i) std::this_thread::sleep_for(milliseconds(2));
  return what();
}

TEST(SweeperTest, AKilledRunLeavesNoFolderAlthoughAWorkerStillWritesToIt) {
  TestFolder folder;
  const fs::path scratch = folder.path() / "scratch";
  const std::string busy = (scratch / "busy").string();
  fs::create_directory(scratch);
  const pid_t run = ::fork();
  if (run == 0) {
    const auto sweeper = Sweeper::Start({scratch});
    if (!sweeper) ::_exit(1);
    const auto writer = Process::Spawn(
        {.argv = {"sh", "-c", "while :; do mkdir -p " + scratch.string() + "; echo x >> " + busy + "; done"},
         .supervision = Supervision{.hold_fd = (*sweeper)->hold_fd()}});
    while (true) ::pause();
  }
  ASSERT_TRUE(Await([&] { return fs::exists(busy); }));
  ::kill(run, SIGKILL);
  ::waitpid(run, nullptr, 0);
  ASSERT_TRUE(Await([&] { return !fs::exists(scratch); }));
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(fs::exists(scratch)) << "the writer outlived the sweeper";
}

TEST(SweeperTest, TheFoldersOfALivingRunStay) {
  TestFolder folder;
  const auto sweeper = Sweeper::Start({folder.path()});
  ASSERT_TRUE(sweeper);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(fs::exists(folder.path()));
}

}  // namespace
}  // namespace opbyop::harness
