// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/ttnn_placements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::command {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Placement kDram = {"Dram", "Interleaved", {1, 1}};

constexpr std::string_view kAliases = R"(#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#system_memory = #ttnn.buffer_type<system_memory>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x4>, memref<1x1x!ttcore.tile<32x32, bf16>, #l1>, <block_sharded>>
#layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #system_memory>>
)";

Placements Of(std::string_view function) { return TtnnPlacements(std::string(kAliases) + std::string(function)); }

TEST(TtnnPlacementsTest, AliasesAreFollowed) {
  const Placements placements = Of(R"(module {
  func.func @main(%arg0: tensor<64x64xbf16, #layout>, %arg1: tensor<64x64xbf16, #layout1>)
      -> tensor<64x64xbf16, #layout2> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
)");
  EXPECT_THAT(placements.inputs, ElementsAre(kDram, Placement{"L1", "BlockSharded", {8, 4}}));
  EXPECT_THAT(placements.outputs, ElementsAre(Placement{"System", "RowMajor", {1, 1}}));
}

TEST(TtnnPlacementsTest, AttributesOfArgumentsAreNoPlacements) {
  const Placements placements =
      Of("func.func @main(%a: tensor<4xf32, #layout> {t.x = #t<local = tensor<4xf32>>}) -> (tensor<4xf32, #layout> "
         "{t.y}) {");
  EXPECT_THAT(placements.inputs, ElementsAre(kDram));
  EXPECT_THAT(placements.outputs, ElementsAre(kDram));
}

TEST(TtnnPlacementsTest, TheGenericFormIsRead) {
  const Placements placements = TtnnPlacements(
      R"("func.func"() <{function_type = (tensor<3xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>) -> (), sym_name = "main"}> ({)");
  EXPECT_THAT(placements.inputs, ElementsAre(kDram));
  EXPECT_TRUE(placements.outputs.empty());
}

TEST(TtnnPlacementsTest, ShapesAreThoseOfOneDevice) {
  const auto shapes = ReadTtnnShapes(std::string(kAliases) +
                                     "func.func @main(%a: tensor<4x16xbf16, #layout> {t.x = tensor<8x64xbf16>}, %b: "
                                     "tensor<f32, #layout>) -> (tensor<4x!ttcore.tile<32x32, bf16>, #layout1>) {");
  ASSERT_TRUE(shapes);
  EXPECT_THAT(shapes->inputs, ElementsAre(ElementsAre(4, 16), IsEmpty()));
  EXPECT_THAT(shapes->outputs, ElementsAre(ElementsAre(4)));
  EXPECT_FALSE(ReadTtnnShapes("func.func @other(%a: tensor<4xf32, #layout>) {"));
}

TEST(TtnnPlacementsTest, OtherFunctionsDoNotCount) {
  const Placements placements = Of(R"(
  func.func private @main_const_eval(%a: tensor<4xf32, #layout1>) -> tensor<4xf32, #layout1> {
  func.func @main(%a: tensor<4xf32, #layout>) -> tensor<4xf32, #layout> {
)");
  EXPECT_THAT(placements.inputs, ElementsAre(kDram));
}

TEST(TtnnPlacementsTest, AGridOnOtherCoresHasItsOwnSize) {
  const Placements placements = TtnnPlacements(
      "func.func @main(%a: tensor<4xf32, #ttnn.ttnn_layout<(d0) -> (0, d0), <1x8, (d0, d1) -> (0, d0, d1)>, "
      "memref<1x1x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1_small>>, <width_sharded>, exactGrid = true>>) {");
  EXPECT_THAT(placements.inputs, ElementsAre(Placement{"L1Small", "WidthSharded", {1, 8}}));
}

TEST(TtnnPlacementsTest, IfOneLayoutIsUnknownThereAreNoPlacements) {
  for (const char* function : {
           "func.func @main(%a: tensor<4xf32, #layout>, %b: tensor<4xf32>) -> tensor<4xf32, #layout> {",
           "func.func @main(%a: tensor<4xf32, #unknown>) -> tensor<4xf32, #layout> {",
           "func.func @main(%a: tensor<4xf32, #ttnn.ttnn_layout<(d0) -> (d0), <1x>, memref<4xf32, #dram>>>) {",
           "func.func @main(%a: tensor<4xf32, #layout>) -> tensor<4xf32, #layout",
           "func.func @other(%a: tensor<4xf32, #layout>) -> tensor<4xf32, #layout> {",
           "",
       }) {
    EXPECT_TRUE(Of(function).empty()) << function;
  }
}

TEST(TtnnPlacementsTest, TruncatedTextGivesNothingOrTheSamePlacements) {
  constexpr std::string_view kFunction = "func.func @main(%a: tensor<4xf32, #layout>) -> tensor<4xf32, #layout1> {";
  const Placements whole = Of(kFunction);
  for (size_t size = 0; size < kFunction.size(); ++size) {
    const Placements cut = Of(kFunction.substr(0, size));
    EXPECT_TRUE(cut.empty() || cut.inputs == whole.inputs) << size;
  }
}

TEST(TtnnPlacementsTest, AnAliasOfItselfDoesNotLoop) {
  EXPECT_TRUE(
      TtnnPlacements("#a = #ttnn.ttnn_layout<#a, #a, #a, #a>\nfunc.func @main(%a: tensor<4xf32, #a>) {").empty());
}

}  // namespace
}  // namespace opbyop::command
