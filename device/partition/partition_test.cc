// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/partition/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kDevices = 8;
const Axes kHalves = {{.stride = 4, .size = 2}};
const Axes kQuarters = {{.stride = 1, .size = 4}};

class PartitionTest : public testing::Test {
 protected:
  PartitionTest() : context_(mlir::MLIRContext::Threading::DISABLED) {}

  // The program of one device, or the message of the error.
  std::string Partition(const std::string& program, std::vector<Division> inputs, std::vector<Division> outputs) {
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(program, "test.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    const Expected<Partitioning> how = PartitionProgram(
        **module, {.partitions = kDevices, .inputs = std::move(inputs), .outputs = std::move(outputs)});
    if (!how) return how.error().message;
    how_ = *how;
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    EXPECT_TRUE(mlir::succeeded(mlir::verify(**module))) << text;
    return text;
  }

  mlir::MLIRContext context_;
  Partitioning how_;
};

const std::string kDot = R"(func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})";

TEST_F(PartitionTest, AProductByRowsAndColumnsNeedsNoCollective) {
  const std::string local = Partition(kDot, {{kHalves, {}}, {{}, kQuarters}}, {{kHalves, kQuarters}});
  EXPECT_THAT(local, HasSubstr("(tensor<4x16xf32>, tensor<16x1xf32>) -> tensor<4x1xf32>"));
  EXPECT_THAT(local, Not(HasSubstr("all_")));
  EXPECT_EQ(how_.ToText(), "by rules");
}

TEST_F(PartitionTest, AnAllReduceFollowsAProductOverADividedDimension) {
  const std::string local = Partition(kDot, {{{}, kQuarters}, {kQuarters, {}}}, {{{}, {}}});
  EXPECT_THAT(local, HasSubstr("(tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>"));
  EXPECT_THAT(local, HasSubstr("all_reduce"));
  EXPECT_THAT(local, HasSubstr("dense<[[0, 1, 2, 3], [4, 5, 6, 7]]>"));
}

TEST_F(PartitionTest, OperandsAreBroughtToOneDivision) {
  const std::string local = Partition(kDot, {{{}, kHalves}, {kQuarters, {}}}, {{kHalves, {}}});
  EXPECT_THAT(local, HasSubstr("all_gather")) << "the rows of the result come first, so operand 0 is gathered";
  EXPECT_THAT(local, HasSubstr("dense<[[0, 4], [1, 5], [2, 6], [3, 7]]>"));
  EXPECT_THAT(local, HasSubstr("partition_id"));
}

// Two devices exchange their parts, of this type.
std::string Manual(const std::string& axes, const std::string& sharding, const std::string& part) {
  return R"(sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@m, )" +
         sharding + ">] out_shardings=[<@m, " + sharding + ">] manual_axes={" + axes + "} (%b: " + part + R"() {
        %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            source_target_pairs = dense<[[0, 4], [4, 0]]> : tensor<2x2xi64>}> : ()" +
         part + ") -> " + part + "\nsdy.return %1 : " + part + R"(
      } : (tensor<8x16xf32>) -> tensor<8x16xf32>
      return %0 : tensor<8x16xf32>
    })";
}

TEST_F(PartitionTest, TheBodyOfAManualComputationIsTheProgramOfADevice) {
  const std::string program = Manual(R"("x", "y")", R"([{"x"}, {"y"}])", "tensor<4x4xf32>");
  const std::string local = Partition(program, {{kHalves, kQuarters}}, {{kHalves, kQuarters}});
  EXPECT_THAT(local, HasSubstr("func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32>"));
  EXPECT_THAT(local, HasSubstr("collective_permute"));
  EXPECT_THAT(local, Not(HasSubstr("manual_computation")));
  EXPECT_EQ(how_.ToText(), "by rules");
  EXPECT_THAT(Partition(program, {{{}, kQuarters}}, {{kHalves, kQuarters}}), HasSubstr("partition_id"))
      << "the operand is brought to the division of the body";
}

TEST_F(PartitionTest, AManualComputationOverSomeOfTheDevicesIsRefused) {
  EXPECT_THAT(Partition(Manual(R"("x")", R"([{"x"}, {}])", "tensor<4x16xf32>"), {{kHalves, {}}}, {{kHalves, {}}}),
              HasSubstr("over 2 of 8 devices"));
}

TEST_F(PartitionTest, NarrowFloatsAreSummedInF32) {
  const std::string local =
      Partition(R"(func.func @main(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>) -> tensor<4x4xbf16> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    return %0 : tensor<4x4xbf16>
  })",
                {{{}, kQuarters}, {kQuarters, {}}}, {{{}, {}}});
  EXPECT_THAT(local, HasSubstr("-> tensor<4x4xf32>"));
  EXPECT_THAT(local, HasSubstr("(tensor<4x4xf32>) -> tensor<4x4xbf16>"));
}

TEST_F(PartitionTest, AReductionWhoseInitialValueCountsOnceIsGathered) {
  const auto reduce = [&](const std::string& init) {
    return Partition(
        "func.func @main(%a: tensor<8xf32>) -> tensor<f32> {\n%c = stablehlo.constant dense<" + init +
            "> : tensor<f32>\n%0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = "
            "[0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>\n}",
        {{kQuarters}}, {{}});
  };
  EXPECT_THAT(reduce("0.0"), HasSubstr("all_reduce"));
  EXPECT_THAT(reduce("1.0"), Not(HasSubstr("all_reduce")));
}

TEST_F(PartitionTest, AnOpWithoutARuleRunsOnWholeOperands) {
  const std::string local = Partition(R"(func.func @main(%a: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
    %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  })",
                                      {{kHalves, kQuarters}}, {{kHalves, kQuarters}});
  EXPECT_THAT(local, HasSubstr("(tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>"));
  EXPECT_THAT(how_.gathered, ElementsAre("stablehlo.fft"));
  EXPECT_EQ(how_.ToText(), "gathered for stablehlo.fft");
}

TEST_F(PartitionTest, ShardingsOfOtherTensorsAreErrors) {
  EXPECT_EQ(Partition(kDot, {{{}, {}}}, {{{}, {}}}), "@main has 2 arguments and 1 results, its sharding 1 and 1");
  const std::string empty = R"(func.func @main(%a: tensor<0xf32>) -> tensor<0xf32> { return %a : tensor<0xf32> })";
  EXPECT_THAT(Partition(empty, {{kHalves}}, {{kHalves}}), HasSubstr("no static tensor of its division"));
}

TEST_F(PartitionTest, AnUnevenDimensionOfTheResultHasPadding) {
  const std::string local = Partition(R"(func.func @main(%a: tensor<9x2xf32>) -> tensor<9x2xf32> {
    %0 = stablehlo.negate %a : tensor<9x2xf32>
    return %0 : tensor<9x2xf32>
  })",
                                      {{kQuarters, {}}}, {{kQuarters, {}}});
  EXPECT_THAT(local, HasSubstr("stablehlo.negate %arg0 : tensor<3x2xf32>"));
  EXPECT_THAT(local, Not(HasSubstr("all_gather")));
  EXPECT_EQ(how_.ToText(), "by rules");
}

TEST_F(PartitionTest, PaddingDoesNotCountInASum) {
  const std::string local = Partition(R"(func.func @main(%a: tensor<4x9xf32>, %b: tensor<9x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x9xf32>, tensor<9x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  })",
                                      {{{}, kQuarters}, {kQuarters, {}}}, {{{}, {}}});
  EXPECT_THAT(local, HasSubstr("(tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>"));
  EXPECT_EQ(llvm::StringRef(local).count("stablehlo.select"), 2U) << local;
}

TEST_F(PartitionTest, UnevenPartsOfFewerDevicesBeginElsewhere) {
  const std::string local = Partition(R"(func.func @main(%a: tensor<10xf32>) -> tensor<10xf32> {
    return %a : tensor<10xf32>
  })",
                                      {{Axes{{4, 2}, {1, 4}}}}, {{kHalves}});
  EXPECT_THAT(local, HasSubstr("tensor<2xf32>) -> tensor<16xf32>")) << "all of it is gathered";
  EXPECT_THAT(local, HasSubstr("-> tensor<5xf32>"));
}

TEST_F(PartitionTest, AFactorOfDimensionsOfTwoSizesIsGatheredIfItIsUneven) {
  Partition(R"(func.func @main(%a: tensor<9x2xf32>) -> tensor<18xf32> {
    %0 = stablehlo.reshape %a : (tensor<9x2xf32>) -> tensor<18xf32>
    return %0 : tensor<18xf32>
  })",
            {{kQuarters, {}}}, {{{}}});
  EXPECT_EQ(how_.ToText(), "gathered for stablehlo.reshape");
}

}  // namespace
}  // namespace opbyop::device
