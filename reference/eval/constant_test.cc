// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Expected<Values> Constant(const std::string& elements, const std::string& type, const std::string& resources = "") {
  return EvaluateText("func.func @main() -> " + type + " {\n  %0 = stablehlo.constant " + elements + " : " + type +
                      "\n  return %0 : " + type + "\n}\n" + resources);
}

std::vector<uint8_t> Booleans(const std::string& elements, const std::string& type) {
  const Expected<Values> results = Constant(elements, type);
  EXPECT_TRUE(results.has_value()) << results.error().message;
  return results ? Elements<uint8_t>((*results)[0].tensor()) : std::vector<uint8_t>();
}

TEST(ConstantTest, BooleanHexHasAByteOrABitPerElement) {
  EXPECT_THAT(Booleans(R"(dense<"0x0100010000000001">)", "tensor<8xi1>"), ElementsAre(1, 0, 1, 0, 0, 0, 0, 1));
  EXPECT_THAT(Booleans(R"(dense<"0x85">)", "tensor<8xi1>"), ElementsAre(1, 0, 1, 0, 0, 0, 0, 1));
  EXPECT_THAT(Booleans(R"(dense<"0x01FF00">)", "tensor<3xi1>"), ElementsAre(1, 1, 0));
  std::string bytes = "dense<\"0x";
  for (int i = 0; i < 200; ++i) bytes += "01";
  EXPECT_THAT(Booleans(bytes + "\">", "tensor<2x100xi1>"), AllOf(testing::SizeIs(200), Each(1)));
}

TEST(ConstantTest, ElidedElementsAreAnErrorThatSaysWhatToDo) {
  const Expected<Values> results = Constant("dense_resource<__elided__>", "tensor<4xf32>");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kBadInput);
  EXPECT_THAT(results.error().message,
              AllOf(HasSubstr("test.mlir:2: "), HasSubstr("elided when the module was printed"), HasSubstr("split")));
}

TEST(ConstantTest, AMissingResourceIsAnErrorThatNamesIt) {
  const Expected<Values> results = Constant("dense_resource<weights>", "tensor<4xf32>");
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().message,
              AllOf(HasSubstr("dense_resource<weights> is not in the file"), HasSubstr("dialect_resources")));
}

TEST(ConstantTest, AnExistingResourceIsRead) {
  const Expected<Values> results =
      Constant("dense_resource<weights>", "tensor<2xf32>",
               "{-# dialect_resources: { builtin: { weights: \"0x040000000000803F00000040\" } } #-}\n");
  ASSERT_TRUE(results.has_value()) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 2));
}

}  // namespace
}  // namespace opbyop::reference
