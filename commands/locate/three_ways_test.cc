// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/three_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/tensor/tensor.h"

namespace opbyop::locate {
namespace {

using reference::ElementType;
using reference::InputData;
using reference::Tensor;
using testing::HasSubstr;

InputData Floats(const std::vector<double>& values) {
  return {
      ElementType::kF32,
      {static_cast<int64_t>(values.size())},
      reference::TensorToBytes(Tensor::Of<double>(ElementType::kF32, {static_cast<int64_t>(values.size())}, values))};
}

class ThreeWaysTest : public testing::Test {
 protected:
  ThreeWays Measure(const std::string& body, const std::vector<double>& input, const std::vector<double>& output) {
    const std::string text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n" + body + "}";
    auto module = ReadModuleFromBytes(text, "model.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    const reduction::Program program{std::move(*module), std::vector<InputData>{Floats(input)}};
    return MeasureThreeWays(program, {Floats(output)});
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

// 1 + a loses the low bits of a, so that the difference is off by much of its size.
constexpr const char* kCancelling = R"(
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %a, %one : tensor<2xf32>
  %1 = stablehlo.subtract %0, %one : tensor<2xf32>
  return %1 : tensor<2xf32>
)";

TEST_F(ThreeWaysTest, ADeviceThatRoundsAsPromisedIsAsFarFromTheExactResult) {
  const ThreeWays ways = Measure(kCancelling, {1.1e-7, 1.3e-7}, {0x1p-23, 0x1p-23});
  ASSERT_TRUE(ways.measured()) << ways.unmeasured;
  EXPECT_GT(ways.promised, 0.05);
  EXPECT_DOUBLE_EQ(ways.device, ways.promised);
  EXPECT_TRUE(ways.IsAccumulated());
  EXPECT_THAT(ways.Text(), HasSubstr("the device is no further off than its promise"));
}

TEST_F(ThreeWaysTest, AWrongDeviceIsMuchFurtherOff) {
  const ThreeWays ways =
      Measure("%0 = stablehlo.tanh %a : tensor<2xf32>\nreturn %0 : tensor<2xf32>\n", {0.5, 0.25}, {0.5, 0.25});
  ASSERT_TRUE(ways.measured()) << ways.unmeasured;
  EXPECT_LT(ways.promised, 1e-7);
  EXPECT_GT(ways.device, 1e-2);
  EXPECT_FALSE(ways.IsAccumulated());
  EXPECT_THAT(ways.Text(), HasSubstr("times as far"));
}

TEST_F(ThreeWaysTest, AnErrorWhereThePromisedPrecisionIsExactIsAWrongOp) {
  const ThreeWays ways = Measure("return %a : tensor<2xf32>\n", {0.5, 0.25}, {0.5, 0.2});
  EXPECT_EQ(ways.promised, 0);
  EXPECT_FALSE(ways.IsAccumulated());
}

TEST_F(ThreeWaysTest, AProgramOfBitsIsNotMeasured) {
  const ThreeWays ways = Measure(R"(
    %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2xi32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  )",
                                 {0.5, 0.25}, {0.5, 0.25});
  EXPECT_FALSE(ways.measured());
  EXPECT_FALSE(ways.IsAccumulated());
  EXPECT_THAT(ways.Text(), HasSubstr("not compared with the exact results: the program cannot be written"));
}

}  // namespace
}  // namespace opbyop::locate
