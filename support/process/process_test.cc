// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

std::unique_ptr<Process> Shell(const std::string& script) {
  Expected<std::unique_ptr<Process>> process = Process::Spawn({.argv = {"sh", "-c", script}});
  EXPECT_TRUE(process) << process.error().message;
  return std::move(*process);
}

TEST(ProcessTest, GivesTheChildItsPipes) {
  const auto process = Shell("head -c 4 >&3; echo out; echo err >&2");
  ASSERT_EQ(::write(process->request_fd(), "ping", 4), 4);
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  process->DrainLog();
  EXPECT_EQ(process->log().text(), "out\nerr\n");
  std::array<char, 8> reply = {};
  EXPECT_EQ(::read(process->reply_fd(), reply.data(), reply.size()), 4);
  EXPECT_STREQ(reply.data(), "ping");
}

TEST(ProcessTest, AProgramThatIsNotThereIsAnError) {
  const auto process = Process::Spawn({.argv = {"no/such/program"}});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ExitCode::kNoInput);
  EXPECT_THAT(process.error().message, HasSubstr("no/such/program"));
  EXPECT_THAT(process.error().message, HasSubstr("No such file"));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST(ProcessTest, AMissingFolderIsAnError) {
  EXPECT_FALSE(Process::Spawn({.argv = {"sh"}, .directory = "/no/such/folder"}));
}

TEST(ProcessTest, ReportsCodeAndSignal) {
  EXPECT_EQ(Shell("exit 3")->WaitFor(kTestPatience)->Describe(), "exit code 3");
  EXPECT_EQ(Shell("kill -SEGV $$")->WaitFor(kTestPatience)->Describe(), "SIGSEGV (Segmentation fault)");
}

TEST(ProcessTest, AddsToTheEnvironmentAndLeavesNoForeignDescriptor) {
  const auto process = Process::Spawn(
      {.argv = {"sh", "-c", "echo $COLOUR; ls /proc/self/fd | wc -l"}, .environment = {{"COLOUR", "blue"}}});
  ASSERT_TRUE(process);
  (*process)->WaitFor(kTestPatience);
  (*process)->DrainLog();
  EXPECT_EQ((*process)->log().text(), "blue\n5\n");  // 0 to 3, and the one with which ls reads the folder
}

TEST(ProcessTest, AFloodNeitherBlocksNorGrows) {
  const auto process = Shell("head -c 200000000 /dev/zero; echo; echo the end");
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  process->DrainLog();
  EXPECT_LE(process->log().text().size(), size_t{64} << 10);
  EXPECT_EQ(process->log().Lines(1)[0], "the end");
}

TEST(ProcessTest, KillSendsSigtermFirst) {
  const auto process = Shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
  while (process->log().text().empty()) {
    process->DrainLog();
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(process->Kill(milliseconds(5000)).code, 7);
  EXPECT_THAT(std::string(process->log().text()), HasSubstr("bye"));
}

TEST(ProcessTest, KillEndsProcessesThatIgnoreSigtermAndTheWholeGroup) {
  AdoptOrphans();
  const auto process = Shell("trap '' TERM; sleep 1000 & (sleep 1000 & sleep 1000) & echo ready; wait; wait");
  while (process->log().text().empty()) {
    process->DrainLog();
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(process->Kill(milliseconds(20)).signal, SIGKILL);
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST(ProcessTest, KillEndsProcessesThatLeftTheGroup) {
  AdoptOrphans();
  const auto process = Shell("setsid sleep 1000 & echo ready");
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  std::this_thread::sleep_for(milliseconds(50));
  process->Kill(milliseconds(0));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST(ProcessTest, ChildrenDieWithTheThreadThatSpawnedThem) {
  std::unique_ptr<Process> process;
  std::thread([&] { process = Shell("sleep 1000"); }).join();
  const std::optional<Exit> exit = process->WaitFor(kTestPatience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->signal, SIGKILL);
}

TEST(ProcessTest, CountsTheMemoryOfChildrenToo) {
  // dd fills its buffer, then waits for a reader that never reads.
  const auto process = Shell("dd if=/dev/zero bs=60000000 | sleep 1000");
  int64_t largest = 0;
  for (int i = 0; i < 1000 && largest < 50000; ++i) {
    largest = std::max(largest, process->RssKb());
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_GT(largest, 50000);
  process->Kill(milliseconds(0));
}

TEST(RunCommandTest, ReturnsTheOutputOrTheReason) {
  EXPECT_EQ(*RunCommand({"echo", "hi"}, milliseconds(5000)), "hi\n");
  EXPECT_THAT(RunCommand({"sh", "-c", "echo bad flag; exit 2"}, milliseconds(5000)).error().message,
              HasSubstr("exit code 2: bad flag"));
  EXPECT_THAT(RunCommand({"sleep", "1000"}, milliseconds(20)).error().message, HasSubstr("did not end"));
}

}  // namespace
}  // namespace opbyop
