// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/process/process.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReadinessTest : public testing::Test {
 protected:
  ReadinessTest() {
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    EXPECT_TRUE(target) << target.error().message;
    target_ = *target;
    target_.worker.front() = TestProgram("mock_worker");
  }

  Readiness After(const std::string& hello) {
    if (!hello.empty()) target_.worker.push_back("--hello=" + hello);
    return CheckReadiness(target_);
  }

  Target target_;
};

TEST_F(ReadinessTest, AWorkerThatSaysHelloRuns) {
  const Readiness readiness = After("");
  EXPECT_EQ(readiness.state, Readiness::State::kExecutes);
  EXPECT_EQ(readiness.answer, "mock 1.0");
  EXPECT_TRUE(readiness.can_run());
}

TEST_F(ReadinessTest, AWorkerWithoutItsDeviceCompilesOnly) {
  const Readiness readiness = After("no-device");
  EXPECT_EQ(readiness.state, Readiness::State::kCompilesOnly);
  EXPECT_EQ(readiness.answer, "no device /dev/mock0");
  EXPECT_TRUE(readiness.can_run());
}

TEST_F(ReadinessTest, ATargetThatDeclaresNoDeviceCompilesOnly) {
  target_.device.kind = "none";
  const Readiness readiness = After("");
  EXPECT_EQ(readiness.state, Readiness::State::kCompilesOnly);
  EXPECT_THAT(readiness.answer, HasSubstr("mock 1.0"));
}

TEST_F(ReadinessTest, TheWorkerSaysWhatItLacks) {
  const Readiness readiness = After("exit");
  EXPECT_EQ(readiness.state, Readiness::State::kNotInstalled);
  EXPECT_EQ(readiness.answer, "libfoo.so: cannot open shared object file");
  EXPECT_FALSE(readiness.can_run());
}

TEST_F(ReadinessTest, AWorkerThatBreaksTheProtocolIsBroken) {
  const Readiness readiness = After("other-protocol");
  EXPECT_EQ(readiness.state, Readiness::State::kBroken);
  EXPECT_THAT(readiness.answer, HasSubstr("opbyop-worker/9"));
}

TEST_F(ReadinessTest, AnAbsentPackageIsNamedIfTheTargetDoesNotExecute) {
  if (!RunCommand({"dpkg-query", "--version"}, std::chrono::seconds(20))) GTEST_SKIP() << "no package manager";
  target_.packages = {"dpkg", "no-such-package"};
  EXPECT_THAT(CheckReadiness(target_).lacking, IsEmpty());
  EXPECT_THAT(After("no-device").lacking, ElementsAre("no-such-package"));
}

}  // namespace
}  // namespace opbyop::harness
