// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Expected<std::string> RunScript(const std::string& script, milliseconds limit = std::chrono::seconds(20)) {
  WorkerSpec spec;
  spec.environment = {{"OF_THE_TARGET", "its own"}};
  return RunPreflight({"/bin/sh", "-c", script, "sh", "{file}", "{out}"}, spec,
                      {.limit = limit, .file = "/t.yaml", .out = "/results"});
}

TEST(Preflight, TheLastLineIsShown) {
  EXPECT_EQ(RunScript("echo first; echo 'interface: 75 pass'").value(), "interface: 75 pass");
}

TEST(Preflight, FaultsThatOpsMayNotNeedLetTheRunGoOn) { EXPECT_EQ(RunScript("echo 1 fail; exit 1").value(), "1 fail"); }

TEST(Preflight, AFaultThatAllOpsNeedEndsTheRun) {
  const Expected<std::string> said = RunScript("echo 'no device; no op is to blame'; exit 4");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, ExitCode::kBadInput);
  EXPECT_EQ(said.error().message, "no device; no op is to blame");
}

TEST(Preflight, AnAbsentPartIsLeftToTheWorker) { EXPECT_EQ(RunScript("echo no such plugin; exit 3").value(), ""); }

TEST(Preflight, ItGetsPathsAndTheEnvironmentOfTheWorker) {
  EXPECT_EQ(RunScript("echo $1 $2 $OF_THE_TARGET").value(), "/t.yaml /results its own");
}

TEST(Preflight, ADeathEndsTheRun) {
  const Expected<std::string> said = RunScript("echo before; kill -SEGV $$");
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, AllOf(HasSubstr("SIGSEGV"), HasSubstr("before")));
}

TEST(Preflight, OneThatHangsIsEnded) {
  const Expected<std::string> said = RunScript("sleep 100", milliseconds(200));
  ASSERT_FALSE(said);
  EXPECT_THAT(said.error().message, HasSubstr("did not end within"));
}

TEST(Preflight, EndlessOutputIsRead) { EXPECT_EQ(RunScript("yes | head -c 10000000; echo; echo end").value(), "end"); }

}  // namespace
}  // namespace opbyop::harness
