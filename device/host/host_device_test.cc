// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/host_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/host/machine.h"
#include "device/host/object_compiler.h"
#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using device::StageResult;

using ::testing::ElementsAre;
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

TEST_F(HostDeviceTest, RefusesInvalidObjectCode) {
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

// An input of 256 MiB is read where its file is mapped.
TEST_F(HostDeviceTest, RunsOnALargeInput) {
  constexpr size_t kElements = size_t{1} << 28;
  std::vector<std::byte> bytes(kElements);
  bytes[kElements - 2] = std::byte{7};
  const auto r = runner_.Run(fmt::format("func.func @main(%a: tensor<{0}xi8>) -> tensor<2xi8> {{\n"
                                         "  %0 = stablehlo.slice %a [{1}:{0}] : (tensor<{0}xi8>) -> tensor<2xi8>\n"
                                         "  return %0 : tensor<2xi8>\n}}\n",
                                         kElements, kElements - 2),
                             {bytes});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.outputs, ElementsAre(Bytes<int8_t>({7, 0})));
}

TEST_F(HostDeviceTest, RunsWithinTheLimitsOfTheRequest) {
  ASSERT_TRUE(runner_.parts().device->Load(artifact_).passed());
  Timing timing;
  ASSERT_TRUE(
      runner_.parts()
          .device->Execute({.dir = runner_.dir(), .repeat = {.min_runs = 3, .max_runs = 5, .budget_ms = 1e9}}, timing)
          .passed());
  EXPECT_EQ(timing.n, 4) << "the first has no time";
  ASSERT_TRUE(runner_.parts()
                  .device->Execute({.dir = runner_.dir(), .repeat = {.min_runs = 3, .max_runs = 5}}, timing)
                  .passed());
  EXPECT_EQ(timing.n, 3);
  EXPECT_LE(timing.min_us, timing.median_us);
  EXPECT_LE(timing.median_us, timing.p95_us);
}

// A function that returns n in its n-th run.
constexpr const char* kCounter = R"(
@runs = internal global float 0.0
define void @count(ptr %buffers) {
  %slot = getelementptr ptr, ptr %buffers, i64 1
  %output = load ptr, ptr %slot
  %old = load float, ptr @runs
  %new = fadd float %old, 1.0
  store float %new, ptr @runs
  store float %new, ptr %output
  %second = getelementptr float, ptr %output, i64 1
  store float 0.0, ptr %second
  ret void
})";

TEST_F(HostDeviceTest, TheLastRunsOutputIsWrittenIfItDiffers) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kCounter, error, context);
  ASSERT_NE(module, nullptr) << error.getMessage().str();
  auto compiler = ObjectCompiler::Create("function(early-cse)");
  ASSERT_TRUE(compiler);
  Artifact counter = Parsed();
  counter.entry = "count";
  counter.object = *compiler->Compile(*module);
  ASSERT_TRUE(Load(counter).passed());
  Timing timing;
  const auto run = [&](int64_t runs, device::DeviceLog* log = nullptr) {
    return runner_.parts().device->Execute(
        {.dir = runner_.dir(), .repeat = {.min_runs = runs, .max_runs = runs}, .log = log}, timing);
  };
  ASSERT_TRUE(run(1).passed());
  EXPECT_FALSE(std::filesystem::exists(runner_.dir() / "last_output_0.npy"));
  ASSERT_TRUE(run(3).passed());
  EXPECT_TRUE(std::ranges::equal(ReadNpy(runner_.dir() / "output_0.npy")->bytes(), Bytes({2.f, 0.f})));
  EXPECT_TRUE(std::ranges::equal(ReadNpy(runner_.dir() / "last_output_0.npy")->bytes(), Bytes({5.f, 0.f})));
  device::DeviceLog log;
  ASSERT_TRUE(run(3, &log).passed());
  EXPECT_TRUE(std::ranges::equal(ReadNpy(runner_.dir() / "output_0.npy")->bytes(), Bytes({6.f, 0.f})));
  EXPECT_TRUE(std::ranges::equal(ReadNpy(runner_.dir() / "last_output_0.npy")->bytes(), Bytes({9.f, 0.f})));
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
