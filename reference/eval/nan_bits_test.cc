// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/nan_bits.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::reference {
namespace {

class NanBitsTest : public testing::Test {
 protected:
  // Whether the NaN that the program's bitcast_convert takes has bits that its device chooses.
  bool IsFree(const std::string& program) {
    const auto module = ReadModuleFromBytes(program, "test.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    bool is_free = false;
    (**module).walk([&](stablehlo::BitcastConvertOp op) { is_free = HasFreeNanBits(op->getOperand(0)); });
    return is_free;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

constexpr char kSignBits[] = R"(
  func.func private @bits(%x: tensor<f32>) -> tensor<i32> {
    %0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<i32>
    return %0 : tensor<i32>
  })";

TEST_F(NanBitsTest, AnArgumentOfTheProgramIsGiven) {
  EXPECT_FALSE(IsFree(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
    %0 = stablehlo.reverse %x, dims = [0] : tensor<2xf32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2xf32>) -> tensor<2xi32>
    return %1 : tensor<2xi32>
  })"));
}

TEST_F(NanBitsTest, WhatAnOpComputesIsFree) {
  EXPECT_TRUE(IsFree(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
    %0 = stablehlo.sine %x : tensor<2xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<2xf32>
    %2 = stablehlo.bitcast_convert %1 : (tensor<2xf32>) -> tensor<2xi32>
    return %2 : tensor<2xi32>
  })"));
}

TEST_F(NanBitsTest, AnArgumentOfAFunctionIsWhatItsCallersPass) {
  const std::string computed = R"(func.func @main(%x: tensor<f32>) -> tensor<i32> {
    %0 = stablehlo.sine %x : tensor<f32>
    %1 = func.call @bits(%0) : (tensor<f32>) -> tensor<i32>
    return %1 : tensor<i32>
  })";
  const std::string given = R"(func.func @main(%x: tensor<f32>) -> tensor<i32> {
    %1 = func.call @bits(%x) : (tensor<f32>) -> tensor<i32>
    return %1 : tensor<i32>
  })";
  EXPECT_TRUE(IsFree(computed + kSignBits));
  EXPECT_FALSE(IsFree(given + kSignBits));
}

TEST_F(NanBitsTest, WhatALoopCarriesIsWhatItBeginsWithOrItsBodyGives) {
  const auto loop = [](const std::string& next) {
    return R"(func.func @main(%x: tensor<f32>, %n: tensor<i1>) -> tensor<i32> {
      %i = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%c = %x, %d = %i) : tensor<f32>, tensor<i32>
      cond { stablehlo.return %n : tensor<i1> }
      do {
        %1 = stablehlo.bitcast_convert %c : (tensor<f32>) -> tensor<i32>
        %2 = )" +
           next + R"( : tensor<f32>
        stablehlo.return %2, %1 : tensor<f32>, tensor<i32>
      }
      return %0#1 : tensor<i32>
    })";
  };
  EXPECT_TRUE(IsFree(loop("stablehlo.sine %c")));
  EXPECT_FALSE(IsFree(loop("stablehlo.reverse %c, dims = []")));
}

}  // namespace
}  // namespace opbyop::reference
