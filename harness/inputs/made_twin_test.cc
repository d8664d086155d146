// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/made_twin.h"

#include <gmock/gmock.h>

#include <memory>

#include "harness/inputs/twins.h"
#include "manifests/cases/case_sharding.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

Case Product() {
  return {.id = "dot_general_x",
          .op = "stablehlo.dot_general",
          .kind = OpKind::kMatmul,
          .inputs = std::vector<TensorType>{{{128, 4096}, "bf16"}, {{4096, 14336}, "bf16"}},
          .outputs = std::vector<TensorType>{{{128, 14336}, "bf16"}}};
}

constexpr std::string_view kProduct = R"(module {
  func.func @main(%a: tensor<128x4096xbf16>, %b: tensor<4096x14336xbf16>) -> tensor<128x14336xbf16> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x4096xbf16>, tensor<4096x14336xbf16>) -> tensor<128x14336xbf16>
    return %0 : tensor<128x14336xbf16>
  }
})";

TEST(MadeTwinTest, TheExtentsOfAProductStillFitTogether) {
  const std::optional<MadeTwin> twin = MakeTwin(Product(), kProduct);
  ASSERT_TRUE(twin);
  const auto& a = twin->c.inputs[0].shape;
  const auto& b = twin->c.inputs[1].shape;
  EXPECT_EQ(a[1], b[0]);
  EXPECT_EQ(twin->c.outputs[0].shape, (std::vector<int64_t>{a[0], b[1]}));
  EXPECT_NE(a[1], b[1]) << "different extents stay different";
  EXPECT_NE(a[0], a[1]);
  EXPECT_LE(ElementsOf(twin->c), kTwinElements);
  EXPECT_GT(ElementsOf(twin->c), kTwinElements / 16) << "no smaller than it must be";
  EXPECT_THAT(twin->program, HasSubstr("tensor<" + std::to_string(a[0]) + "x" + std::to_string(a[1]) + "xbf16>"));
  EXPECT_THAT(twin->program, Not(HasSubstr("4096")));
  EXPECT_THAT(twin->program, HasSubstr("contracting_dims = [1] x [0]"));
  EXPECT_EQ(twin->shapes, "(" + std::to_string(a[0]) + "x" + std::to_string(a[1]) + ", " + std::to_string(b[0]) + "x" +
                              std::to_string(b[1]) + ") -> (" + std::to_string(a[0]) + "x" + std::to_string(b[1]) +
                              ")");
}

TEST(MadeTwinTest, DevicesHavePartsOfOneSizeIfThoseOfTheCaseAre) {
  Case c = Product();
  const Division whole = {{}, {}}, columns = {{}, {{.stride = 1, .size = 4}}};
  CaseSharding sharding{.partitions = 8, .inputs = {whole, columns}, .outputs = {columns}};
  c.sharding = std::make_shared<const CaseSharding>(sharding);
  const std::optional<MadeTwin> twin = MakeTwin(c, kProduct);
  ASSERT_TRUE(twin);
  EXPECT_EQ(twin->c.outputs[0].shape[1] % 4, 0) << twin->shapes;
  EXPECT_NE(twin->c.outputs[0].shape[1], twin->c.outputs[0].shape[0]);

  sharding.outputs = {{{{.stride = 1, .size = 7}}, {}}};
  c.sharding = std::make_shared<const CaseSharding>(sharding);
  EXPECT_TRUE(MakeTwin(c, kProduct)) << "128 is no multiple of 7, so that the parts of the case have padding too";
}

TEST(MadeTwinTest, AnExtentOfOneStaysOneAndOthersDoNotBecomeOne) {
  Case c = Product();
  c.inputs = std::vector<TensorType>{{{1, 5000000}, "f32"}};
  c.outputs = std::vector<TensorType>{{{1, 5000000}, "f32"}};
  const std::optional<MadeTwin> twin = MakeTwin(c, "module { tensor<1x5000000xf32> tensor<i1> }");
  ASSERT_TRUE(twin);
  EXPECT_EQ(twin->c.inputs[0].shape[0], 1);
  EXPECT_GT(twin->c.inputs[0].shape[1], 1 << 15) << "long enough for all values of 16 bits";
  EXPECT_THAT(twin->program, HasSubstr("tensor<i1>"));
}

TEST(MadeTwinTest, OfConstantsWithAnElementPerPlaceAndOfDynamicExtentsThereIsNone) {
  EXPECT_FALSE(MakeTwin(Product(), std::string(kProduct) + " dense<[1, 2]> : tensor<2xi32>"));
  EXPECT_FALSE(MakeTwin(Product(), std::string(kProduct) + " tensor<?x4xf32>"));
  EXPECT_FALSE(MakeTwin(Product(), std::string(kProduct) + " tensor<4x!quant.uniform<i8:f32, 0.5>>"));
  EXPECT_FALSE(MakeTwin(Product(), "ML\xefR")) << "bytecode";
}

TEST(MadeTwinTest, OnlyLargeCasesWithoutIndicesHaveOne) {
  Case c = Product();
  EXPECT_TRUE(MayHaveMadeTwin(c));
  c.op = "stablehlo.gather";
  EXPECT_FALSE(MayHaveMadeTwin(c));
  c.op = "stablehlo.add";
  c.kind = OpKind::kElementwiseBinary;
  EXPECT_TRUE(MayHaveMadeTwin(c));
  c.inputs = std::vector<TensorType>{{{128, 128}, "f32"}};
  c.outputs = c.inputs;
  EXPECT_FALSE(MayHaveMadeTwin(c));
}

TEST(TwinOfLoopTest, IsJudgedAsALayerOnItsOwnShapes) {
  const Case loop{.id = "while_1", .op = "stablehlo.while", .file = "a.mlir"};
  const protocol::SmallerProgram smaller{"module {}", "3 of 32 trips", {{{3, 8}, "bf16"}}, {{{}, "i32"}}};
  const MadeTwin twin = TwinOfLoop(loop, smaller, "too much");
  EXPECT_TRUE(twin.c.is_judged_as_model());
  EXPECT_EQ(twin.c.id, "while_1_twin");
  EXPECT_EQ(twin.c.bytes, 3 * 8 * 2 + 4);
  EXPECT_EQ(twin.shapes, "(3x8) -> (), 3 of 32 trips");
}

}  // namespace
}  // namespace opbyop::harness
