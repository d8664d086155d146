// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "chained/capture_operands.h"
#include "chained/chain_fixture.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::ElementType;
using reference::InputData;
using reference::Tensor;
using reference::TensorToBytes;

using optrace::OpRun;
using optrace::OutputCompare;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

void Die(DeviceRun& run) { run = {.status = Status::kCrash, .stage = "execute", .diagnostic = "died of SIGSEGV"}; }

TEST(Chain, EachOpGetsTheDevicesEarlierResults) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { run.outputs[0] = F32({7, 8}); };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  EXPECT_THAT(recorded.Output(), ElementsAre(-7, -8));
}

TEST(Chain, AWrongOpFailsAndTheOneAfterItDoesNot) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { run.outputs[0] = F32({7, 8}); };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kFail);
  EXPECT_EQ(recorded.RunOf("exponential").stage, "compare");
  EXPECT_THAT(recorded.RunOf("exponential").diagnostic, HasSubstr("got 7"));
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kPass);
}

InputData RandomMatrix(std::vector<int64_t> shape, uint32_t seed) {
  Tensor t = Tensor::Zeros(ElementType::kF32, shape);
  std::mt19937 random(seed);
  for (double& value : t.Mutable<double>())
    value = static_cast<float>(static_cast<double>(random()) / 2147483648.0 - 1);
  return {t.type(), t.shape(), TensorToBytes(t)};
}

void RoundToTf32(Tensor& t) {
  constexpr int kBits = 11;
  for (double& value : t.Mutable<double>()) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    value = std::ldexp(std::nearbyint(std::ldexp(fraction, kBits)), exponent - kBits);
  }
}

// Long enough that factors rounded to tf32 stay within the worst case of f32.
constexpr const char* kLongProduct = R"(
func.func @main(%a: tensor<16x2048xf32>, %b: tensor<2048x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<16x2048xf32>, tensor<2048x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
})";

std::vector<InputData> Factors() { return {RandomMatrix({16, 2048}, 1), RandomMatrix({2048, 16}, 2)}; }

TEST(Chain, AProductInALessPreciseTypeThanPromisedIsImprecise) {
  FakeDevice device;
  device.before = RoundToTf32;
  const Recorded recorded = RunText(kLongProduct, Factors(), device);
  EXPECT_EQ(recorded.RunOf("dot_general").status, Status::kImprecise) << recorded.RunOf("dot_general").diagnostic;
  EXPECT_EQ(recorded.RunOf("dot_general").stage, "compare");
}

TEST(Chain, AProductInTheTypeThatTheTargetDeclaresPasses) {
  FakeDevice device;
  device.before = RoundToTf32;
  const Recorded recorded =
      RunText(kLongProduct, Factors(), device, {.arithmetic = {.precision = {{"dot_general", "tf32"}}}});
  EXPECT_EQ(recorded.RunOf("dot_general").status, Status::kPass) << recorded.RunOf("dot_general").diagnostic;
}

TEST(Chain, AProductInThePromisedTypePasses) {
  FakeDevice device;
  const Recorded recorded = RunText(kLongProduct, Factors(), device);
  EXPECT_EQ(recorded.RunOf("dot_general").status, Status::kPass) << recorded.RunOf("dot_general").diagnostic;
}

TEST(Chain, ADeviceThatDeclaresItMayTakeSubnormalNumbersForZero) {
  constexpr const char* kProduct = R"(
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
})";
  const std::vector<InputData> inputs = {F32({0x1p-100, 2}), F32({0x1p-30, 3})};
  for (const bool declared : {false, true}) {
    FakeDevice device;
    device.changes["stablehlo.multiply"] = [](DeviceRun& run) { run.outputs[0] = F32({0, 6}); };
    const Recorded recorded =
        RunText(kProduct, inputs, device, {.arithmetic = {.flushes = {.operands = declared, .results = declared}}});
    EXPECT_EQ(recorded.RunOf("multiply").status, declared ? Status::kPass : Status::kFail);
  }
}

TEST(Chain, AnOpWithoutRunTimeInputIsInconclusive) {
  FakeDevice device;
  const Recorded recorded = RunText(R"(
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
})",
                                    {}, device);
  EXPECT_EQ(recorded.RunOf("iota").status, Status::kInconclusive);
  EXPECT_THAT(recorded.RunOf("iota").diagnostic, HasSubstr("no run-time input"));
}

TEST(Chain, AResultOfZerosIsInconclusive) {
  FakeDevice device;
  const Recorded recorded = RunText(R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.subtract %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
})",
                                    {F32({1, 2, 3, 4})}, device);
  EXPECT_EQ(recorded.RunOf("subtract").status, Status::kInconclusive);
  EXPECT_THAT(recorded.RunOf("subtract").diagnostic, HasSubstr("zero everywhere"));
}

TEST(Chain, SmallErrorsPassAndAreReportedAsAccumulated) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { run.outputs[0].bytes[0] ^= std::byte{1}; };
  const Recorded recorded = RunText(kTwoOps, {F32({0.5, 1})}, device);
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kPass);
  ASSERT_THAT(recorded.compares, SizeIs(4));
  const OutputCompare& accumulated =
      recorded.compares[2].mode == optrace::CompareMode::kAccumulated ? recorded.compares[2] : recorded.compares[3];
  const OutputCompare& isolated =
      recorded.compares[2].mode == optrace::CompareMode::kIsolated ? recorded.compares[2] : recorded.compares[3];
  EXPECT_EQ(isolated.comparison.max_ulp, 0);
  EXPECT_EQ(accumulated.comparison.max_ulp, 1);
  EXPECT_TRUE(accumulated.comparison.accepted);
}

TEST(Chain, PrintsBothOutputsInFull) {
  FakeDevice device;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 0})}, device);
  EXPECT_THAT(recorded.compares.back().cpu, ElementsAre("-1", "-1"));
  EXPECT_EQ(recorded.compares.back().device, recorded.compares.back().cpu);
}

TEST(Chain, RecordsTheMedianRunAndTheSpreadOfAll) {
  FakeDevice device;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  std::vector<int64_t> executions;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section == optrace::Section::kExecution) executions.push_back(span.dur_ps);
  }
  EXPECT_THAT(executions, ElementsAre(7000, 7000));
  const OpRun& run = recorded.RunOf("negate");
  EXPECT_EQ(run.n, 3);
  EXPECT_EQ(run.min_ps, 5000);
  EXPECT_EQ(run.median_ps, 7000);
  EXPECT_EQ(run.max_ps, 9000);
}

TEST(Chain, AllOfOneExecutionSharesAFlow) {
  FakeDevice device;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  std::map<int64_t, std::vector<std::string>> flows;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section == optrace::Section::kDataTransfer || span.section == optrace::Section::kExecution) {
      flows[span.flow].push_back(span.name);
    }
    if (span.section == optrace::Section::kOverview) EXPECT_EQ(span.flow, 0);
  }
  EXPECT_THAT(flows, ElementsAre(Pair(1, ElementsAre("input 0", "device to host", "exponential.0")),
                                 Pair(2, ElementsAre("host to device", "device to host", "negate.1"))));
}

TEST(Chain, EveryIterationIsOnTheTimelineAndTheFirstIsCompared) {
  FakeDevice device;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device, {.iterations = 3});
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  std::map<int64_t, int> executions;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section == optrace::Section::kExecution) ++executions[span.iteration];
  }
  EXPECT_THAT(executions, ElementsAre(Pair(0, 2), Pair(1, 2), Pair(2, 2)));
  EXPECT_THAT(recorded.compares, SizeIs(4));
  EXPECT_EQ(recorded.RunOf("negate").n, 9);
  EXPECT_EQ(recorded.RunOf("negate").stage, "compare");
  EXPECT_THAT(recorded.warnings, IsEmpty());
}

TEST(Chain, ADeviceThatGivesOtherBitsInALaterIterationIsReported) {
  FakeDevice device;
  int times = 0;
  device.changes["stablehlo.exponential"] = [&](DeviceRun& run) {
    if (++times == 2) run.outputs[0].bytes[0] ^= std::byte{1};
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0.5, 1})}, device, {.iterations = 3});
  // The op that depends on it differs too, and is not reported.
  EXPECT_THAT(recorded.warnings, ElementsAre(HasSubstr("exponential.0: in iteration 1 the device gave other bits")));
}

TEST(Chain, AFailureInALaterIterationIsReported) {
  FakeDevice device;
  int times = 0;
  device.changes["stablehlo.exponential"] = [&](DeviceRun& run) {
    if (++times == 2) Die(run);
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0.5, 1})}, device, {.iterations = 2});
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kCrash);
}

TEST(Chain, ARecordIsHandedOverWhileTheNextOpRuns) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(kTwoOps, "test.mlir", context);
  Expected<CaseMap> map = CaseMap::Make(module->get(), {});
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  FakeDevice device;
  std::vector<size_t> started;  // ops that had started when an op_run was written
  ChainRecorder recorder(
      *plan,
      [&](std::span<const optrace::Record> records) -> Expected<void> {
        for (const optrace::Record& record : records) {
          if (std::holds_alternative<OpRun>(record)) started.push_back(device.ran.size());
        }
        return {};
      },
      NowNs());
  ASSERT_TRUE(RunChain(*map, *plan, {F32({0, 1})}, device, recorder, {}));
  EXPECT_THAT(started, ElementsAre(2));
  ASSERT_TRUE(recorder.Finish({}));
  EXPECT_THAT(started, ElementsAre(2, 2));
}

TEST(Chain, InputsOfTheModelAreTransfersOfTheirOwn) {
  FakeDevice device;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  std::vector<std::string> transfers;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section == optrace::Section::kDataTransfer) transfers.push_back(span.name);
  }
  EXPECT_THAT(transfers, ElementsAre("input 0", "device to host", "host to device", "device to host"));
}

TEST(Chain, TheReferenceRunsAnOpThatTheDeviceCannotRun) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) {
    run = {.status = Status::kUnsupported, .stage = "lower", .diagnostic = "no exponential here"};
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 0})}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_THAT(recorded.Output(), ElementsAre(-1, -1));
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kUnsupported);
  EXPECT_EQ(recorded.RunOf("exponential").diagnostic, "no exponential here");
  EXPECT_THAT(recorded.warnings, ElementsAre(HasSubstr("uses the reference's value")));
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kPass);
}

TEST(Chain, ADeviceWithInputsOfItsOwnIsJudgedOnThese) {
  FakeDevice device;
  device.changes["stablehlo.negate"] = [](DeviceRun& run) {
    run.inputs = {F32({5, 6})};
    run.outputs = {F32({-5, -6})};
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 0})}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_THAT(recorded.Output(), ElementsAre(-1, -1));
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kPass);
  EXPECT_THAT(recorded.warnings, ElementsAre(HasSubstr("inputs of its own")));
}

TEST(Chain, ADyingDeviceCostsItsOpOnly) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = &Die;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 0})}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kCrash);
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kPass);
}

TEST(Chain, WithoutComparingTheReferenceRunsOnlyWhatTheDeviceCannot) {
  FakeDevice device;
  device.changes["stablehlo.negate"] = &Die;
  const Recorded recorded = RunText(kTwoOps, {F32({0, 0})}, device, {.compare = false});
  ASSERT_TRUE(recorded.outputs);
  EXPECT_THAT(recorded.Output(), ElementsAre(-1, -1));
  EXPECT_THAT(recorded.compares, IsEmpty());
  EXPECT_EQ(recorded.RunOf("exponential").status, Status::kPass);
}

constexpr const char* kCalls = R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32> loc("NN[model]/Linear[first]/aten::add")
  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32> loc("NN[model]/Linear[second]/aten::add")
  return %1 : tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})";

TEST(Chain, AnOpOfAFunctionIsAnOpAtEveryCallSite) {
  FakeDevice device;
  const Recorded recorded = RunText(kCalls, {F32({1, 2})}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_THAT(recorded.Output(), ElementsAre(4, 8));
  ASSERT_THAT(recorded.ops, SizeIs(2));
  EXPECT_EQ(recorded.ops[0].case_id, recorded.ops[1].case_id);
  EXPECT_THAT(recorded.runs, SizeIs(2));
}

constexpr const char* kLoop = R"(
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %limit = stablehlo.constant dense<8.0> : tensor<f32>
  %0 = stablehlo.while(%x = %a) : tensor<f32>
  cond {
    %c = stablehlo.compare LT, %x, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }
  return %0 : tensor<f32>
})";

InputData Scalar(double value) {
  const Tensor t = Tensor::Of<double>(ElementType::kF32, {}, {value});
  return {t.type(), t.shape(), TensorToBytes(t)};
}

TEST(Chain, ALoopRunsItsOpsOnTheDeviceTripByTrip) {
  FakeDevice device;
  const Recorded recorded = RunText(kLoop, {Scalar(1)}, device);
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  EXPECT_THAT(recorded.Output(), ElementsAre(8));
  EXPECT_THAT(recorded.ran, ElementsAre("stablehlo.compare", "stablehlo.add", "stablehlo.compare", "stablehlo.add",
                                        "stablehlo.compare", "stablehlo.add", "stablehlo.compare"));
  EXPECT_THAT(recorded.ops, SizeIs(2));
  EXPECT_EQ(recorded.RunOf("add").n, 9);  // three runs of three trips
  EXPECT_THAT(recorded.warnings, IsEmpty());
}

TEST(Chain, TheDeviceDecidesTheTripsOfALoop) {
  FakeDevice device;
  device.changes["stablehlo.add"] = [](DeviceRun& run) { run.outputs[0] = Scalar(100); };
  const Recorded recorded = RunText(kLoop, {Scalar(1)}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_THAT(recorded.Output(), ElementsAre(100));
  EXPECT_THAT(recorded.warnings, ElementsAre(HasSubstr("the condition before trip 1 is 0 on the device and 1")));
}

TEST(Chain, TheOpThatComesNextIsAnnouncedWithTheInputsThatAreKnown) {
  FakeDevice device;
  const std::string text = R"(
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  %c = stablehlo.constant dense<8.0> : tensor<2xf32>
  %1 = stablehlo.multiply %0, %b : tensor<2xf32>
  %2 = stablehlo.subtract %a, %b : tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
})";
  const Recorded recorded = RunText(text, {F32({1, 2}), F32({3, 4})}, device);
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  EXPECT_THAT(device.announced, ElementsAre("stablehlo.multiply -+", "stablehlo.subtract ++"));
}

TEST(Chain, TransfersAheadOfTheirOpAreTimesOfTheirOwnInTheOverview) {
  FakeDevice device;
  device.changes["stablehlo.negate"] = [](DeviceRun& run) {
    const int64_t handed_over = run.pieces[1].start_ns;
    run.handover_start_ns = run.handover_end_ns = handed_over;
    run.pieces.push_back({"transfer_in", 1, handed_over + 1, 2, 8});
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  ASSERT_TRUE(recorded.outputs);
  const auto busy = std::ranges::count(recorded.spans, "DMA Busy", &optrace::Span::name);
  EXPECT_EQ(busy, 5) << "in and out of the other op; of this one in before it was asked for, in since then, and out";
}

TEST(Chain, AnEndlessLoopIsStopped) {
  FakeDevice device;
  device.changes["stablehlo.add"] = [](DeviceRun& run) { run.outputs[0] = Scalar(1); };
  const Recorded recorded = RunText(kLoop, {Scalar(1)}, device, {.max_trips = 10});
  ASSERT_FALSE(recorded.outputs);
  EXPECT_EQ(recorded.outputs.error().code, ExitCode::kPartial);
  EXPECT_THAT(recorded.outputs.error().message, HasSubstr("after 10 trips"));
}

constexpr const char* kBranch = R"(
func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %q = stablehlo.not %p : tensor<i1>
  %0 = "stablehlo.if"(%q) ({
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    %1 = stablehlo.abs %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %2 = stablehlo.exponential %0 : tensor<2xf32>
  return %2 : tensor<2xf32>
})";

InputData Predicate(bool value) {
  const Tensor t = Tensor::Of<uint8_t>(ElementType::kI1, {}, {static_cast<uint8_t>(value)});
  return {t.type(), t.shape(), TensorToBytes(t)};
}

TEST(Chain, OpsAfterABranchOrALoopAreNotAnnounced) {
  FakeDevice branch, loop;
  RunText(kBranch, {Predicate(false), F32({1, 2})}, branch);
  RunText(kLoop, {Scalar(1)}, loop);
  EXPECT_THAT(branch.announced, IsEmpty());
  EXPECT_THAT(loop.announced, IsEmpty());
}

TEST(Chain, OpsOfABranchThatIsNotTakenAreSkipped) {
  FakeDevice device;
  const Recorded recorded = RunText(kBranch, {Predicate(false), F32({1, 2})}, device);
  ASSERT_TRUE(recorded.outputs) << recorded.outputs.error().message;
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kPass);
  EXPECT_EQ(recorded.RunOf("abs").status, Status::kSkipped);
}

TEST(Chain, AccumulatedErrorsEndIfTheReferenceWouldBranchElsewhere) {
  FakeDevice device;
  device.changes["stablehlo.not"] = [](DeviceRun& run) { run.outputs[0] = Predicate(false); };
  const Recorded recorded = RunText(kBranch, {Predicate(false), F32({1, 2})}, device);
  ASSERT_TRUE(recorded.outputs);
  EXPECT_EQ(recorded.RunOf("abs").status, Status::kPass);
  EXPECT_EQ(recorded.RunOf("negate").status, Status::kSkipped);
  EXPECT_THAT(recorded.warnings, ElementsAre(HasSubstr("accumulated errors end here")));
  const int64_t last = static_cast<int64_t>(recorded.ops.size()) - 1;
  for (const OutputCompare& compare : recorded.compares) {
    if (compare.op == last) EXPECT_EQ(compare.mode, optrace::CompareMode::kIsolated);
  }
}

TEST(Chain, TheSameRunNumbersItsSpansTheSame) {
  FakeDevice one, two;
  const Recorded a = RunText(kLoop, {Scalar(1)}, one), b = RunText(kLoop, {Scalar(1)}, two);
  ASSERT_EQ(a.spans.size(), b.spans.size());
  for (size_t i = 0; i < a.spans.size(); ++i) {
    EXPECT_EQ(a.spans[i].id, static_cast<int64_t>(i));
    EXPECT_EQ(a.spans[i].name, b.spans[i].name);
    EXPECT_EQ(a.spans[i].op, b.spans[i].op);
  }
}

TEST(Chain, AFullDiskEndsTheRecordAndIsReported) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(kTwoOps, "test.mlir", context);
  Expected<CaseMap> map = CaseMap::Make(module->get(), {});
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  ChainRecorder recorder(
      *plan,
      [](std::span<const optrace::Record>) -> Expected<void> {
        return MakeError(ExitCode::kNoInput, "no space left on device");
      },
      NowNs());
  FakeDevice device;
  EXPECT_TRUE(RunChain(*map, *plan, {F32({0, 1})}, device, recorder, {}));
  const Expected<void> finished = recorder.Finish({});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "no space left on device");
}

}  // namespace
}  // namespace opbyop::chained
