// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/process_grid.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "generator/program/parse_for_test.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::generator {
namespace {

int64_t Named(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  return module ? ProcessesNamedBy(**module) : 0;
}

TEST(ProcessesNamedByTest, AnOpThatNamesNoneNeedsOne) {
  EXPECT_EQ(Named(R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.add %a, %a : tensor<8xf32>
    return %0 : tensor<8xf32>
  })"),
            1);
}

TEST(ProcessesNamedByTest, ReplicaGroupsNameTheirIds) {
  EXPECT_EQ(Named(R"(func.func @main(%a: tensor<8xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}> : (tensor<8xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  })"),
            4);
}

TEST(ProcessesNamedByTest, PairsNameTheirIds) {
  EXPECT_EQ(Named(R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })"),
            3);
}

TEST(ProcessesNamedByTest, ACallerNeedsTheProcessesOfItsCallee) {
  EXPECT_EQ(Named(R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })"),
            2);
}

TEST(ProcessesNamedByTest, GroupsOfOneProcessNeedOne) {
  EXPECT_EQ(Named(R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })"),
            1);
}

constexpr std::string_view kSum = R"(({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }))";

// The grid of the first op with this name in a program whose module has these attributes.
Grid GridOf(std::string_view op, const std::string& body, const std::string& attributes = "",
            const std::string& before = "") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string text = "module attributes {" + attributes + "} {\n" + before +
                           "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n" + body +
                           "\nreturn %a : tensor<8xf32>\n}\n}\n";
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return {};
  ProcessGrid grid(**module);
  return grid.Of(FindOp(**module, op));
}

std::string AllReduce(const std::string& groups, const std::string& more = "") {
  return "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = " + groups + more + "}> " + std::string(kSum) +
         " : (tensor<8xf32>) -> tensor<8xf32>";
}

const std::string kChannel = ", channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>";
const std::string kGlobal = kChannel + ", use_global_device_ids";
const std::string kTwoGroups = "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>";
constexpr std::string_view kAllReduce = "stablehlo.all_reduce";

TEST(ProcessGridTest, ModulesStateTheGridOfTheirCollectives) {
  EXPECT_EQ(GridOf(kAllReduce, AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"),
                   "mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32"),
            (Grid{2, 4}));
  EXPECT_EQ(
      GridOf("stablehlo.partition_id", "%0 = stablehlo.partition_id : tensor<ui32>", "mhlo.num_partitions = 8 : i32"),
      (Grid{1, 8}));
}

TEST(ProcessGridTest, OpsThatDoNotCommunicateHaveOneProcess) {
  EXPECT_EQ(GridOf("stablehlo.abs", "%1 = stablehlo.abs %a : tensor<8xf32>\n" + AllReduce(kTwoGroups),
                   "mhlo.num_partitions = 4 : i32"),
            Grid());
}

TEST(ProcessGridTest, WithoutAGridOfTheModuleTheIdsCountWhatTheirModeSays) {
  EXPECT_EQ(GridOf(kAllReduce, AllReduce(kTwoGroups)), (Grid{4, 1})) << "no channel: replicas";
  EXPECT_EQ(GridOf(kAllReduce, AllReduce(kTwoGroups, kChannel)), (Grid{4, 1})) << "replicas with all their partitions";
  EXPECT_EQ(GridOf(kAllReduce, AllReduce(kTwoGroups, kGlobal)), (Grid{1, 4})) << "processes";
  const std::string permute =
      "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>" +
      kChannel + "}> : (tensor<8xf32>) -> tensor<8xf32>";
  EXPECT_EQ(GridOf("stablehlo.collective_permute", permute), (Grid{1, 3})) << "partitions";
}

TEST(ProcessGridTest, IdsBeyondTheGridOfTheModuleHaveNone) {
  EXPECT_EQ(GridOf(kAllReduce, AllReduce(kTwoGroups), "mhlo.num_partitions = 8 : i32"), Grid())
      << "the module has one replica, the op names four";
}

TEST(ProcessGridTest, OpsThatWaitForOthersCannotRunByThemselves) {
  const std::string send =
      "%t = stablehlo.create_token : !stablehlo.token\n%0 = \"stablehlo.send\"(%a, %t) "
      "<{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
      "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>, "
      "!stablehlo.token) -> !stablehlo.token";
  EXPECT_EQ(GridOf("stablehlo.send", send, "mhlo.num_partitions = 2 : i32"), Grid());
}

TEST(ProcessGridTest, ManualComputationsTakeTheTensorsOfAllPartitions) {
  const std::string manual = R"(%0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>]
      out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%p: tensor<2xf32>) {
    %1 = stablehlo.partition_id : tensor<ui32>
    sdy.return %p : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>)";
  const std::string mesh = "sdy.mesh @m = <[\"x\"=4]>\n";
  EXPECT_EQ(GridOf("sdy.manual_computation", manual, "", mesh), Grid());
  EXPECT_EQ(GridOf("stablehlo.partition_id", manual, "", mesh), (Grid{1, 4})) << "but not the ops in them";
}

TEST(ProcessGridTest, AbsurdNumbersHaveNoGrid) {
  EXPECT_EQ(GridOf(kAllReduce, AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"),
                   "mhlo.num_partitions = 2147483647 : i32, mhlo.num_replicas = 2147483647 : i32"),
            Grid());
  EXPECT_EQ(GridOf(kAllReduce, AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"),
                   "mhlo.num_partitions = -1 : i32, mhlo.num_replicas = 2 : i32"),
            Grid());
}

}  // namespace
}  // namespace opbyop::generator
