#include "device/host/host_device.h"

#include <gmock/gmock.h>

#include "device/host/machine.h"
#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProgram =
    "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";

class HostDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto r = runner_.Run(kProgram, {Bytes({1.f, 2.f})});
    ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
    artifact_ = r.artifact;
  }

  Artifact Parsed() const { return *ReadArtifact(artifact_); }
  StageResult Load(const Artifact& artifact) { return runner_.parts().device->Load(WriteArtifact(artifact)); }

  ProgramRunner runner_;
  std::string artifact_;
};

TEST_F(HostDeviceTest, RefusesAnArtifactForAnotherMachine) {
  Artifact other = Parsed();
  other.triple = "riscv64-unknown-linux-gnu";
  const StageResult result = Load(other);
  EXPECT_EQ(result.status, Status::kUnsupported);
  EXPECT_THAT(result.diagnostic, HasSubstr("riscv64-unknown-linux-gnu"));
  EXPECT_THAT(result.diagnostic, HasSubstr(ThisMachine().triple));
}

TEST_F(HostDeviceTest, RefusesObjectCodeThatIsNone) {
  Artifact broken = Parsed();
  broken.object = "not an object";
  const StageResult result = Load(broken);
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_THAT(result.diagnostic, HasSubstr("does not link"));
}

TEST_F(HostDeviceTest, RefusesAMissingEntry) {
  Artifact broken = Parsed();
  broken.entry = "elsewhere";
  const StageResult result = Load(broken);
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_THAT(result.diagnostic, HasSubstr("elsewhere"));
}

TEST_F(HostDeviceTest, LoadsAgainAfterAFailure) {
  Artifact broken = Parsed();
  broken.object = "not an object";
  EXPECT_FALSE(Load(broken).passed());
  EXPECT_TRUE(Load(Parsed()).passed());
  Timing timing;
  EXPECT_TRUE(runner_.parts().device->Execute({.dir = runner_.dir()}, timing).passed());
  EXPECT_EQ(timing.n, 1);
}

TEST_F(HostDeviceTest, DoesNotExecuteWithoutAnArtifact) {
  auto device = HostDevice::Create();
  ASSERT_TRUE(device);
  Timing timing;
  EXPECT_FALSE((*device)->Execute({.dir = runner_.dir()}, timing).passed());
}

TEST_F(HostDeviceTest, SaysWhichInputHasTheWrongShape) {
  ASSERT_TRUE(WriteNpy(runner_.dir() / "input_0.npy", {{3}, "f32"}, Bytes({1.f, 2.f, 3.f})));
  Timing timing;
  const StageResult result = runner_.parts().device->Execute({.dir = runner_.dir()}, timing);
  EXPECT_EQ(result.status, Status::kFail);
  EXPECT_THAT(result.diagnostic, HasSubstr("input_0.npy: shape [3]"));
}

TEST_F(HostDeviceTest, RunsWithinTheLimitsOfTheRequest) {
  ASSERT_TRUE(runner_.parts().device->Load(artifact_).passed());
  Timing timing;
  ASSERT_TRUE(
      runner_.parts()
          .device->Execute({.dir = runner_.dir(), .repeat = {.min_runs = 3, .max_runs = 5, .budget_ms = 1e9}}, timing)
          .passed());
  EXPECT_EQ(timing.n, 5);
  ASSERT_TRUE(runner_.parts()
                  .device->Execute({.dir = runner_.dir(), .repeat = {.min_runs = 3, .max_runs = 5}}, timing)
                  .passed());
  EXPECT_EQ(timing.n, 3);
  EXPECT_LE(timing.min_us, timing.median_us);
  EXPECT_LE(timing.median_us, timing.p95_us);
}

TEST_F(HostDeviceTest, SavesEveryStageWhenAsked) {
  std::string artifact;
  const auto result = runner_.parts().compiler->Compile({.case_id = "c",
                                                         .file = runner_.dir() / "program.mlir",
                                                         .dir = runner_.dir() / "kept",
                                                         .save_intermediates = true},
                                                        runner_, artifact);
  ASSERT_TRUE(result.passed()) << result.diagnostic;
  const auto text = [&](const char* name) { return ReadFile(runner_.dir() / "kept" / name).value_or(""); };
  EXPECT_THAT(text("0_parse.mlir"), HasSubstr("stablehlo.add"));
  EXPECT_THAT(text("1_stablehlo-to-linalg.mlir"), HasSubstr("linalg.generic"));
  EXPECT_THAT(text("2_linalg-to-llvm.mlir"), HasSubstr("llvm.func"));
  EXPECT_THAT(text("3_llvm-to-flatbuffer.ll"), HasSubstr("define"));
  EXPECT_EQ(text("3_llvm-to-flatbuffer.bin"), artifact);
}

}  // namespace
}  // namespace opbyop::host
