// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/local_ops.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "generator/program/parse_for_test.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LocalOpsTest : public ParsingTest {
 protected:
  LocalOpsTest() { context_.loadDialect<sdy::SdyDialect, stablehlo::StablehloDialect>(); }

  // "8x16, 16x4 -> 8x4": the types of the op on one device of a mesh of x=2, y=4. The op is valid, whatever they are.
  std::string TypesOf(std::string_view op, std::string_view text) {
    auto module = Parse("sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n" + std::string(text));
    Expected<LocalOps> local = LocalOps::Make(*module);
    if (!local) return local.error().message;
    mlir::Operation* made = local->Of(FindOp(*module, op));
    EXPECT_TRUE(mlir::succeeded(mlir::verify(made))) << text;
    text_.clear();
    llvm::raw_string_ostream(text_) << *made;
    std::string types;
    const auto add = [&](mlir::Type type) {
      std::string shape;
      for (const int64_t size : mlir::cast<mlir::RankedTensorType>(type).getShape()) {
        shape += (shape.empty() ? "" : "x") + std::to_string(size);
      }
      types += (types.empty() || types.ends_with(" ") ? "" : ", ") + (shape.empty() ? "scalar" : shape);
    };
    for (mlir::Type type : made->getOperandTypes()) add(type);
    types += types.empty() ? "-> " : " -> ";
    for (mlir::Type type : made->getResultTypes()) add(type);
    last_ = made;
    module_ = std::move(module);
    kept_.push_back(local->TakeModule());
    return types;
  }

  // One op on arguments with these shardings.
  std::string TypesOfOne(std::string_view op, std::string_view arguments, std::string_view body) {
    return TypesOf(op, "func.func @main(" + std::string(arguments) + ") {\n" + std::string(body) + "\nreturn }");
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> kept_;
  mlir::Operation* last_ = nullptr;
  std::string text_;
};

std::string Tensor(std::string_view name, std::string_view type, std::string_view dimensions) {
  return "%" + std::string(name) + ": tensor<" + std::string(type) + "> {sdy.sharding = #sdy.sharding<@m, [" +
         std::string(dimensions) + "]>}";
}

TEST_F(LocalOpsTest, AProductByColumnsNeedsNoCollective) {
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general",
                       Tensor("a", "16x32xf32", R"({"x"}, {})") + ", " + Tensor("b", "32x64xf32", R"({}, {"y"})"),
                       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                       "(tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>"),
            "8x32, 32x16 -> 8x16");
}

TEST_F(LocalOpsTest, AProductOverADividedDimensionIsOnePartOfTheSum) {
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general",
                       Tensor("a", "16x64xf32", R"({"x"}, {"y"})") + ", " + Tensor("b", "64x32xf32", R"({"y"}, {})"),
                       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                       "(tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>"),
            "8x16, 16x32 -> 8x32");
}

TEST_F(LocalOpsTest, ABatchIsDividedOnceForBothOperands) {
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general",
                       Tensor("a", "8x4x2xf32", R"({"y"}, {}, {})") + ", " + Tensor("b", "8x2x6xf32", "{}, {}, {}"),
                       "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                       "(tensor<8x4x2xf32>, tensor<8x2x6xf32>) -> tensor<8x4x6xf32>"),
            "2x4x2, 2x2x6 -> 2x4x6");
}

TEST_F(LocalOpsTest, TheSameAxisDividesOneDimensionOfAnOpOnly) {
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general",
                       Tensor("a", "16x32xf32", R"({"y"}, {})") + ", " + Tensor("b", "32x64xf32", R"({}, {"y"})"),
                       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                       "(tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>"),
            "4x32, 32x64 -> 4x64");
}

TEST_F(LocalOpsTest, OneValueWithTwoShardingsIsTwoArguments) {
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general", Tensor("a", "16x16xf32", R"({"x"}, {})"),
                       "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
                       "(tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>"),
            "8x16, 16x16 -> 8x16");
  EXPECT_NE(last_->getOperand(0), last_->getOperand(1));
  EXPECT_EQ(
      TypesOfOne("stablehlo.add", Tensor("a", "16xf32", R"({"x"})"), "%0 = stablehlo.add %a, %a : tensor<16xf32>"),
      "8, 8 -> 8");
  EXPECT_EQ(last_->getOperand(0), last_->getOperand(1));
}

TEST_F(LocalOpsTest, AnUnevenDimensionHasPadding) {
  EXPECT_EQ(TypesOfOne("stablehlo.negate", Tensor("a", "6x8xf32", R"({"y"}, {"x"})"),
                       "%0 = stablehlo.negate %a : tensor<6x8xf32>"),
            "2x4 -> 2x4");
  EXPECT_EQ(TypesOfOne("stablehlo.negate", Tensor("a", "0x8xf32", R"({"y"}, {"x"})"),
                       "%0 = stablehlo.negate %a : tensor<0x8xf32>"),
            "0x4 -> 0x4");
}

TEST_F(LocalOpsTest, ReductionsAndMovement) {
  const std::string rows = Tensor("a", "16x8xf32", R"({"x"}, {"y"})");
  EXPECT_EQ(TypesOfOne("stablehlo.reduce", rows + ", %z: tensor<f32>",
                       "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
                       "(tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>"),
            "8x2, scalar -> 8");
  EXPECT_EQ(TypesOfOne("stablehlo.transpose", rows,
                       "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>"),
            "8x2 -> 2x8");
  EXPECT_EQ(TypesOfOne("stablehlo.broadcast_in_dim", rows,
                       "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<16x8xf32>) -> tensor<16x3x8xf32>"),
            "8x2 -> 8x3x2");
  EXPECT_EQ(TypesOfOne("stablehlo.concatenate", rows,
                       "%0 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<16x8xf32>, tensor<16x8xf32>) -> "
                       "tensor<16x16xf32>"),
            "8x8, 8x8 -> 8x16");
  EXPECT_EQ(TypesOfOne("stablehlo.pad", rows + ", %z: tensor<f32>",
                       "%0 = stablehlo.pad %a, %z, low = [0, 1], high = [0, 0], interior = [0, 0] : "
                       "(tensor<16x8xf32>, tensor<f32>) -> tensor<16x9xf32>"),
            "8x8, scalar -> 8x9");
  EXPECT_EQ(TypesOfOne("stablehlo.reverse", rows, "%0 = stablehlo.reverse %a, dims = [0] : tensor<16x8xf32>"),
            "16x2 -> 16x2");
}

TEST_F(LocalOpsTest, SlicesHaveLimitsOfTheirOwn) {
  const std::string rows = Tensor("a", "16x8xf32", R"({"x"}, {"y"})");
  EXPECT_EQ(TypesOfOne("stablehlo.slice", rows,
                       "%0 = stablehlo.slice %a [0:16, 2:6:2] : (tensor<16x8xf32>) -> tensor<16x2xf32>"),
            "8x8 -> 8x2");
  EXPECT_EQ(TypesOfOne("stablehlo.dynamic_slice", rows + ", %i: tensor<i32>",
                       "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [16, 3] : "
                       "(tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x3xf32>"),
            "8x8, scalar, scalar -> 8x3");
  EXPECT_EQ(TypesOfOne("stablehlo.dynamic_update_slice", rows + ", %u: tensor<16x1xf32>, %i: tensor<i32>",
                       "%0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : "
                       "(tensor<16x8xf32>, tensor<16x1xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>"),
            "8x8, 8x1, scalar, scalar -> 8x8");
}

TEST_F(LocalOpsTest, AReshapeDividesTheLargestPartOfEachGroup) {
  EXPECT_EQ(TypesOfOne("stablehlo.reshape", Tensor("a", "4x32xf32", R"({"x"}, {"y"})"),
                       "%0 = stablehlo.reshape %a : (tensor<4x32xf32>) -> tensor<4x1x8x4xf32>"),
            "2x8 -> 2x1x2x4");
  EXPECT_EQ(TypesOfOne("stablehlo.reshape", Tensor("a", "4x8x4xf32", R"({}, {"y"}, {"x"})"),
                       "%0 = stablehlo.reshape %a : (tensor<4x8x4xf32>) -> tensor<4x32xf32>"),
            "4x2x4 -> 4x8")
      << "the inner part of a joined dimension is whole";
  EXPECT_EQ(TypesOfOne("stablehlo.reshape", Tensor("a", "32xf32", R"({"x", "y"})"),
                       "%0 = stablehlo.reshape %a : (tensor<32xf32>) -> tensor<4x8xf32>"),
            "32 -> 4x8")
      << "4 rows do not divide by 8";
}

TEST_F(LocalOpsTest, SortedAndCountedDimensionsAreWhole) {
  EXPECT_EQ(TypesOfOne("stablehlo.sort", Tensor("a", "16x8xf32", R"({"x"}, {"y"})"), R"(
    %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>)"),
            "8x8 -> 8x8");
  EXPECT_EQ(TypesOfOne("stablehlo.iota", "", R"(%0 = stablehlo.iota dim = 1 : tensor<16x8xi32>
    %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {"y"}]> : tensor<16x8xi32>)"),
            "-> 8x8");
}

TEST_F(LocalOpsTest, AnOpWithoutARuleIsWhole) {
  EXPECT_EQ(TypesOfOne("stablehlo.fft", Tensor("a", "16x8xcomplex<f32>", R"({"x"}, {})"),
                       "%0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<16x8xcomplex<f32>>) -> "
                       "tensor<16x8xcomplex<f32>>"),
            "16x8 -> 16x8");
}

TEST_F(LocalOpsTest, ConstantsStayConstants) {
  const std::string add = "%1 = stablehlo.add %a, %0 : tensor<8xf32>";
  const auto second = [&](std::string_view constant) {
    EXPECT_EQ(TypesOfOne("stablehlo.add", Tensor("a", "8xf32", R"({"y"})"), std::string(constant) + "\n" + add),
              "2, 2 -> 2");
    return mlir::dyn_cast_or_null<stablehlo::ConstantOp>(last_->getOperand(1).getDefiningOp());
  };
  EXPECT_TRUE(second("%0 = stablehlo.constant dense<0.5> : tensor<8xf32>"));
  EXPECT_TRUE(
      second("%c = stablehlo.constant dense<0.5> : tensor<f32>\n"
             "%0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>"));
  EXPECT_FALSE(second("%0 = stablehlo.constant dense<[1.,2.,3.,4.,5.,6.,7.,8.]> : tensor<8xf32>"))
      << "one device has a part of these elements, which is an argument";
  EXPECT_EQ(TypesOfOne("stablehlo.dot_general", Tensor("a", "8x2xf32", R"({"y"}, {})"),
                       "%c = stablehlo.constant dense<[[1., 2.], [3., 4.]]> : tensor<2x2xf32>\n"
                       "%0 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : "
                       "(tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>"),
            "2x2, 2x2 -> 2x2");
  EXPECT_TRUE(last_->getOperand(1).getDefiningOp<stablehlo::ConstantOp>()) << "a whole constant keeps its elements";
}

TEST_F(LocalOpsTest, ShardingsPassThroughCallsLoopsAndBranches) {
  EXPECT_EQ(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) {
      %0 = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
      return
    }
    func.func private @f(%b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.tanh %b : tensor<8xf32>
      return %0 : tensor<8xf32>
    })"),
            "2 -> 2");
  EXPECT_EQ(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, %p: tensor<i1>) {
      %0 = "stablehlo.while"(%a) ({
        ^bb0(%b: tensor<8xf32>):
          "stablehlo.return"(%p) : (tensor<i1>) -> ()
      }, {
        ^bb0(%b: tensor<8xf32>):
          %1 = stablehlo.tanh %b : tensor<8xf32>
          "stablehlo.return"(%1) : (tensor<8xf32>) -> ()
      }) : (tensor<8xf32>) -> tensor<8xf32>
      return
    })"),
            "2 -> 2");
  EXPECT_EQ(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) {
      %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.tanh %a : tensor<8xf32>
          "stablehlo.return"(%1) : (tensor<8xf32>) -> ()
      }, {
          "stablehlo.return"(%a) : (tensor<8xf32>) -> ()
      }) : (tensor<i1>) -> tensor<8xf32>
      %2 = sdy.sharding_constraint %0 <@m, [{"x"}]> : tensor<8xf32>
      return
    })"),
            "4 -> 4")
      << "backwards from the constraint, out of the branch";
}

TEST_F(LocalOpsTest, WhatIsStatedIsNotChanged) {
  EXPECT_EQ(TypesOfOne("stablehlo.negate", Tensor("a", "8xf32", "{}"), R"(%0 = stablehlo.negate %a : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"y"}]> : tensor<8xf32>)"),
            "2 -> 2")
      << "the op runs with the sharding of its result";
  EXPECT_EQ(TypesOfOne("stablehlo.negate", Tensor("a", "8xf32", "{}"), "%0 = stablehlo.negate %a : tensor<8xf32>"),
            "8 -> 8");
}

TEST_F(LocalOpsTest, TheBodyOfAManualComputationIsLocalAlready) {
  EXPECT_EQ(TypesOfOne("stablehlo.negate", Tensor("a", "8xf32", R"({"x"})"), R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
        (%b: tensor<4xf32>) {
      %1 = stablehlo.negate %b : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>)"),
            "4 -> 4");
  EXPECT_EQ(TypesOfOne("stablehlo.tanh", "%a: tensor<8xf32>", R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
        (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.tanh %0 : tensor<8xf32>)"),
            "4 -> 4")
      << "what it returns is sharded";
}

TEST_F(LocalOpsTest, ShardingsOfGspmd) {
  EXPECT_EQ(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) {
      %0 = stablehlo.tanh %a : tensor<16x8xf32>
      return
    })"),
            "8x2 -> 8x2");
  EXPECT_EQ(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<16x8xf32>) {
      %0 = stablehlo.tanh %a : tensor<16x8xf32>
      %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
        : (tensor<16x8xf32>) -> tensor<16x8xf32>
      return
    })"),
            "16x2 -> 16x2");
  EXPECT_THAT(TypesOf("stablehlo.tanh", R"(
    func.func @main(%a: tensor<16x8xf32> {mhlo.sharding = "{devices=[2,3]<=[8]}"}) {
      %0 = stablehlo.tanh %a : tensor<16x8xf32>
      return
    })"),
              HasSubstr("is not understood"));
}

TEST_F(LocalOpsTest, ADimensionWithoutElementsIsNoted) {
  auto module = Parse(R"(
    sdy.mesh @m = <["x"=2, "y"=4]>
    func.func @main(%a: tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
      %0 = stablehlo.tanh %a : tensor<0x8xf32>
      return
    })");
  EXPECT_THAT(LocalOps::Make(*module)->NotDivided(), ElementsAre("argument 0 of @main: dimension 0 has no elements"));
}

TEST_F(LocalOpsTest, AProgramWithoutShardingsIsAsItWas) {
  auto module = Parse("func.func @main(%a: tensor<8xf32>) { %0 = stablehlo.tanh %a : tensor<8xf32>\nreturn }");
  mlir::Operation* tanh = FindOp(*module, "stablehlo.tanh");
  EXPECT_EQ(LocalOps::Make(*module)->Of(tanh), tanh);
}

}  // namespace
}  // namespace opbyop::generator
