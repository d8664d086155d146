// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a target that gets one request at a time, with a worker that misbehaves as each case's file says
// (fixtures/mock).
#include "harness/worker/target_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

class TargetClientTest : public testing::Test {
 protected:
  TargetClientTest() {
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    EXPECT_TRUE(target) << target.error().message;
    target_ = *target;
    target_.worker.front() = TestProgram("mock_worker");
    c_.inputs = c_.outputs = {{{4}, "f32"}};
  }

  // Compiles and executes a case with this behaviour.
  CaseRecord Run(TargetClient& client, const std::string& behaviour, const std::string& stage = "execute") {
    c_.id = behaviour;
    const Expected<void> ready = client.Start();
    EXPECT_TRUE(ready) << ready.error().message;
    protocol::Request request{.verb = protocol::CompileVerb{},
                              .case_id = c_.id,
                              .file = folder_.path() / (behaviour + ".mock"),
                              .dir = folder_.path()};
    EXPECT_TRUE(WriteFile(request.file, "behaviour: " + behaviour + "\nstage: " + stage + "\n"));
    const std::vector<float> values = {1, 2, 3, 4};
    EXPECT_TRUE(WriteNpy(folder_.path() / "input_0.npy", c_.inputs[0], std::as_bytes(std::span(values))));
    CaseRecord record{.id = c_.id};
    client.Compile(request, record);
    request.verb = protocol::ExecuteVerb{};
    if (record.status == Status::kPass) client.Execute(c_, request, record);
    return record;
  }

  CaseRecord Run(const std::string& behaviour, const std::string& stage = "execute") {
    TargetClient client(target_, TargetWorkerSpec(target_, "", ""));
    return Run(client, behaviour, stage);
  }

  TestFolder folder_;
  Target target_;
  Case c_;
};

TEST_F(TargetClientTest, AGoodCasePassesWithItsStagesAndTimes) {
  const CaseRecord record = Run("pass");
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.stages.size(), 4U);
  EXPECT_EQ(record.timing.median_us, 2);
  EXPECT_EQ(record.artifact_bytes, 64);
}

TEST_F(TargetClientTest, AnUnreportedStageIsAFailure) {
  const CaseRecord record = Run("skip_stage", "lower");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "lower");
}

TEST_F(TargetClientTest, AnOutputOfAnEarlierRunDoesNotPassForOneOfThis) {
  TargetClient client(target_, TargetWorkerSpec(target_, "", ""));
  EXPECT_EQ(Run(client, "pass").status, Status::kPass);
  const CaseRecord record = Run(client, "no_output");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("the device left no output_0.npy"));
}

TEST_F(TargetClientTest, AWorkerThatDiedIsReplaced) {
  TargetClient client(target_, TargetWorkerSpec(target_, "", ""));
  const CaseRecord record = Run(client, "segfault");
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.stage, "execute");
  EXPECT_EQ(Run(client, "pass").status, Status::kPass);
}

TEST_F(TargetClientTest, AfterADeathOnTheDeviceItIsRecovered) {
  const std::filesystem::path marker = folder_.path() / "recovered";
  target_.device.recover = {"touch", marker.string()};
  Run("segfault", "lower");
  EXPECT_FALSE(std::filesystem::exists(marker)) << "the compiler died, not the device";
  Run("segfault", "execute");
  EXPECT_TRUE(std::filesystem::exists(marker));
}

TEST_F(TargetClientTest, ADeviceThatDoesNotComeBackIsPartOfTheDiagnostic) {
  target_.device.health = {"false"};
  EXPECT_THAT(Run("segfault").diagnostic, HasSubstr("; the device did not come back: "));
}

}  // namespace
}  // namespace opbyop::harness
