// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests strays below opbyop-supervisor, where workers run.
#include "support/process/strays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "support/process/process.h"
#include "support/process/test_children.h"

namespace opbyop {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Runs one line of its requests at a time, and reports when it is done.
class StraysTest : public testing::Test {
 protected:
  void Start(const std::string& before = "true") {
    const std::string script = before + "; echo ready >&3; while read -r line; do eval \"$line\"; echo done >&3; done";
    Expected<std::unique_ptr<Process>> process =
        Process::Spawn({.argv = {"bash", "-c", script}, .supervision = Supervision()});
    ASSERT_TRUE(process) << process.error().message;
    process_ = std::move(*process);
    Await("ready\n");
    strays_ = std::make_unique<Strays>(process_->pid());
  }

  void Ask(std::string line) {
    line += "\n";
    ASSERT_EQ(::write(process_->request_fd(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    Await("done\n");
  }

  void Await(const std::string& text) {
    std::string read;
    while (read.size() < text.size()) {
      char byte = 0;
      if (::read(process_->reply_fd(), &byte, 1) == 1) {
        read += byte;
      } else {
        ASSERT_FALSE(process_->Poll());
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
    EXPECT_EQ(read, text);
  }

  // The number of processes below the program that have this command line.
  size_t Running(std::string command) const {
    std::ranges::replace(command, ' ', '\0');
    command += '\0';
    return static_cast<size_t>(std::ranges::count_if(DescendantsOf(process_->pid()), [&](pid_t pid) {
      return ReadProcFile("/proc/" + std::to_string(pid) + "/cmdline") == command;
    }));
  }

  // A process that has just been started still has the command line of its parent.
  void AwaitRunning(const std::string& command, size_t count = 1) const {
    for (int i = 0; i < 20000 && Running(command) < count; ++i) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(Running(command), count);
  }

  std::unique_ptr<Process> process_;
  std::unique_ptr<Strays> strays_;
};

TEST_F(StraysTest, NothingIsEndedIfNothingWasStarted) {
  Start();
  Ask("true");
  const EndedStrays ended = strays_->End();
  EXPECT_EQ(ended.count, 0u);
  EXPECT_EQ(Describe(ended), "");
  Ask("true");
}

TEST_F(StraysTest, AChildThatARequestStartedIsEndedAndNamed) {
  Start();
  Ask("sleep 100 &");
  AwaitRunning("sleep 100");
  const EndedStrays ended = strays_->End();
  EXPECT_TRUE(ended.all_gone);
  EXPECT_THAT(ended.commands, ElementsAre("sleep 100"));
  EXPECT_EQ(Describe(ended), "1 process: sleep 100");
  Ask("true");
}

TEST_F(StraysTest, ADaemonThatLeftItsSessionAndItsParentIsEnded) {
  Start();
  Ask("(setsid sh -c 'trap \"\" TERM HUP; sleep 100; true' >/dev/null 2>&1 &)");
  AwaitRunning("sleep 100");
  const EndedStrays ended = strays_->End();
  EXPECT_GE(ended.count, 2u) << Describe(ended);
  EXPECT_EQ(Running("sleep 100"), 0u);
}

TEST_F(StraysTest, AnEarlierHelperIsKept) {
  Start("sleep 100 & (setsid sleep 100 &)");
  AwaitRunning("sleep 100", 2);
  strays_ = std::make_unique<Strays>(process_->pid());
  Ask("sleep 50 &");
  AwaitRunning("sleep 50");
  EXPECT_THAT(strays_->End().commands, ElementsAre("sleep 50"));
  EXPECT_EQ(Running("sleep 100"), 2u);
}

TEST_F(StraysTest, AStoppedProcessIsEnded) {
  Start();
  Ask("sh -c 'kill -STOP $$; sleep 100' &");
  EXPECT_EQ(strays_->End().count, 1u);
}

TEST_F(StraysTest, AProcessThatStartsItsSuccessorAndExitsIsEnded) {
  Start();
  Ask("chain() { sleep 0.002; chain & }; chain >/dev/null 2>&1 &");
  const EndedStrays ended = strays_->End();
  EXPECT_TRUE(ended.all_gone);
  EXPECT_GE(ended.count, 1u);
  EXPECT_LE(ended.commands.size(), 8u);
  EXPECT_EQ(strays_->End().count, 0u);
}

TEST_F(StraysTest, AZombieIsNoStray) {
  Start();
  Ask("python3 -S -c 'import os, time; os._exit(0)' & exec 5< <(:)");
  std::this_thread::sleep_for(milliseconds(300));
  (void)strays_->End();
  EXPECT_EQ(strays_->End().count, 0u);
}

// Its first thread has exited, which /proc shows as the end of the process.
TEST_F(StraysTest, AProcessThatRunsOnlyInItsSecondThreadIsEnded) {
  Start();
  Ask("python3 -S -c 'import ctypes, threading, time; threading.Thread(target=time.sleep, args=(100,)).start(); "
      "print(flush=True); ctypes.CDLL(None).pthread_exit(None)' | read -r _ & sleep 1");
  const EndedStrays ended = strays_->End();
  EXPECT_GE(ended.count, 1u);
  EXPECT_THAT(testing::PrintToString(ended.commands), HasSubstr("python3"));
  EXPECT_EQ(strays_->End().count, 0u);
}

}  // namespace
}  // namespace opbyop
