// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/layers.h"

#include <gmock/gmock.h>

#include <string>

#include "generator/program/parse_for_test.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using LayersTest = ParsingTest;

// Two layers of four ops. The mask at 2 is made within the first of them.
constexpr std::string_view kMasked = R"(
  func.func @main(%x: i32) -> i32 {
    %0 = "t.embed"(%x) : (i32) -> i32
    %1 = "t.a"(%0) : (i32) -> i32
    %2 = "t.mask"(%x) : (i32) -> i32
    %3 = "t.b"(%1, %2) : (i32, i32) -> i32
    %4 = "t.c"(%3) : (i32) -> i32
    %5 = "t.d"(%4) : (i32) -> i32
    %6 = "t.a"(%5) : (i32) -> i32
    %7 = "t.b"(%6, %2) : (i32, i32) -> i32
    %8 = "t.c"(%7) : (i32) -> i32
    %9 = "t.d"(%8) : (i32) -> i32
    %10 = "t.head"(%9) : (i32) -> i32
    return %10 : i32
  })";
constexpr int32_t kKinds[] = {0, 1, 2, 3, 4, 5, 1, 3, 4, 5, 6};

TEST_F(LayersTest, WhatLayersShareIsLeftOutOfTheFirst) {
  const auto ops = OpsOf(kMasked);
  const BlockLayers found = FindLayers(ops, kKinds, LayerNeeds::kAnyOp);
  ASSERT_EQ(found.layers.size(), 2u);
  EXPECT_THAT(found.layers[0].places, ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(found.layers[1].places, ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(found.layers[1].number, 2u);
  EXPECT_EQ(found.layers[1].copies, 2u);
}

TEST_F(LayersTest, SegmentsAreWhatIsBeforeAndAfterTheLayers) {
  const auto ops = OpsOf(kMasked);
  const BlockLayers found = FindLayers(ops, kKinds, LayerNeeds::kAnyOp);
  LayerOps layers;
  for (const Layer& layer : found.layers) {
    for (const size_t place : layer.places) layers.all.insert(ops[place]);
    layers.last.insert(ops[layer.places.back()]);
  }
  EXPECT_THAT(SegmentsAround(ops, found.is_shared, layers), ElementsAre(ElementsAre(0, 2), ElementsAre(10)));
}

TEST_F(LayersTest, ALayerMayHaveToHaveAProduct) {
  EXPECT_THAT(FindLayers(OpsOf(kMasked), kKinds, LayerNeeds::kHeavyOp).layers, IsEmpty());
}

}  // namespace
}  // namespace opbyop::generator
