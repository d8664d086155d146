// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests regions that use constants from outside of the region.
#include <gmock/gmock.h>

#include <string>

#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using ::testing::ElementsAre;

TEST(HostCapturedConstant, IsUsedByASort) {
  const auto r = Runner().Run(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %three = stablehlo.constant dense<3.0> : tensor<f32>
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.remainder %x, %three : tensor<f32>
      %q = stablehlo.remainder %y, %three : tensor<f32>
      %1 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })",
                              {Bytes({2.f, 4.f, 3.f, 5.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(3, 4, 2, 5));
}

TEST(HostCapturedConstant, IsUsedByAReduceOfUnsignedNumbers) {
  const auto r = Runner().Run(R"(func.func @main(%a: tensor<3xui8>) -> tensor<ui8> {
    %two = stablehlo.constant dense<2> : tensor<ui8>
    %zero = stablehlo.constant dense<0> : tensor<ui8>
    %0 = stablehlo.reduce(%a init: %zero) across dimensions = [0] : (tensor<3xui8>, tensor<ui8>) -> tensor<ui8>
      reducer(%x: tensor<ui8>, %y: tensor<ui8>) {
        %1 = stablehlo.divide %y, %two : tensor<ui8>
        %2 = stablehlo.add %x, %1 : tensor<ui8>
        stablehlo.return %2 : tensor<ui8>
      }
    return %0 : tensor<ui8>
  })",
                              {Bytes<uint8_t>({200, 9, 3})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint8_t>(), ElementsAre(105));
}

}  // namespace
}  // namespace opbyop::host
