// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/sdy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opbyop {
namespace {

using testing::ElementsAre;

std::vector<std::string> TextsOn8(const std::vector<Division>& divisions) {
  const Expected<std::vector<std::string>> texts = ToSdyTexts(divisions, 8);
  EXPECT_TRUE(texts);
  return texts.value_or(std::vector<std::string>());
}

TEST(SdyTextTest, AnAxisOfTheMeshIsADigit) {
  EXPECT_THAT(
      TextsOn8({{{{4, 2}}, {{1, 4}}}, {{}}, {}}),
      ElementsAre(R"(#sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{"a0"}, {"a1"}]>)",
                  R"(#sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{}]>)", R"(#sdy.sharding<mesh<["a0"=2, "a1"=4]>, []>)"));
}

TEST(SdyTextTest, ADigitIsSeveralAxesIfAnotherTensorDividesIt) {
  EXPECT_THAT(TextsOn8({{{{1, 8}}}, {{{1, 4}, {4, 2}}}, {{{2, 2}}}}),
              ElementsAre(R"(#sdy.sharding<mesh<["a0"=2, "a1"=2, "a2"=2]>, [{"a0", "a1", "a2"}]>)",
                          R"(#sdy.sharding<mesh<["a0"=2, "a1"=2, "a2"=2]>, [{"a1", "a2", "a0"}]>)",
                          R"(#sdy.sharding<mesh<["a0"=2, "a1"=2, "a2"=2]>, [{"a1"}]>)"));
}

TEST(SdyTextTest, DigitsOfTwoNumberSystemsHaveNoMesh) {
  const std::vector<Division> divisions = {{{{3, 2}}}, {{{2, 3}}}};
  const Expected<std::vector<std::string>> texts = ToSdyTexts(divisions, 6);
  ASSERT_FALSE(texts);
  EXPECT_EQ(texts.error().code, ExitCode::kUnsupported);
}

}  // namespace
}  // namespace opbyop
