// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests processes below opbyop-supervisor, with a cgroup and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/files/file.h"
#include "support/process/cgroup.h"
#include "support/process/isolation.h"
#include "support/process/landlock.h"
#include "support/process/network_filter.h"
#include "support/process/process.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SupervisionTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("OPBYOP_ISOLATION", GetParam(), 1);
    if (GetParam() == std::string("cgroup") && !Cgroup::Make()) {
      GTEST_SKIP() << "no cgroup of version 2 can be made here";
    }
  }
  void TearDown() override { ::unsetenv("OPBYOP_ISOLATION"); }

  // Leaves a child in its group, one in another session, and a daemon whose parent has ended; each writes its pid.
  std::string LeavesThree() const {
    const std::string wait = "'trap \"\" TERM HUP; echo $$ >> " + pids_ + "; while :; do sleep 0.1; done'";
    return "touch " + pids_ + "; sh -c " + wait + " & setsid sh -c " + wait + " & (setsid sh -c " + wait + " &) & ";
  }

  std::vector<pid_t> Pids(size_t count) const {
    std::vector<pid_t> pids;
    while (pids.size() < count) {
      std::this_thread::sleep_for(milliseconds(2));
      pids.clear();
      std::ifstream file(pids_);
      for (std::string line; std::getline(file, line) && !file.eof();) pids.push_back(std::stoi(line));
    }
    return pids;
  }

  // Waits until all have ended. Returns false if one is still running after ten seconds.
  static bool AllGone(const std::vector<pid_t>& pids) {
    for (int i = 0; i < 5000; ++i) {
      bool gone = true;
      for (const pid_t pid : pids) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string id, name, state;
        gone &= !(stat >> id >> name >> state) || state == "Z";
      }
      if (gone) return true;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
  }

  static std::unique_ptr<Process> Shell(const std::string& script, Supervision supervision = {}) {
    Expected<std::unique_ptr<Process>> process =
        Process::Spawn({.argv = {"sh", "-c", script}, .supervision = std::move(supervision)});
    EXPECT_TRUE(process) << process.error().message;
    return std::move(*process);
  }

  TestFolder folder_;
  const std::string pids_ = (folder_.path() / "pids").string();
};

TEST_P(SupervisionTest, EndsAsTheProgramDoes) {
  EXPECT_EQ(Shell("exit 3")->WaitFor(kTestPatience)->code, 3);
  EXPECT_EQ(Shell("kill -SEGV $$")->WaitFor(kTestPatience)->signal, SIGSEGV);
  EXPECT_EQ(Shell("kill -KILL $$")->WaitFor(kTestPatience)->signal, SIGKILL);
}

TEST_P(SupervisionTest, PassesThePipesToTheProgramAndKeepsNone) {
  const auto process = Shell("cat; echo done >&2; exec 3>&- 1>&- 2>&-; sleep 1000");
  EXPECT_EQ(::write(process->request_fd(), "hi\n", 3), 3);
  process->CloseRequests();
  while (process->log_fd() >= 0) process->DrainLog();  // the log ends although the program has not
  EXPECT_EQ(process->log().text(), "hi\ndone\n");
  char byte;
  EXPECT_EQ(::read(process->reply_fd(), &byte, 1), 0);
  EXPECT_FALSE(process->Poll());
}

TEST_P(SupervisionTest, AProgramThatIsNotThereIsAnError) {
  const auto process = Process::Spawn({.argv = {"no/such/program"}, .supervision = Supervision()});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ExitCode::kNoInput);
  EXPECT_THAT(process.error().message, HasSubstr("`no/such/program` cannot be started: No such file"));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_P(SupervisionTest, LeavesTheProgramNoForeignDescriptor) {
  const auto process = Shell("ls /proc/self/fd | wc -l");
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  process->DrainLog();
  EXPECT_EQ(process->log().text(), "5\n");  // 0 to 3, and the one with which ls reads the folder
}

TEST_P(SupervisionTest, TheDaemonsEndWithTheProgram) {
  const auto process = Shell(LeavesThree() + "while [ $(wc -l < " + pids_ + ") -lt 3 ]; do sleep 0.01; done; exit 7");
  const std::vector<pid_t> pids = Pids(3);
  const std::optional<Exit> exit = process->WaitFor(kTestPatience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 7);
  EXPECT_TRUE(AllGone(pids));
}

TEST_P(SupervisionTest, KillSendsSigtermFirstAndThenEndsAll) {
  const auto process = Shell("trap 'echo bye' TERM; " + LeavesThree() + "while :; do sleep 0.01; done");
  const std::vector<pid_t> pids = Pids(3);
  EXPECT_EQ(process->Kill(milliseconds(100)).signal, SIGKILL);
  EXPECT_THAT(std::string(process->log().text()), HasSubstr("bye"));
  EXPECT_TRUE(AllGone(pids));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_P(SupervisionTest, NothingOutlivesAParentThatIsKilled) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto process = Shell(LeavesThree() + "while :; do sleep 0.01; done");
    while (true) ::pause();
  }
  const std::vector<pid_t> pids = Pids(3);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(AllGone(pids));
}

TEST_P(SupervisionTest, AProgramThatForksWithoutEndIsEnded) {
  const auto process = Shell(LeavesThree() + "while :; do (setsid sleep 0.2 &); done");
  const std::vector<pid_t> pids = Pids(3);
  std::this_thread::sleep_for(milliseconds(100));
  process->Kill(milliseconds(0));
  EXPECT_TRUE(AllGone(pids));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_P(SupervisionTest, CountsTheMemoryOfDaemonsAndOfFilesInMemory) {
  const auto process = Shell("(setsid dd if=/dev/zero bs=60000000 | sleep 1000 &) ; sleep 1000");
  int64_t largest = 0;
  for (int i = 0; i < 1000 && largest < 50000; ++i) {
    largest = std::max(largest, process->RssKb());
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_GT(largest, 50000);
  const std::filesystem::path shm = "/dev/shm/opbyop-test-" + std::to_string(::getpid());
  if (!std::filesystem::create_directory(shm)) GTEST_SKIP() << "no /dev/shm here";
  ASSERT_TRUE(WriteFile(shm / "file", std::string(40 << 20, 'x')));
  const int64_t without = process->RssKb(), with = process->MemoryKb(shm, INT64_MAX);
  std::filesystem::remove_all(shm);
  EXPECT_GT(with, without + (30 << 10));
}

TEST_P(SupervisionTest, AChildThatEndsBetweenTwoMeasurementsIsNotCounted) {
  constexpr int64_t kLimitKb = 110 << 10, kBothKb = 200 << 10;  // the latter counts the pages that they share twice
  const auto process = Shell(
      "exec python3 -c 'import os, signal\n"
      "own = os.urandom(1) * (64 << 20)\n"
      "if not os.fork():\n"
      "  more = os.urandom(1) * (64 << 20)\n"
      "  print(os.getpid(), file=open(\"" +
      pids_ +
      "\", \"w\"))\n"
      "  signal.pause()\n"
      "os.wait(), signal.pause()'");
  const pid_t child = Pids(1).front();
  EXPECT_GT(process->RssKb(), kBothKb);
  std::thread end([child] {
    std::this_thread::sleep_for(milliseconds(10));  // after the first look
    ::kill(child, SIGKILL);
  });
  EXPECT_LT(process->MemoryKb({}, kLimitKb), kLimitKb);
  end.join();
}

INSTANTIATE_TEST_SUITE_P(, SupervisionTest, testing::Values("cgroup", "none"));

TEST(RestrictionTest, ASupervisedProgramWritesOnlyWhereItMay) {
  if (LandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  TestFolder folder;
  const std::string own = folder.path() / "own";
  std::filesystem::create_directory(own);
  Expected<std::unique_ptr<Process>> process =
      Process::Spawn({.argv = {"sh", "-c", "echo x > " + own + "/a; echo x > " + folder.path().string() + "/b"},
                      .supervision = Supervision{.writable = {own}}});
  ASSERT_TRUE(process);
  (*process)->WaitFor(kTestPatience);
  EXPECT_TRUE(std::filesystem::exists(own + "/a"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b"));
}

TEST(RestrictionTest, ASupervisedProgramHasDatagramsOnlyIfItMayUseTheNetwork) {
  if (!HasNetworkFilter()) GTEST_SKIP() << "this kernel has no seccomp filters";
  TestFolder folder;
  for (const bool network : {false, true}) {
    Expected<std::unique_ptr<Process>> process =
        Process::Spawn({.argv = {"python3", "-c", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"},
                        .supervision = Supervision{.writable = {folder.path()}, .network = network}});
    ASSERT_TRUE(process);
    const std::optional<Exit> exit = (*process)->WaitFor(kTestPatience);
    (*process)->DrainLog();
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, network ? 0 : 1) << (*process)->log().text();
  }
}

TEST(DescribeIsolationTest, ListsTheMeansThatAreUsed) {
  ::setenv("OPBYOP_ISOLATION", "none", 1);
  EXPECT_EQ(DescribeIsolation(), "subreaper");
  ::setenv("OPBYOP_ISOLATION", "landlock", 1);
  EXPECT_THAT(DescribeIsolation(), StartsWith(LandlockAbi() > 0 ? "subreaper+landlock(" : "subreaper"));
  ::unsetenv("OPBYOP_ISOLATION");
  EXPECT_THAT(DescribeIsolation(), StartsWith(Cgroup::Make() ? "cgroup" : "subreaper"));
}

}  // namespace
}  // namespace opbyop
