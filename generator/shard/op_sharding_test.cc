// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/op_sharding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "generator/program/parse_for_test.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class OpShardingTest : public ParsingTest {
 protected:
  OpShardingTest() { context_.loadDialect<sdy::SdyDialect, stablehlo::StablehloDialect>(); }

  // The sharding of the op on a mesh of x=2, y=4, unless the text has one of its own; null if it has none.
  std::shared_ptr<const CaseSharding> Of(std::string_view op, const std::string& text) {
    module_ = Parse(text.starts_with("module") ? text : "sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n" + text);
    OpShardings shardings(*module_);
    ConstantFolder folder(kDefaultFoldLimit);
    auto of = shardings.Of(FindOp(*module_, op), FindInputs(FindOp(*module_, op), folder));
    not_divided_ = shardings.NotDivided();
    return of;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<std::string> not_divided_;
};

constexpr std::string_view kBoth = R"({sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>})";
constexpr std::string_view kX = R"({sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})";

std::string Negate(std::string_view sharding, std::string_view type = "tensor<16x8xf32>") {
  return fmt::format("func.func @main(%a: {0} {1}) -> {0} {{\n%0 = stablehlo.negate %a : {0}\nreturn %0 : {0} }}", type,
                     sharding);
}

TEST_F(OpShardingTest, OperandsAndResultsHaveTheDivisionOfTheirValues) {
  const auto sharding = Of("stablehlo.dot_general", R"(
    func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                    %b: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] :
        (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
      return
    })");
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->partitions, 8);
  EXPECT_THAT(TextsOf(sharding->inputs, 8), ElementsAre("{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
                                                        "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"));
  EXPECT_THAT(TextsOf(sharding->outputs, 8), ElementsAre("{devices=[2,4]<=[8]}"));
  EXPECT_EQ(sharding->source, ShardingSource::kRules) << "the program does not state that of the result";
}

TEST_F(OpShardingTest, TheWholeProgramHasTheDivisionsOfItsArgumentsAndResults) {
  const auto module = Parse("sdy.mesh @m = <[\"x\"=2, \"y\"=4]>\n" + Negate(kX));
  const auto sharding = OpShardings(*module).Of(module.get().lookupSymbol<mlir::FunctionOpInterface>("main"));
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->partitions, 8);
  EXPECT_THAT(TextsOf(sharding->inputs, 8), ElementsAre("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"));
  EXPECT_EQ(sharding->outputs, sharding->inputs);
  const auto whole = Parse(Negate(""));
  EXPECT_FALSE(OpShardings(*whole).Of(whole.get().lookupSymbol<mlir::FunctionOpInterface>("main")));
}

TEST_F(OpShardingTest, WhatTheProgramStatesComesFromIt) {
  const auto sharding = Of("sdy.sharding_constraint", R"(
    func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
      %0 = sdy.sharding_constraint %a <@m, [{}, {"y"}]> : tensor<16x8xf32>
      return
    })");
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->source, ShardingSource::kProgram);
}

TEST_F(OpShardingTest, AManualComputationIsDividedAsItsBodyWants) {
  const auto manual = [](const std::string& axes) {
    return R"(func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
      %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>]
          manual_axes={)" +
           axes + R"(} (%b: tensor<8x8xf32>) {
        %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            source_target_pairs = dense<[[0, 4], [4, 0]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
        sdy.return %1 : tensor<8x8xf32>
      } : (tensor<16x8xf32>) -> tensor<16x8xf32>
      return
    })";
  };
  const auto sharding = Of("sdy.manual_computation", manual(R"("x", "y")"));
  ASSERT_TRUE(sharding);
  EXPECT_THAT(TextsOf(sharding->inputs, 8), ElementsAre("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"));
  EXPECT_THAT(TextsOf(sharding->outputs, 8), ElementsAre("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"));
  EXPECT_FALSE(Of("sdy.manual_computation", manual(R"("x")"))) << "the axis y is left to the partitioner";
}

TEST_F(OpShardingTest, AllSpellingsOfOneShardingAreOneCase) {
  const auto digest = [&](const std::string& text) {
    const auto sharding = Of("stablehlo.negate", text);
    return sharding ? WithSharding({1, 2}, *sharding) : Digest();
  };
  const Digest first = digest(Negate(kX));
  EXPECT_EQ(digest("module { sdy.mesh @other = <[\"tp\"=2, \"dp\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n" +
                   Negate(R"({sdy.sharding = #sdy.sharding<@other, [{"tp"}, {}]>})") + "}"),
            first);
  EXPECT_EQ(digest("module attributes {mhlo.num_partitions = 8 : i32} {" +
                   Negate(R"({mhlo.sharding = "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"})") + "}"),
            first);
  EXPECT_NE(digest(Negate(R"({sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>})")), first);
  EXPECT_NE(digest("module { sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n" + Negate(kX) + "}"), first) << "other devices";
  EXPECT_NE(first, (Digest{1, 2})) << "the op without shardings is another case";
}

TEST_F(OpShardingTest, AnOpOfWholeTensorsHasNone) {
  EXPECT_FALSE(Of("stablehlo.negate", Negate("")));
  EXPECT_FALSE(Of("stablehlo.negate", Negate(R"({sdy.sharding = #sdy.sharding<@m, [{}, {}]>})")));
}

TEST_F(OpShardingTest, AnUnevenDimensionIsDivided) {
  const auto sharding = Of("stablehlo.negate", Negate(kBoth, "tensor<6x8xf32>"));
  ASSERT_TRUE(sharding);
  EXPECT_THAT(TextsOf(sharding->inputs, 8), ElementsAre("{devices=[4,2]<=[2,4]T(1,0)}"));
  EXPECT_THAT(TextsOf(sharding->outputs, 8), ElementsAre("{devices=[4,2]<=[2,4]T(1,0)}"));
}

TEST_F(OpShardingTest, ADimensionWithoutElementsIsWhole) {
  const auto sharding = Of("stablehlo.negate", Negate(kBoth, "tensor<0x8xf32>"));
  ASSERT_TRUE(sharding);
  EXPECT_THAT(TextsOf(sharding->inputs, 8), ElementsAre("{devices=[1,2,4]<=[8] last_tile_dim_replicate}"));
  EXPECT_THAT(not_divided_, ElementsAre("argument 0 of @main: dimension 0 has no elements"));
}

TEST_F(OpShardingTest, ARuleDividesOtherSizesEvenly) {
  const auto sharding = Of("stablehlo.reshape", R"(
    func.func @main(%a: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
      %0 = stablehlo.reshape %a : (tensor<6x3xf32>) -> tensor<18xf32>
      return
    })");
  ASSERT_TRUE(sharding);
  EXPECT_THAT(TextsOf(sharding->outputs, 8), ElementsAre("{replicated}"));
}

TEST_F(OpShardingTest, WhatIsNotUnderstoodLeavesItsValueWhole) {
  EXPECT_FALSE(Of("stablehlo.negate", Negate(R"({mhlo.sharding = "{foo}"})")));
  EXPECT_THAT(not_divided_,
              ElementsAre(StartsWith("argument 0 of @main: mhlo.sharding = \"{foo}\" is not understood")));
  EXPECT_FALSE(Of("stablehlo.negate", "module { sdy.mesh @m = <[\"x\"=131072]>\n" + Negate(kX) + "}"));
  EXPECT_THAT(not_divided_, ElementsAre(HasSubstr("its mesh has not 1 to 65536 devices")));
}

TEST_F(OpShardingTest, OtherValuesKeepTheirShardings) {
  const auto sharding = Of("stablehlo.add", R"(
    func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                    %b: tensor<16x8xf32> {mhlo.sharding = "{foo}"}) {
      %0 = stablehlo.add %a, %b : tensor<16x8xf32>
      return
    })");
  ASSERT_TRUE(sharding);
  EXPECT_THAT(not_divided_, ElementsAre(StartsWith("argument 1 of @main: ")));
}

TEST_F(OpShardingTest, AResultIsNamedByItsOp) {
  Of("stablehlo.negate", R"(
    func.func @main(%a: tensor<0x8xf32>) {
      %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}]>]>} : tensor<0x8xf32>
      return
    })");
  EXPECT_THAT(not_divided_, ElementsAre(StartsWith("result 0 of stablehlo.negate")));
}

TEST_F(OpShardingTest, APartlySummedValueIsNoted) {
  Of("stablehlo.negate", Negate(R"({sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>})"));
  EXPECT_THAT(not_divided_, ElementsAre(HasSubstr("it is unreduced")));
}

TEST_F(OpShardingTest, TheBodyOfAManualComputationAndSeveralReplicasHaveNone) {
  EXPECT_FALSE(Of("stablehlo.negate", R"(func.func @main(%a: tensor<8xf32>) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
        (%b: tensor<4xf32>) {
      %1 = stablehlo.negate %b : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return })"));
  EXPECT_TRUE(not_divided_.empty());
  EXPECT_FALSE(Of("stablehlo.negate",
                  "module attributes {mhlo.num_replicas = 2 : i32} { sdy.mesh @m = <[\"x\"=2]>\n" + Negate(kX) + "}"));
  EXPECT_THAT(not_divided_, ElementsAre(HasSubstr("2 replicas")));
}

}  // namespace
}  // namespace opbyop::generator
