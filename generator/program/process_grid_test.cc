// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/process_grid.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace opbyop::generator
