// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/case_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace opbyop::generator {
namespace {

using testing::ElementsAre;

TEST(CaseIdTest, NamesOpShapesAndDtype) {
  TensorType a{{128, 768}, "f32"}, b{{768, 768}, "f32"};
  EXPECT_EQ(CaseIdStem("stablehlo.dot_general", "", {a, b}, {a}), "dot_general_128x768_768x768_f32");
  EXPECT_EQ(CaseIdStem("stablehlo.add", "", {a, a}, {a}), "add_128x768_f32");
}

TEST(CaseIdTest, NamesTheResultDtypeIfItDiffers) {
  EXPECT_EQ(CaseIdStem("stablehlo.convert", "", {{{4}, "f32"}}, {{{4}, "bf16"}}), "convert_4_f32_bf16");
  EXPECT_EQ(CaseIdStem("stablehlo.real", "", {{{4}, "complex<f32>"}}, {{{4}, "f32"}}), "real_4_complex_f32_f32");
}

TEST(CaseIdTest, NamesAGridOfSeveralProcesses) {
  const TensorType a{{64}, "f32"};
  EXPECT_EQ(CaseIdStem("stablehlo.all_reduce", "", {a}, {a}, {.partitions = 8}), "all_reduce_64_f32_8p");
  EXPECT_EQ(CaseIdStem("stablehlo.all_reduce", "", {a}, {a}, {2, 4}), "all_reduce_64_f32_2r4p");
  EXPECT_EQ(CaseIdStem("stablehlo.replica_id", "", {}, {{{}, "ui32"}}, {.replicas = 2}), "replica_id_scalar_ui32_2r");
}

TEST(CaseIdTest, NamesScalarsAndDynamicDimensions) {
  EXPECT_EQ(CaseIdStem("stablehlo.abs", "", {{{}, "i32"}}, {{{}, "i32"}}), "abs_scalar_i32");
  EXPECT_EQ(CaseIdStem("stablehlo.abs", "", {{{kDynamic, 3}, "i32"}}, {{{kDynamic, 3}, "i32"}}), "abs_dx3_i32");
}

TEST(CaseIdTest, NamesTargetsAndForeignDialects) {
  EXPECT_EQ(CaseIdStem("stablehlo.composite", "chlo.erf", {{{2}, "f32"}}, {{{2}, "f32"}}), "composite_chlo_erf_2_f32");
  EXPECT_EQ(CaseIdStem("tosa.matmul", "", {{{2}, "f32"}}, {{{2}, "f32"}}), "tosa_matmul_2_f32");
}

TEST(CaseIdTest, NamesValuesThatAreNoTensorsByTheirKind) {
  TensorType tuple{{}, "tuple<tensor<4xf32>, tensor<i32>>"};
  EXPECT_EQ(CaseIdStem("stablehlo.get_tuple_element", "", {tuple}, {{{}, "i32"}}), "get_tuple_element_tuple_i32");
  EXPECT_EQ(CaseIdStem("stablehlo.after_all", "", {}, {{{}, "!stablehlo.token"}}), "after_all_token");
  EXPECT_EQ(CaseIdStem("stablehlo.abs", "", {{{}, "!quant.uniform<i8:f32, 0.5>"}}, {}), "abs_scalar_qi8_f32");
}

TEST(CaseIdTest, WithoutInputsNamesTheOutput) {
  EXPECT_EQ(CaseIdStem("stablehlo.iota", "", {}, {{{8, 8}, "i32"}}), "iota_8x8_i32");
}

TEST(CaseIdTest, StaysReadableWithManyOperands) {
  std::vector<TensorType> many;
  for (int64_t i = 1; i < 40; ++i) many.push_back({{i}, "!quant.uniform<i8:f32, 0.0013:3>"});
  std::string stem = CaseIdStem("stablehlo.while", "", many, many);
  EXPECT_LE(stem.size(), 48U) << stem;
  EXPECT_EQ(Identifier(stem), stem);
}

TEST(CaseIdTest, IdsThatCollideTakeMoreDigitsWhateverTheOrder) {
  std::vector<IdParts> parts = {{"add", "1234aaaa"}, {"add", "1234bbbb"}, {"add", "9999cccc"}};
  EXPECT_THAT(MakeIds(parts, 4), ElementsAre("add_1234aaaa", "add_1234bbbb", "add_9999"));
  std::reverse(parts.begin(), parts.end());
  EXPECT_THAT(MakeIds(parts, 4), ElementsAre("add_9999", "add_1234bbbb", "add_1234aaaa"));
}

TEST(CaseIdTest, IdentifiersHoldLettersDigitsAndSingleUnderscores) {
  EXPECT_EQ(Identifier("a.b-c  d!"), "a_b_c_d");
  EXPECT_EQ(Identifier("\xc3\xa9"), "");
}

}  // namespace
}  // namespace opbyop::generator
