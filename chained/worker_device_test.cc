// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a worker as the device of a chained run, with a worker that misbehaves as each case's file asks
// (fixtures/mock).
#include "chained/worker_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/process/isolation.h"
#include "support/test_folder.h"

namespace opbyop::chained {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class WorkerDeviceTest : public testing::Test {
 protected:
  WorkerDeviceTest() {
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    EXPECT_TRUE(target) << target.error().message;
    target_ = *target;
    // The worker is in the folder of the test's other programs.
    target_.worker.front() = TestProgram("mock_worker");
    auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases"});
    EXPECT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
  }

  DeviceRun Run(const std::string& behaviour, const std::string& stage = "lower") {
    Case c;
    c.id = behaviour + "_" + stage;
    c.inputs = c.outputs = {{{4}, "f32"}};
    return device_->Run(
        c,
        [&] {
          ++texts_;
          return fmt::format("behaviour: {}\nstage: {}\n", behaviour, stage);
        },
        {{reference::ElementType::kF32, {4}, std::vector<std::byte>(16, std::byte{2})}}, [] {});
  }

  static std::vector<std::string> StagesOf(const DeviceRun& run) {
    std::vector<std::string> names;
    for (const DeviceStage& stage : run.stages) names.push_back(stage.record.name);
    return names;
  }

  TestFolder folder_;
  Target target_;
  std::unique_ptr<WorkerDevice> device_;
  int texts_ = 0;
};

TEST_F(WorkerDeviceTest, OutputsComeBackWithTheStagesAndTheirTimes) {
  const DeviceRun run = Run("pass");
  EXPECT_EQ(run.status, Status::kPass) << run.diagnostic;
  EXPECT_THAT(StagesOf(run), ElementsAre("parse", "lower", "load", "execute"));
  EXPECT_LE(run.stages[0].start_ns, run.stages[1].start_ns);
  EXPECT_EQ(run.timing.median_us, 2);
  ASSERT_EQ(run.outputs.size(), 1U);
  EXPECT_EQ(run.outputs[0].bytes, std::vector<std::byte>(16, std::byte{2}));
}

TEST_F(WorkerDeviceTest, AWorkerFromBeforeSpansHadNamesWorksAsBefore) {
  target_.worker = {"python3", TestSource("chained/Inputs/positional_worker.py")};
  auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases"});
  ASSERT_TRUE(device) << device.error().message;
  device_ = std::move(*device);
  for (const auto& stages : {std::vector<std::string>{"parse", "lower", "load", "execute"}, {"load", "execute"}}) {
    const DeviceRun run = Run("pass");
    ASSERT_EQ(run.status, Status::kPass) << run.diagnostic;
    EXPECT_EQ(StagesOf(run), stages);
    EXPECT_TRUE(run.pieces == (std::vector<protocol::Span>{
                                  {"transfer_in", 0, 1000, 50, 16},
                                  {"load", 0, 1060, 10},
                                  {"repeats", 0, 1100, 2900, 0, true, 40},
                                  {"execute", 1, 2000, 900, 0, true, 40},
                                  {"transfer_out", 0, 4100, 50, 16},
                              }));
    EXPECT_TRUE(run.timing.device_clock);
    EXPECT_EQ(run.outputs[0].bytes, std::vector<std::byte>(16, std::byte{2}));
  }
}

TEST_F(WorkerDeviceTest, AWorkerWritesOnlyWhereItsTargetSays) {
  if (UsableLandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock: every folder is writable";
  ::setenv("MOCK_MARKERS", folder_.path().c_str(), 1);
  for (const bool declared : {false, true}) {
    target_.writable.clear();
    if (declared) target_.writable.push_back(folder_.path());
    auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases"});
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    EXPECT_EQ(Run("flaky", "execute").passed(), !declared) << "it crashes where its marker can be written";
  }
  ::unsetenv("MOCK_MARKERS");
}

TEST_F(WorkerDeviceTest, ATargetWithoutItsDeviceRunsNoModel) {
  target_.worker.emplace_back("--hello=no-device");
  const auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases"});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(device.error().message, HasSubstr("only compiles here"));
  EXPECT_THAT(device.error().message, HasSubstr("no device /dev/mock0"));
}

TEST_F(WorkerDeviceTest, AWorkerThatKeepsNothingCompilesEachTime) {
  Run("pass");
  EXPECT_THAT(StagesOf(Run("pass")), ElementsAre("parse", "lower", "load", "execute"));
}

TEST_F(WorkerDeviceTest, ACrashOnTheDeviceCostsThatRunOnly) {
  const DeviceRun run = Run("segfault", "execute");
  EXPECT_EQ(run.status, Status::kCrash);
  EXPECT_EQ(run.stage, "execute");
  EXPECT_THAT(run.diagnostic, HasSubstr("SIGSEGV"));
  EXPECT_TRUE(Run("pass").passed());
}

TEST_F(WorkerDeviceTest, AStageThatTheWorkerDoesNotReportIsAFailure) {
  const DeviceRun run = Run("skip_stage", "lower");
  EXPECT_EQ(run.status, Status::kFail);
  EXPECT_THAT(run.diagnostic, HasSubstr("never reported stage lower"));
}

TEST_F(WorkerDeviceTest, AnOutputThatIsNoFileIsAFailure) {
  EXPECT_THAT(Run("no_output", "execute").diagnostic, HasSubstr("the device left no output_0.npy"));
  EXPECT_THAT(Run("fifo_output", "execute").diagnostic, HasSubstr("is a pipe"));
}

TEST_F(WorkerDeviceTest, InputsThatATargetOverwritesAreNotItsOwn) {
  EXPECT_THAT(Run("swap_input", "execute").inputs, IsEmpty());
}

TEST_F(WorkerDeviceTest, InputsOfATargetThatDeclaresItsOwnComeBack) {
  target_.device.own_inputs = true;
  auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases"});
  ASSERT_TRUE(device) << device.error().message;
  device_ = std::move(*device);
  EXPECT_THAT(Run("pass").inputs, IsEmpty()) << "it left those that it was given";
  EXPECT_THAT(Run("swap_input", "execute").inputs, SizeIs(1));
}

TEST_F(WorkerDeviceTest, ACaseThatDoesNotCompileIsNotTriedAgain) {
  const DeviceRun first = Run("unsupported");
  EXPECT_EQ(first.status, Status::kUnsupported);
  EXPECT_THAT(first.diagnostic, HasSubstr("has no kernel"));
  const DeviceRun second = Run("unsupported");
  EXPECT_EQ(second.status, Status::kUnsupported);
  EXPECT_EQ(second.diagnostic, first.diagnostic);
  EXPECT_TRUE(second.stages.empty());
  EXPECT_EQ(texts_, 1);
}

TEST_F(WorkerDeviceTest, ACompilerThatCrashesIsStartedAgainForOthers) {
  EXPECT_EQ(Run("assertion").status, Status::kCrash);
  EXPECT_TRUE(Run("pass").passed());
}

TEST_F(WorkerDeviceTest, NothingIsPreparedIfTheWorkerKeepsNothing) {
  Case c;
  c.id = "pass_lower";
  const auto text = [] { return std::string("behaviour: pass\n"); };
  ASSERT_TRUE(device_->Prepare(c, text));
  EXPECT_FALSE(device_->Prepare(c, text));
  EXPECT_TRUE(Run("pass").passed());
}

// Tests a worker to which the next execution is announced.
class AheadTest : public WorkerDeviceTest {
 protected:
  AheadTest() {
    target_.worker.emplace_back("--ahead");
    auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases", .overlap = true});
    EXPECT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    for (const char* id : {"now", "then", "deadly"}) EXPECT_TRUE(device_->Prepare(CaseOf(id), &Text));
  }

  static Case CaseOf(const std::string& id) {
    Case c;
    c.id = id;
    c.inputs = c.outputs = {{{4}, "f32"}};
    return c;
  }
  static std::string Text() { return "behaviour: pass\n"; }
  static reference::InputData Input(int value = 2) {
    return {reference::ElementType::kF32, {4}, std::vector<std::byte>(16, std::byte{static_cast<uint8_t>(value)})};
  }
  DeviceRun RunOf(const std::string& id, int value = 2) {
    return device_->Run(CaseOf(id), &Text, {Input(value)}, [] {});
  }
};

TEST_F(AheadTest, TheNextExecutionIsAnnouncedToTheWorker) {
  EXPECT_TRUE(device_->UsesAnnouncements());
  device_->Announce(CaseOf("then"), {Input(), std::nullopt});
  const DeviceRun run = RunOf("now");
  ASSERT_THAT(run.pieces, SizeIs(1)) << run.diagnostic;
  EXPECT_EQ(run.pieces[0].kind, "heard_of_then");
  EXPECT_EQ(run.pieces[0].index, 1) << "one of its inputs is there";
  EXPECT_THAT(RunOf("now").pieces, IsEmpty()) << "it is announced once";
}

TEST_F(AheadTest, AnAnnouncedExecutionRunsOnItsInputs) {
  device_->Announce(CaseOf("then"), {Input(3)});
  EXPECT_TRUE(RunOf("now").passed());
  const DeviceRun run = RunOf("then", 3);
  ASSERT_THAT(run.outputs, SizeIs(1)) << run.diagnostic;
  EXPECT_EQ(run.outputs[0].bytes, Input(3).bytes);
}

TEST_F(AheadTest, AnExecutionRunsOnTheInputsItIsGivenNotOnTheAnnouncedOnes) {
  device_->Announce(CaseOf("then"), {Input(3)});
  EXPECT_TRUE(RunOf("now").passed());
  const DeviceRun run = RunOf("then", 4);
  ASSERT_THAT(run.outputs, SizeIs(1)) << run.diagnostic;
  EXPECT_EQ(run.outputs[0].bytes, Input(4).bytes);
}

TEST_F(AheadTest, ACrashOfTheNextExecutionIsNotBlamedOnTheCurrentOne) {
  device_->Announce(CaseOf("deadly"), {Input()});
  const DeviceRun run = RunOf("now");
  EXPECT_TRUE(run.passed()) << run.diagnostic;
  EXPECT_THAT(run.outputs, SizeIs(1));
  EXPECT_TRUE(RunOf("then").passed());
}

TEST_F(AheadTest, ACaseThatTheWorkerHasNotCompiledIsNotAnnounced) {
  device_->Announce(CaseOf("other"), {Input()});
  EXPECT_THAT(RunOf("now").pieces, IsEmpty());
}

TEST_F(AheadTest, NothingIsAnnouncedToAWorkerThatDoesNotLookAhead) {
  target_.worker.pop_back();
  auto device = WorkerDevice::Start(target_, {.cases = folder_.path() / "cases", .overlap = true});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_FALSE((*device)->UsesAnnouncements());
}

}  // namespace
}  // namespace opbyop::chained
