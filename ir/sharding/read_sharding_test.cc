// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sharding/read_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "support/sharding/sharding_text.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

Sharding Read(std::string_view text, size_t rank = 2) {
  const Expected<Sharding> sharding = ParseSharding(text, rank);
  EXPECT_TRUE(sharding) << sharding.error().message;
  return sharding.value_or(Sharding());
}

class ReadShardingTest : public testing::Test {
 protected:
  ReadShardingTest() : context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.allowUnregisteredDialects();
    context_.loadDialect<mlir::func::FuncDialect, sdy::SdyDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> Parse(const std::string& text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context_));
    EXPECT_TRUE(module) << text;
    return module;
  }

  Sharding ReadSdy(std::string_view dimensions, std::string_view mesh = R"(["x"=2, "y"=4])") {
    auto module = Parse("sdy.mesh @m = <" + std::string(mesh) +
                        ">\nfunc.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [" +
                        std::string(dimensions) + "]>}) { return }");
    auto main = *module->getOps<mlir::func::FuncOp>().begin();
    const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(main.getArgument(0)), 2, main);
    EXPECT_TRUE(sharding) << sharding.error().message;
    return sharding.value_or(Sharding());
  }

  mlir::MLIRContext context_;
};

const Axes kX = {{.stride = 4, .size = 2}};
const Axes kY = {{.stride = 1, .size = 4}};

TEST_F(ReadShardingTest, AnAxisIsADigitOfTheDevicesNumber) {
  EXPECT_EQ(ReadSdy(R"({"x"}, {"y"})"), (Sharding{kX, kY}));
  EXPECT_EQ(ReadSdy(R"({"y"}, {})"), (Sharding{kY, Axes()}));
}

TEST_F(ReadShardingTest, NamesAreNoPartOfIt) {
  EXPECT_EQ(ReadSdy(R"({"tp"}, {})", R"(["dp"=2, "tp"=4])"), ReadSdy(R"({"model"}, {})", R"(["data"=2, "model"=4])"));
}

TEST_F(ReadShardingTest, NeighbouringAxesAreOneAndOthersStayApart) {
  EXPECT_EQ(ReadSdy(R"({"x", "y"}, {})"), (Sharding{Axes{{.stride = 1, .size = 8}}, Axes()}));
  EXPECT_EQ(ReadSdy(R"({"y", "x"}, {})"), (Sharding{Axes{{1, 4}, {4, 2}}, Axes()}));
}

TEST_F(ReadShardingTest, APartOfAnAxis) {
  EXPECT_EQ(ReadSdy(R"({"y":(1)2}, {"y":(2)2})"), (Sharding{Axes{{2, 2}}, Axes{{1, 2}}}));
}

TEST_F(ReadShardingTest, AnOpenDimensionWithoutAxesSaysNothing) {
  EXPECT_EQ(ReadSdy(R"({?}, {"y", ?})"), (Sharding{std::nullopt, kY}));
}

TEST_F(ReadShardingTest, OrderOfDevicesDoesNotChangeTheParts) {
  EXPECT_EQ(ReadSdy(R"({"x"}, {"y"})", R"(["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])"), (Sharding{kX, kY}));
}

TEST_F(ReadShardingTest, AValueOfOneDeviceIsWhole) {
  auto module = Parse(R"(sdy.mesh @m = <[], device_ids=[3]>
    func.func @main(%x: tensor<4xf32>) {
      %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} :
        (tensor<4xf32>) -> tensor<4xf32>
      return
    })");
  auto main = *module->getOps<mlir::func::FuncOp>().begin();
  const mlir::Value value = main.getBody().front().front().getResult(0);
  const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(value), 1, value.getDefiningOp());
  ASSERT_TRUE(sharding) << sharding.error().message;
  EXPECT_EQ(*sharding, Sharding{Axes()});
}

TEST_F(ReadShardingTest, AMeshOfTooManyDevicesIsAnError) {
  auto module = Parse(R"(sdy.mesh @m = <["x"=4294967296, "y"=4294967296]>
    func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return })");
  auto main = *module->getOps<mlir::func::FuncOp>().begin();
  const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(main.getArgument(0)), 1, main);
  ASSERT_FALSE(sharding);
  EXPECT_THAT(sharding.error().message, HasSubstr("its mesh has not 1 to 65536 devices"));
}

TEST_F(ReadShardingTest, EverySpellingGivesTheSameAxes) {
  EXPECT_EQ(Read("{devices=[2,4]0,1,2,3,4,5,6,7}"), ReadSdy(R"({"x"}, {"y"})"));
  EXPECT_EQ(Read("{devices=[2,4]<=[8]}"), ReadSdy(R"({"x"}, {"y"})"));
  EXPECT_EQ(Read("{devices=[4,2]<=[2,4]T(1,0)}"), ReadSdy(R"({"y"}, {"x"})"));
  EXPECT_EQ(Read("{devices=[8,1]<=[2,4]T(1,0)}"), ReadSdy(R"({"y", "x"}, {})"));
  EXPECT_EQ(Read("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"), ReadSdy(R"({}, {"y"})"));
  EXPECT_EQ(Read("{devices=[2,1,4]<=[8] last_tile_dims={replicated}}"), ReadSdy(R"({"x"}, {})"));
  EXPECT_EQ(Read("{replicated}"), ReadSdy("{}, {}"));
  EXPECT_EQ(Read(""), ReadSdy("{}, {}")) << "as old exports of JAX have it, for a message without fields";
}

}  // namespace
}  // namespace opbyop
