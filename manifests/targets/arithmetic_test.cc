// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manifests/formats/yaml.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

Expected<Arithmetic> Read(const std::string& text) {
  Expected<YamlMap> top = ParseYaml(text, "target.yaml");
  Arithmetic arithmetic = ReadArithmetic(*top);
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return arithmetic;
}

TEST(ArithmeticTest, NothingIsDeclaredByDefault) {
  EXPECT_EQ(*Read("{}"), Arithmetic());
  EXPECT_FALSE(Arithmetic().flushes.any());
  EXPECT_EQ(ToText(Arithmetic()), "");
}

TEST(ArithmeticTest, PrecisionIsDeclaredByProduct) {
  const auto read = Read("precision: {dot_general: tf32x3, convolution: bf16x9}");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->precision.at("dot_general"), "tf32x3");
  EXPECT_EQ(read->precision.at("convolution"), "bf16x9");
}

TEST(ArithmeticTest, SumsOfReplicasAreEqualUnlessDeclared) {
  EXPECT_FALSE(Read("sums_of_replicas: equal")->replicas_may_differ);
  const auto read = Read("sums_of_replicas: may_differ");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->replicas_may_differ);
  EXPECT_EQ(ArithmeticFromJson(ArithmeticToJson(*read)), *read);
  EXPECT_EQ(ToText(*read), "the sum of a group may differ between its processes");
  const auto wrong = Read("sums_of_replicas: maybe");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("`sums_of_replicas` is `equal` or `may_differ`, found 'maybe'"));
}

TEST(ArithmeticTest, AnUnknownPrecisionIsRefused) {
  const auto op = Read("precision: {tanh: bf16}");
  ASSERT_FALSE(op);
  EXPECT_THAT(op.error().message, HasSubstr("`tanh`"));
  const auto name = Read("precision: {dot_general: fast}");
  ASSERT_FALSE(name);
  EXPECT_THAT(name.error().message, HasSubstr("unknown precision `fast` of dot_general: expected f32, tf32"));
}

TEST(ArithmeticTest, TheFirstMatchingAccumulatorApplies) {
  const auto read = Read(
      "accumulation:\n"
      "- {ops: [dot_general], operands: f8, bits: 14, rounding: toward_zero, block: 32, promoted: 128}\n"
      "- {ops: [dot_general, convolution], bits: 24, rounding: toward_zero}\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->AccumulatorOf("dot_general", "f8E4M3FN", "f8E5M2")->bits, 14);
  EXPECT_EQ(read->AccumulatorOf("dot_general", "f8E4M3FN", "bf16")->bits, 24);
  EXPECT_TRUE(read->AccumulatorOf("convolution", "f32", "f32")->toward_zero);
  EXPECT_EQ(read->AccumulatorOf("dot", "f32", "f32"), nullptr);
  EXPECT_EQ(read->AccumulatorOf("dot_general", "complex<f64>", "f64"), nullptr) << "where no operands are named";
}

TEST(ArithmeticTest, AnInvalidAccumulatorIsRefusedWithItsLine) {
  for (const auto& [text, what] :
       {std::pair("accumulation:\n- {bits: 14}", "target.yaml:2: `ops`"),
        std::pair("accumulation:\n- {ops: [tanh]}", "`tanh`: only convolution"),
        std::pair("accumulation:\n- {ops: [dot], bits: 1}", "`bits`"),
        std::pair("accumulation:\n- {ops: [dot], block: 0}", "`block`"),
        std::pair("accumulation:\n- {ops: [dot], rounding: up}", "`rounding` is `to_nearest` or `toward_zero`"),
        std::pair("stores: up", "`stores` is")}) {
    const auto read = Read(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(what));
  }
}

TEST(ArithmeticTest, FlushingIsDeclaredAsAWholeOrByParts) {
  EXPECT_TRUE(Read("flushes_subnormals: true")->flushes.operands);
  EXPECT_TRUE(Read("flushes_subnormals: true")->flushes.results);
  EXPECT_FALSE(Read("flushes_subnormals: true")->flushes.signs);
  const auto read = Read("flushes_subnormals: [results, signs]");
  EXPECT_FALSE(read->flushes.operands);
  EXPECT_TRUE(read->flushes.results);
  EXPECT_TRUE(read->flushes.signs);
  EXPECT_FALSE(Read("flushes_subnormals: maybe"));
  EXPECT_FALSE(Read("flushes_subnormals: [signs]")) << "neither as it reads nor as it writes";
  const auto word = Read("flushes_subnormals: [outputs]");
  ASSERT_FALSE(word);
  EXPECT_THAT(word.error().message, HasSubstr("a list of operands, results, signs, found 'outputs'"));
}

TEST(ArithmeticTest, JsonKeepsAllDeclarations) {
  const auto read = Read(
      "precision: {dot: bf16_toward_zero}\nstores: toward_zero\nflushes_subnormals: [operands]\nexcess_precision: "
      "true\n"
      "accumulation: [{ops: [dot], operands: f8, bits: 14, block: 4, promoted: 8}]\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*ArithmeticFromJson(ArithmeticToJson(*read)), *read);
  EXPECT_EQ(ArithmeticToJson(Arithmetic()).dump(), "{}");
  EXPECT_EQ(ArithmeticFromJson(nlohmann::json::parse(R"({"stores": 1})")), std::nullopt);
}

TEST(ArithmeticTest, TheTextHasAllDeclarations) {
  const auto read = Read(
      "precision: {dot: bf16x3}\nstores: toward_zero\nflushes_subnormals: true\nexcess_precision: true\n"
      "accumulation: [{ops: [dot], operands: f8, bits: 14, rounding: toward_zero, block: 4, promoted: 8}]\n");
  EXPECT_EQ(ToText(*read),
            "dot multiplies in bf16x3; dot of f8 adds up in 14 bits toward zero, 4 at once, f32 after 8; "
            "results narrower than f32 are rounded toward zero; subnormal numbers are taken for zero: "
            "operands, results; intermediate results narrower than f32 may stay unrounded");
}

}  // namespace
}  // namespace opbyop
