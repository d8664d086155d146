// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/nan_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chained/chain_fixture.h"
#include "chained/profile_program.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::chained {
namespace {

using reference::InputData;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class NanTraceTest : public testing::Test {
 protected:
  void Read(const std::string& text) {
    auto module = ReadModuleFromBytes(text, "model.mlir", context_);
    ASSERT_TRUE(module) << module.error().message;
    module_ = std::move(*module);
    auto map = MapCases(module_.get(), Model{.name = "model"}, nullptr, Target{}, Shards::kGlobal);
    ASSERT_TRUE(map) << map.error().message;
    map_.emplace(std::move(*map));
    auto plan = ProgramPlan::Make(*map_);
    ASSERT_TRUE(plan) << plan.error().message;
    plan_.emplace(std::move(*plan));
  }

  NanTrace OfReference(const std::vector<InputData>& inputs) {
    const Expected<NanTrace> trace = TraceReference(*map_, *plan_, inputs, 1);
    EXPECT_TRUE(trace) << trace.error().message;
    return trace.value_or(NanTrace());
  }

  NanTrace OfDevice(const std::vector<InputData>& inputs) {
    const Expected<NanTrace> trace = TraceDevice(*map_, *plan_, inputs, device_, {});
    EXPECT_TRUE(trace) << trace.error().message;
    return trace.value_or(NanTrace());
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::optional<generator::CaseMap> map_;
  std::optional<ProgramPlan> plan_;
  FakeDevice device_;
};

constexpr const char* kLog = R"(
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.negate %a : tensor<2x2xf32>
  %1 = stablehlo.log %0 : tensor<2x2xf32>
  %2 = stablehlo.add %1, %a : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
})";

InputData Matrix(const std::vector<double>& values) {
  InputData input = F32(values);
  input.shape = {2, 2};
  return input;
}

TEST_F(NanTraceTest, TheFirstOpThatMakesANanIsNamed) {
  Read(kLog);
  const NanTrace trace = OfReference({Matrix({-1, -2, 3, 4})});
  ASSERT_TRUE(trace.nan);
  EXPECT_EQ(trace.nan->name, "log.1");
  EXPECT_EQ(trace.nan->place, "model.mlir:4");
  EXPECT_THAT(trace.nan->index, ElementsAre(1, 0));
  EXPECT_EQ(trace.nan->count, 2);
  EXPECT_THAT(Describe(*trace.nan), HasSubstr("log.1 (model.mlir:4) gives nan in result 0 at [1,0], 2 of 4 elements"));
  EXPECT_THAT(Describe(*trace.nan), HasSubstr("operand 0: 2x2xf32 from -4 to 2"));
  EXPECT_FALSE(trace.infinity);
  EXPECT_EQ(trace.executed, 2) << "it ends there";
}

TEST_F(NanTraceTest, NoOpIsNamedIfAllIsFinite) {
  Read(kLog);
  const NanTrace trace = OfReference({Matrix({-1, -2, -3, -4})});
  EXPECT_EQ(trace.first(), nullptr);
  EXPECT_EQ(trace.executed, 3);
  EXPECT_EQ(trace.stopped, "");
}

TEST_F(NanTraceTest, AnInfinityBeforeTheNanIsNamedToo) {
  Read(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a : tensor<2xf32>
  %1 = stablehlo.divide %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  const NanTrace trace = OfReference({F32({1, 1000})});
  ASSERT_TRUE(trace.nan && trace.infinity);
  EXPECT_EQ(trace.infinity->name, "exponential.0");
  EXPECT_EQ(trace.infinity->value, "inf");
  EXPECT_EQ(trace.nan->name, "divide.1");
  EXPECT_EQ(trace.nan->operands[0].infinities, 1);
}

TEST_F(NanTraceTest, InfinitiesOfConstantsAndInputsComeFromNoOp) {
  Read(R"(
func.func @main(%a: tensor<2xf32>, %m: tensor<2xi1>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
  %0 = stablehlo.select %m, %a, %c : tensor<2xi1>, tensor<2xf32>
  %1 = stablehlo.subtract %0, %c : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  const InputData mask = {reference::ElementType::kI1, {2}, {std::byte{0}, std::byte{1}}};
  const NanTrace trace = OfReference({F32({1, 2}), mask});
  EXPECT_FALSE(trace.infinity);
  ASSERT_TRUE(trace.nan);
  EXPECT_EQ(trace.nan->name, "subtract.1") << "-inf - -inf";
  const NanTrace given = OfReference({F32({kInfinity, NAN}), mask});
  EXPECT_THAT(given.of_inputs, ElementsAre("input 0: 2xf32, 1 NaN, 1 infinity"));
  EXPECT_EQ(given.nan, std::nullopt) << "what is a NaN here was given";
}

// A value that is squared in every trip.
constexpr const char* kSquares = R"(
func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<9> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = func.call @square(%x) : (tensor<f32>) -> tensor<f32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y : tensor<i32>, tensor<f32>
    }
  %d = stablehlo.subtract %r#1, %r#1 : tensor<f32>
  return %d : tensor<f32>
})";

InputData OneNumber(double value) {
  InputData input = F32({value});
  input.shape = {};
  return input;
}

TEST_F(NanTraceTest, TheTripOfTheLoopAndTheCallAroundItAreReported) {
  Read(kSquares);
  for (const NanTrace& trace : {OfReference({OneNumber(10)}), OfDevice({OneNumber(10)})}) {
    ASSERT_TRUE(trace.infinity && trace.nan);
    EXPECT_EQ(trace.infinity->name, "multiply.1");
    EXPECT_THAT(trace.infinity->trips, ElementsAre(5)) << "10^(2^6)";
    EXPECT_THAT(trace.infinity->around,
                ElementsAre("trip 5 of stablehlo.while at model.mlir:10", "func.call at model.mlir:15"));
    EXPECT_EQ(trace.nan->name, "subtract.3");
    EXPECT_THAT(trace.nan->around, IsEmpty());
  }
  EXPECT_THAT(Agreement(OfReference({OneNumber(10)}), OfDevice({OneNumber(10)}), "chip"),
              HasSubstr("both agree: subtract.3"));
}

TEST_F(NanTraceTest, AnOpsOwnRegionIsNotReportedAsAroundIt) {
  Read(R"(
func.func @main(%a: tensor<3xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.log %a : tensor<3xf32>
  %n = stablehlo.negate %0 : tensor<3xf32>
  %s = stablehlo.add %0, %n : tensor<3xf32>
  %1 = "stablehlo.reduce"(%0, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %e = stablehlo.exponential %y : tensor<f32>
    %2 = stablehlo.add %x, %e : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
})");
  const NanTrace trace = OfReference({F32({1, 2, 3})});
  EXPECT_EQ(trace.first(), nullptr);
  const NanTrace zero = OfReference({F32({1, 0, 3})});
  ASSERT_TRUE(zero.infinity && zero.nan);
  EXPECT_EQ(zero.infinity->name, "log.0");
  EXPECT_EQ(zero.infinity->value, "-inf");
  EXPECT_EQ(zero.nan->name, "add.2");
}

TEST_F(NanTraceTest, ANanOfTheDeviceAloneIsReported) {
  Read(kTwoOps);
  device_.changes["stablehlo.negate"] = [](DeviceRun& run) { run.outputs[0] = F32({0, NAN}); };
  const NanTrace reference = OfReference({F32({0, 1})}), device = OfDevice({F32({0, 1})});
  ASSERT_TRUE(device.nan);
  EXPECT_EQ(device.nan->name, "negate.1");
  EXPECT_TRUE(device.nan->by_device);
  ASSERT_TRUE(device.nan->reference);
  EXPECT_EQ(device.nan->reference->nans, 0);
  EXPECT_THAT(Describe(*device.nan), HasSubstr("the reference on these operands: 2xf32 from -2.71828 to -1\n"));
  EXPECT_EQ(Agreement(reference, device, "chip"),
            "they differ: chip has NaN from negate.1 on, and the reference has none");
}

TEST_F(NanTraceTest, ANanThatTheDeviceLosesIsReported) {
  Read(kLog);
  device_.changes["stablehlo.log"] = [](DeviceRun& run) { run.outputs[0] = Matrix({0, 0, 0, 0}); };
  const std::vector<InputData> inputs = {Matrix({-1, -2, 3, 4})};
  EXPECT_EQ(Agreement(OfReference(inputs), OfDevice(inputs), "chip"),
            "they differ: the reference has NaN from log.1 on, and chip has none");
}

TEST_F(NanTraceTest, AnOpThatTheReferenceRunsForTheDeviceIsReported) {
  Read(kLog);
  device_.changes["stablehlo.log"] = [](DeviceRun& run) {
    run.status = Status::kUnsupported;
    run.diagnostic = "no kernel";
    run.outputs.clear();
  };
  const std::vector<InputData> inputs = {Matrix({-1, -2, 3, 4})};
  const NanTrace device = OfDevice(inputs);
  EXPECT_EQ(device.substituted, 1);
  ASSERT_TRUE(device.nan);
  EXPECT_FALSE(device.nan->by_device);
  EXPECT_EQ(Agreement(OfReference(inputs), device, "chip"),
            "both agree: log.1 is where it begins; chip did not run that op, the reference stood in");
}

TEST_F(NanTraceTest, AnOpThatTheReferenceCannotEvaluateEndsTheTrace) {
  Read(R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @vendor.secret(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})");
  const NanTrace trace = OfReference({F32({1, 2})});
  EXPECT_EQ(trace.first(), nullptr);
  EXPECT_THAT(trace.stopped, HasSubstr("vendor.secret"));
  EXPECT_EQ(Agreement(trace, trace, "chip"), "neither came to a NaN or an infinity before it stopped");
}

}  // namespace
}  // namespace opbyop::chained
