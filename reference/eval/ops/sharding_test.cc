// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Results of @main(%a: tensor<4xf32>) with `body`, which defines %0, in a module with meshes of one, two and four devices.
Expected<Values> Evaluate(const std::string& body) {
  return EvaluateText(
      "sdy.mesh @one = <[\"x\"=1]>\nsdy.mesh @none = <[]>\nsdy.mesh @two = <[\"x\"=2, \"y\"=1]>\n"
      "sdy.mesh @four = <[\"x\"=2, \"y\"=2]>\n"
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n" +
          body + "\n  return %0 : tensor<4xf32>\n}\n",
      {F32({4}, {1, 2, 3, 4})});
}

void ExpectIdentity(const std::string& body) {
  const Expected<Values> results = Evaluate(body);
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 2, 3, 4)) << body;
}

TEST(EvalShardingTest, ShardingsOfValuesAreIdentitiesOnAnyMesh) {
  ExpectIdentity(R"(%0 = sdy.sharding_constraint %a <@two, [{"x"}]> : tensor<4xf32>)");
  ExpectIdentity(R"(%0 = sdy.reshard %a <@none, [{}]> : tensor<4xf32>)");
  ExpectIdentity(R"(%0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<4xf32>)");
  ExpectIdentity(
      "sdy.sharding_group %a group_id=1 : tensor<4xf32>\n"
      R"(%0 = sdy.data_flow_edge %a sharding=<@two, [{?}]> : tensor<4xf32>)");
}

TEST(EvalShardingTest, CollectivesOfOneDeviceAreIdentities) {
  ExpectIdentity(R"(%0 = sdy.all_slice [{"x"}] %a out_sharding=<@one, [{"x"}]> : tensor<4xf32>)");
  ExpectIdentity(R"(%0 = sdy.all_reduce {"x"} %a out_sharding=<@one, [{}]> : tensor<4xf32>)");
}

TEST(EvalShardingTest, CollectivesOfSeveralDevicesAreUnsupported) {
  const Expected<Values> results =
      Evaluate(R"(%0 = sdy.all_slice [{"x"}] %a out_sharding=<@two, [{"x"}]> : tensor<4xf32>)");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message, HasSubstr("sdy.all_slice between 2 devices"));
}

TEST(EvalShardingTest, ConstantHasItsElements) {
  ExpectIdentity("%0 = sdy.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>");
}

TEST(EvalShardingTest, ComputationsRunTheirBody) {
  ExpectIdentity(R"(%0 = sdy.named_computation<"f">(%a) (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>)");
  const Expected<Values> results = Evaluate(
      R"(%0 = sdy.manual_computation(%a) in_shardings=[<@one, [{"x"}]>] out_shardings=[<@one, [{"x"}]>] manual_axes={"x"}
      (%b: tensor<4xf32>) {
        %c = stablehlo.add %b, %b : tensor<4xf32>
        sdy.return %c : tensor<4xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>)");
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 4, 6, 8));
}

// A manual computation on @two whose body is `body` of %b, of 2 of the 4 elements unless `in` says that it has all.
std::string Manual(const std::string& body, const std::string& out = R"([{"x"}])",
                   const std::string& axes = R"({"x", "y"})") {
  return R"(%0 = sdy.manual_computation(%a) in_shardings=[<@two, [{"x"}]>] out_shardings=[<@two, )" + out +
         ">] manual_axes=" + axes + " (%b: tensor<2xf32>) {\n" + body + "\n} : (tensor<4xf32>) -> tensor<4xf32>";
}

constexpr char kSumOfTwo[] = R"(
  %c = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
)";

TEST(EvalShardingTest, AManualComputationRunsOnEachDevice) {
  const Expected<Values> results = Evaluate(Manual(std::string(kSumOfTwo) + "sdy.return %c : tensor<2xf32>"));
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(4, 6, 4, 6));
}

TEST(EvalShardingTest, DevicesWithOnePartHaveOneValue) {
  const std::string joined = R"(
    %d = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    sdy.return %d : tensor<4xf32>)";
  const Expected<Values> results = Evaluate(Manual(joined, "[{}]"));
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 2, 3, 4));

  const std::string different = R"(
    %p = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>
    %d = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    sdy.return %d : tensor<4xf32>)";
  const Expected<Values> two = Evaluate(Manual(different, "[{}]"));
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, HasSubstr("devices 0 and 1 have one value"));
}

TEST(EvalShardingTest, AxesThatAreNotManualAreUnsupported) {
  const Expected<Values> results = Evaluate(
      "%0 = sdy.manual_computation(%a) in_shardings=[<@four, [{\"x\"}]>] out_shardings=[<@four, [{\"x\"}]>] "
      "manual_axes={\"x\"} (%b: tensor<2xf32>) { sdy.return %b : tensor<2xf32> } : (tensor<4xf32>) -> tensor<4xf32>");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message, HasSubstr("over 2 of 4 devices"));
}

}  // namespace
}  // namespace opbyop::reference
