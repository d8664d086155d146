// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/combine.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace opbyop::generator {
namespace {

using testing::SizeIs;

// A recipe with axes a, b, ... of these sizes.
Recipe WithAxes(const std::vector<int>& sizes) {
  Recipe recipe{.op = "stablehlo.add", .smoke = 3};
  for (size_t a = 0; a < sizes.size(); ++a) {
    Axis& axis = recipe.over.emplace_back();
    for (int i = 0; i < sizes[a]; ++i) {
      axis.push_back({{{std::string(1, static_cast<char>('a' + a)), std::to_string(i)}}, {}});
    }
  }
  return recipe;
}

std::set<std::string> ValuesOf(const std::vector<Binding>& bindings, const std::string& name) {
  std::set<std::string> values;
  for (const Binding& binding : bindings) values.insert(binding.values.at(name));
  return values;
}

TEST(CombineTest, ARecipeWithoutAxesIsOneProgram) {
  EXPECT_THAT(Combine(WithAxes({}), Level::kSmoke), SizeIs(1));
  EXPECT_THAT(Combine(WithAxes({}), Level::kFull), SizeIs(1));
}

TEST(CombineTest, FullHasEveryPairOfValuesInFarFewerThanAllPrograms) {
  const std::vector<Binding> bindings = Combine(WithAxes({5, 4, 3, 4}), Level::kFull);
  std::set<std::string> pairs;
  for (const Binding& binding : bindings) {
    for (const auto& [left, i] : binding.values) {
      for (const auto& [right, j] : binding.values) {
        if (left < right) pairs.insert(left + i + right + j);
      }
    }
  }
  EXPECT_THAT(pairs, SizeIs(5 * 4 + 5 * 3 + 5 * 4 + 4 * 3 + 4 * 4 + 3 * 4));
  EXPECT_LT(bindings.size(), 40U) << "240 is the product";
}

TEST(CombineTest, EachRoundPairsEachValueWithOtherValues) {
  Recipe recipe = WithAxes({10, 7});
  recipe.full = 3;
  const std::vector<Binding> bindings = Combine(recipe, Level::kFull);
  EXPECT_THAT(bindings, SizeIs(30));
  EXPECT_THAT(ValuesOf(bindings, "a"), SizeIs(10));
  EXPECT_THAT(ValuesOf(bindings, "b"), SizeIs(7));
}

TEST(CombineTest, SmokeTakesTheFirstTheLastAndSomeBetween) {
  const std::vector<Binding> bindings = Combine(WithAxes({9, 2}), Level::kSmoke);
  EXPECT_THAT(bindings, SizeIs(3));
  EXPECT_THAT(ValuesOf(bindings, "a"), testing::ElementsAre("0", "4", "8"));
  EXPECT_THAT(ValuesOf(bindings, "b"), testing::ElementsAre("0", "1"));
}

TEST(CombineTest, AProgramCoversTheRequirementsOfItsRecipeAndItsValues) {
  Recipe recipe = WithAxes({1, 1});
  recipe.covers = {"C1"};
  recipe.over[1][0].covers = {"S2"};
  EXPECT_THAT(Combine(recipe, Level::kFull)[0].covers, testing::ElementsAre("C1", "S2"));
}

}  // namespace
}  // namespace opbyop::generator
