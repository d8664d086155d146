// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a client of one worker that misbehaves as each case's file asks (fixtures/mock).
#include "harness/worker/case_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

class CaseClientTest : public testing::Test {
 protected:
  CaseClientTest() {
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    EXPECT_TRUE(target) << target.error().message;
    target_ = *target;
    // The worker is in the folder of the test's other programs.
    target_.worker.front() = TestProgram("mock_worker");
    target_.worker.emplace_back("--ahead");  // it keeps what it compiles
  }

  std::unique_ptr<CaseClient> StartClient() {
    Expected<std::unique_ptr<CaseClient>> client = CaseClient::StartOnDevice(target_, "test", folder_.path() / "cases");
    EXPECT_TRUE(client) << client.error().message;
    return client ? std::move(*client) : nullptr;
  }

  CaseRecord Keep(CaseClient& client, const std::string& behaviour) {
    Case c{.id = behaviour};
    c.inputs = c.outputs = {{{4}, "f32"}};
    CaseRecord record{.id = c.id};
    const Expected<ScratchDir> dir = client.MakeFolder(c.id, 0);
    EXPECT_TRUE(dir && client.worker().Start());
    const auto text = [&] {
      ++texts_;
      return fmt::format("behaviour: {}\nstage: lower\n", behaviour);
    };
    asked_ = client.Keep(c, text, dir->path(), c.inputs, record).has_value();
    return record;
  }

  TestFolder folder_;
  Target target_;
  bool asked_ = false;  // the worker was asked by the last Keep
  int texts_ = 0;
};

TEST_F(CaseClientTest, ACaseIsCompiledOnceWhileItsWorkerLives) {
  const auto client = StartClient();
  EXPECT_EQ(Keep(*client, "pass").stages.size(), 2U);
  EXPECT_TRUE(asked_);
  const CaseRecord again = Keep(*client, "pass");
  EXPECT_EQ(again.status, Status::kPass);
  EXPECT_TRUE(again.stages.empty());
  EXPECT_FALSE(asked_);
  EXPECT_EQ(Keep(*client, "segfault").status, Status::kCrash);
  Keep(*client, "pass");
  EXPECT_TRUE(asked_) << "a new worker has nothing yet";
}

TEST_F(CaseClientTest, TheProgramOfACaseIsWrittenOnce) {
  const auto client = StartClient();
  Keep(*client, "fail");
  Keep(*client, "fail");
  EXPECT_EQ(texts_, 1);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "cases/fail.mlir"));
}

TEST_F(CaseClientTest, HowARefusedCaseEndedIsKnown) {
  const auto client = StartClient();
  EXPECT_EQ(client->Refused("unsupported"), nullptr);
  EXPECT_EQ(Keep(*client, "unsupported").status, Status::kUnsupported);
  ASSERT_NE(client->Refused("unsupported"), nullptr);
  EXPECT_THAT(client->Refused("unsupported")->diagnostic, HasSubstr("has no kernel"));
  Keep(*client, "pass");
  EXPECT_EQ(client->Refused("pass"), nullptr);
}

TEST_F(CaseClientTest, AProgramThatCannotBeWrittenFailsItsCaseAndIsTriedAgain) {
  const auto client = StartClient();
  ASSERT_TRUE(WriteFile(folder_.path() / "cases", "no folder"));
  const CaseRecord record = Keep(*client, "pass");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "parse");
  EXPECT_FALSE(asked_);
  EXPECT_EQ(client->Refused("pass"), nullptr);
}

TEST_F(CaseClientTest, ATargetThatOnlyCompilesHereHasNoDevice) {
  target_.worker.emplace_back("--hello=no-device");
  const auto device = CaseClient::StartOnDevice(target_, "test", folder_.path());
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(device.error().message, HasSubstr("no device /dev/mock0"));
  EXPECT_TRUE(CaseClient::Start(target_, "test")) << "it compiles";
}

}  // namespace
}  // namespace opbyop::harness
