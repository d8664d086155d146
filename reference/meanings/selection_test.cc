// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/meanings/properties.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DenseMatrix Column(const std::vector<double>& elements) {
  DenseMatrix column(static_cast<int64_t>(elements.size()), 1);
  std::ranges::copy(elements, column.elements.begin());
  return column;
}

// A selection of the two greatest of five elements at the places 0 to 4.
struct Selection {
  std::vector<double> a = {3, -1, 7, 5, 0};
  std::vector<double> values = {7, 5};
  std::vector<double> chosen = {2, 3};
  double init = -kInfinity;
  double k = 2;
  bool aggregates = true;
  bool is_exact = true;
  double recall = 0.95;
};

// The results that are refused.
std::set<std::string> Refused(const Selection& selection) {
  std::vector<double> places(selection.a.size());
  std::iota(places.begin(), places.end(), 0.0);
  const FactorParts parts{.values = {{"a", Column(selection.a)},
                                     {"places", Column(places)},
                                     {"init", Column({selection.init})},
                                     {"init_place", Column({-1})},
                                     {"values", Column(selection.values)},
                                     {"chosen", Column(selection.chosen)}},
                          .options = {{"k", selection.k},
                                      {"aggregate", selection.aggregates ? 1 : 0},
                                      {"recall", selection.recall},
                                      {"exact", selection.is_exact ? 1 : 0}}};
  std::set<std::string> refused;
  for (const Requirement& requirement : FindProperty("approximate_top_k")->judge(parts)) {
    EXPECT_EQ(requirement.errors.size(), requirement.limits.size()) << requirement.rule;
    for (size_t i = 0; i < requirement.errors.size(); ++i) {
      if (!(requirement.errors[i] <= requirement.limits[i])) refused.insert(requirement.result);
    }
  }
  return refused;
}

TEST(SelectionTest, TheGreatestElementsInOrderAreRight) { EXPECT_THAT(Refused({}), IsEmpty()); }

TEST(SelectionTest, TheLeastElementsAreThoseOfAnInitOfPlusInfinity) {
  EXPECT_THAT(Refused({.values = {-1, 0}, .chosen = {1, 4}, .init = kInfinity}), IsEmpty());
  EXPECT_THAT(Refused({.init = kInfinity}), ElementsAre("values"));
}

TEST(SelectionTest, AnElementThatIsNotThatOfItsPlaceIsRefused) {
  EXPECT_THAT(Refused({.values = {7, 5.5}}), ElementsAre("values"));
}

TEST(SelectionTest, APlaceThatIsNoneOrGivenTwiceIsRefused) {
  EXPECT_THAT(Refused({.chosen = {2, 5}}), ElementsAre("chosen"));
  EXPECT_THAT(Refused({.values = {7, 7}, .chosen = {2, 2}}), ElementsAre("chosen"));
}

TEST(SelectionTest, EqualElementsMayComeInAnyOrder) {
  EXPECT_THAT(Refused({.a = {7, 7, 7}, .values = {7, 7}, .chosen = {2, 0}}), IsEmpty());
}

TEST(SelectionTest, ElementsThatAreNotInOrderAreRefused) {
  EXPECT_THAT(Refused({.values = {5, 7}, .chosen = {3, 2}}), ElementsAre("values"));
}

TEST(SelectionTest, ASortMayMissNoElement) {
  EXPECT_THAT(Refused({.values = {7, 3}, .chosen = {2, 0}}), ElementsAre("values"));
}

TEST(SelectionTest, AnApproximationMayMissAsManyElementsAsItsRecallMakesProbable) {
  std::vector<double> a, values, chosen;
  for (int i = 0; i < 400; ++i) a.push_back(400 - i);
  const auto refused_with = [&](int misses) {
    values.clear();
    chosen.clear();
    for (int i = misses; i < 100 + misses; ++i) {
      values.push_back(400 - i);
      chosen.push_back(i);
    }
    return Refused({.a = a, .values = values, .chosen = chosen, .k = 100, .is_exact = false});
  };
  EXPECT_THAT(refused_with(5), IsEmpty());
  EXPECT_THAT(refused_with(15), IsEmpty());
  EXPECT_THAT(refused_with(40), ElementsAre("values"));
}

TEST(SelectionTest, WhatIsNotAggregatedHasNoOrderAndMayHaveOpenSlots) {
  const Selection open = {.values = {5, 0, 7, -kInfinity}, .chosen = {3, 4, 2, -1}, .aggregates = false};
  EXPECT_THAT(Refused(open), IsEmpty());
  Selection aggregated = open;
  aggregated.aggregates = true;
  EXPECT_THAT(Refused(aggregated), ElementsAre("chosen", "values"));
}

TEST(SelectionTest, NaNMayBeGreatestOrLeast) {
  const double nan = std::nan("");
  EXPECT_THAT(Refused({.a = {3, nan, 7}, .values = {nan, 7}, .chosen = {1, 2}}), IsEmpty());
  EXPECT_THAT(Refused({.a = {3, nan, 7}, .values = {7, 3}, .chosen = {2, 0}}), IsEmpty());
  EXPECT_THAT(Refused({.a = {3, nan, 7}, .values = {7, nan}, .chosen = {2, 0}}), ElementsAre("values"));
}

TEST(SelectionTest, SubnormalNumbersMayBeZeros) {
  EXPECT_THAT(Refused({.a = {-3, 1e-40, -1e-40}, .values = {0, 0}, .chosen = {2, 1}}), IsEmpty());
}

}  // namespace
}  // namespace opbyop::reference
