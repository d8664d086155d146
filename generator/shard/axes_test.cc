// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/axes.h"

#include <gmock/gmock.h>

#include "generator/program/parse_for_test.h"
#include "ir/sdy/sdy.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

Sharding Read(std::string_view text, size_t rank = 2) {
  const Expected<Sharding> sharding = ReadSharding(llvm::StringRef(text), rank);
  EXPECT_TRUE(sharding) << sharding.error().message;
  return sharding.value_or(Sharding());
}

class AxesTest : public ParsingTest {
 protected:
  AxesTest() { context_.loadDialect<sdy::SdyDialect>(); }

  Sharding ReadSdy(std::string_view dimensions, std::string_view mesh = R"(["x"=2, "y"=4])") {
    auto module = Parse("sdy.mesh @m = <" + std::string(mesh) +
                        ">\nfunc.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [" +
                        std::string(dimensions) + "]>}) { return }");
    auto main = mlir::cast<mlir::func::FuncOp>(FindOp(*module, "func.func"));
    const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(main.getArgument(0)), 2, main);
    EXPECT_TRUE(sharding) << sharding.error().message;
    return sharding.value_or(Sharding());
  }
};

const Axes kX = {{.stride = 4, .size = 2}};
const Axes kY = {{.stride = 1, .size = 4}};

TEST_F(AxesTest, AnAxisIsADigitOfTheDevicesNumber) {
  EXPECT_EQ(ReadSdy(R"({"x"}, {"y"})"), (Sharding{kX, kY}));
  EXPECT_EQ(ReadSdy(R"({"y"}, {})"), (Sharding{kY, Axes()}));
}

TEST_F(AxesTest, NamesAreNoPartOfIt) {
  EXPECT_EQ(ReadSdy(R"({"tp"}, {})", R"(["dp"=2, "tp"=4])"), ReadSdy(R"({"model"}, {})", R"(["data"=2, "model"=4])"));
}

TEST_F(AxesTest, NeighbouringAxesAreOneAndOthersStayApart) {
  EXPECT_EQ(ReadSdy(R"({"x", "y"}, {})"), (Sharding{Axes{{.stride = 1, .size = 8}}, Axes()}));
  EXPECT_EQ(ReadSdy(R"({"y", "x"}, {})"), (Sharding{Axes{{1, 4}, {4, 2}}, Axes()}));
}

TEST_F(AxesTest, APartOfAnAxis) {
  EXPECT_EQ(ReadSdy(R"({"y":(1)2}, {"y":(2)2})"), (Sharding{Axes{{2, 2}}, Axes{{1, 2}}}));
}

TEST_F(AxesTest, AnOpenDimensionWithoutAxesSaysNothing) {
  EXPECT_EQ(ReadSdy(R"({?}, {"y", ?})"), (Sharding{std::nullopt, kY}));
}

TEST_F(AxesTest, OrderOfDevicesDoesNotChangeTheParts) {
  EXPECT_EQ(ReadSdy(R"({"x"}, {"y"})", R"(["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])"), (Sharding{kX, kY}));
}

TEST_F(AxesTest, AValueOfOneDeviceIsWhole) {
  auto module = Parse(R"(sdy.mesh @m = <[], device_ids=[3]>
    func.func @main(%x: tensor<4xf32>) {
      %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} :
        (tensor<4xf32>) -> tensor<4xf32>
      return
    })");
  const mlir::Value value = FindOp(*module, "stablehlo.custom_call")->getResult(0);
  const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(value), 1, value.getDefiningOp());
  ASSERT_TRUE(sharding) << sharding.error().message;
  EXPECT_EQ(*sharding, Sharding{Axes()});
}

TEST_F(AxesTest, AMeshOfTooManyDevicesIsAnError) {
  auto module = Parse(R"(sdy.mesh @m = <["x"=4294967296, "y"=4294967296]>
    func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return })");
  auto main = mlir::cast<mlir::func::FuncOp>(FindOp(*module, "func.func"));
  const Expected<Sharding> sharding = ReadSharding(sdy::ShardingOf(main.getArgument(0)), 1, main);
  ASSERT_FALSE(sharding);
  EXPECT_THAT(sharding.error().message, HasSubstr("its mesh has not 1 to 65536 devices"));
}

TEST_F(AxesTest, EverySpellingGivesTheSameAxes) {
  EXPECT_EQ(Read("{devices=[2,4]0,1,2,3,4,5,6,7}"), ReadSdy(R"({"x"}, {"y"})"));
  EXPECT_EQ(Read("{devices=[2,4]<=[8]}"), ReadSdy(R"({"x"}, {"y"})"));
  EXPECT_EQ(Read("{devices=[4,2]<=[2,4]T(1,0)}"), ReadSdy(R"({"y"}, {"x"})"));
  EXPECT_EQ(Read("{devices=[8,1]<=[2,4]T(1,0)}"), ReadSdy(R"({"y", "x"}, {})"));
  EXPECT_EQ(Read("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"), ReadSdy(R"({}, {"y"})"));
  EXPECT_EQ(Read("{devices=[2,1,4]<=[8] last_tile_dims={replicated}}"), ReadSdy(R"({"x"}, {})"));
  EXPECT_EQ(Read("{replicated}"), ReadSdy("{}, {}"));
  EXPECT_EQ(Read(""), ReadSdy("{}, {}")) << "as old exports of JAX have it, for a message without fields";
}

TEST(ReadSharding, AManualOrUnknownShardingSaysNothing) {
  EXPECT_TRUE(Read("{manual}").empty());
  EXPECT_TRUE(Read("{unknown}").empty());
}

TEST(ReadSharding, WhatIsNotUnderstoodIsAnErrorAndNotNoSharding) {
  for (const std::string_view text :
       {" ", "{foo}", "devices=[2,4]<=[8]", "{devices=[2,3]<=[8]}", "{devices=[8]<=[8]}", "{devices=[2,4]<=[8]T(0,1)}",
        "{devices=[2,4]<=[2,4]T(0,0)}", "{devices=[0,4]<=[8]}", "{devices=[2,4]<=[0]}", "{devices=[2,4]<=[]}",
        "{devices=[2,2]3,1,2,0}", "{devices=[2,4]<=[8] metadata={a}}", "{devices=[2,4]7,6,5,4,3,2,1,0}",
        "{devices=[4,4]<=[9223372036854775807,9223372036854775807]}", "{devices=[2,4]<=[99999999999999999999]}",
        "{devices=[2,1,4]<=[8] last_tile_dims={manual}}", "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}"}) {
    const Expected<Sharding> sharding = ReadSharding(llvm::StringRef(text), 2);
    ASSERT_FALSE(sharding) << text;
    EXPECT_EQ(sharding.error().code, ExitCode::kUnsupported);
    EXPECT_THAT(sharding.error().message, HasSubstr("is not understood"));
  }
}

TEST(ReadSharding, ASerializedMessageIsShownWithoutItsControlCharacters) {
  const Expected<Sharding> sharding = ReadSharding(llvm::StringRef("\b\x03\x1a\xff", 4), 1);
  ASSERT_FALSE(sharding);
  EXPECT_THAT(sharding.error().message, HasSubstr("\\08\\03\\1A\\FF"));
}

TEST(Axis, OverlapsIfADigitIsShared) {
  EXPECT_TRUE(Overlap(Axes{{1, 8}}, kX));
  EXPECT_TRUE(Overlap(Axes{{2, 2}}, kY));
  EXPECT_FALSE(Overlap(kX, kY));
  EXPECT_FALSE(Overlap(Axes(), kY));
  EXPECT_EQ(PartsOf(Axes{{1, 4}, {4, 2}}), 8);
}

}  // namespace
}  // namespace opbyop::generator
