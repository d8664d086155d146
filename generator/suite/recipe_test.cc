// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/recipe.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "support/files/file.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class RecipeTest : public testing::Test {
 protected:
  Expected<Suite> Load(const std::string& recipes) const {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "recipe_test" /
                                         testing::UnitTest::GetInstance()->current_test_info()->name();
    EXPECT_TRUE(WriteFile(folder / "suite.yaml", R"(schema: opbyop-suite/1
name: tiny
version: "3"
sets:
- small: [i8, i16]
- wide: [small, i32]
)"));
    EXPECT_TRUE(WriteFile(folder / "recipes/some.yaml", "schema: opbyop-recipes/1\n" + recipes));
    return LoadSuite(folder);
  }

  std::string Refusal(const std::string& recipes) const {
    const Expected<Suite> suite = Load(recipes);
    return suite ? "no error" : suite.error().message;
  }
};

TEST_F(RecipeTest, ARecipeIsReadOnceForEachOfItsOps) {
  const Expected<Suite> suite = Load("recipes:\n- {ops: [add, chlo.erf], in: $T, covers: 'C1-C2, S1'}\n");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ(suite->version, "3");
  ASSERT_THAT(suite->recipes, SizeIs(2));
  EXPECT_EQ(suite->recipes[0].op, "stablehlo.add");
  EXPECT_EQ(suite->recipes[1].op, "chlo.erf");
  EXPECT_THAT(suite->recipes[0].covers, ElementsAre("C1-C2", "S1"));
  EXPECT_EQ(suite->recipes[0].line, 3);
}

TEST_F(RecipeTest, AnAlternativeIsEveryCombinationOfItsValuesAndOfTheSetsTheyName) {
  const Expected<Suite> suite =
      Load("recipes:\n- {ops: add, in: $T, over: [[{T: wide, S: [2, 3], covers: S1}, {T: f32, S: 5}]]}\n");
  ASSERT_TRUE(suite) << suite.error().message;
  const Axis& axis = suite->recipes[0].over[0];
  ASSERT_THAT(axis, SizeIs(7));
  EXPECT_EQ(axis[0].values, (std::map<std::string, std::string>{{"S", "2"}, {"T", "i8"}}));
  EXPECT_EQ(axis[6].values, (std::map<std::string, std::string>{{"S", "5"}, {"T", "f32"}}));
  EXPECT_THAT(axis[5].covers, ElementsAre("S1"));
  EXPECT_THAT(axis[6].covers, SizeIs(0));
}

TEST_F(RecipeTest, AnUnknownKeyIsNamedWithItsLine) {
  EXPECT_THAT(Refusal("recipes:\n- {ops: add, typo: 1}\n"), HasSubstr("some.yaml:3: unknown key `typo`"));
}

TEST_F(RecipeTest, ARecipeWithoutAnOpIsRefused) {
  EXPECT_THAT(Refusal("recipes:\n- {in: f32}\n"), HasSubstr("`ops` names no op"));
}

TEST_F(RecipeTest, AnAxisWithoutValuesIsRefused) {
  EXPECT_THAT(Refusal("recipes:\n- {ops: add, over: [[]]}\n"), HasSubstr("an axis of `over` has no value"));
}

TEST(FullIdsTest, RangesAndIdsOfOtherOpsAreExpanded) {
  EXPECT_THAT(FullIds("stablehlo.add", {"C1-C3", "S2", "constant.S1"}),
              ElementsAre("add.C1", "add.C2", "add.C3", "add.S2", "constant.S1"));
  EXPECT_THAT(FullIds("chlo.erf", {"S1"}), ElementsAre("chlo.erf.S1"));
}

}  // namespace
}  // namespace opbyop::generator
