// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/tally.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace opbyop::exhaustive {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tally Part(uint64_t first_code, double ulp) {
  return {.values = 100,
          .open = 2,
          .unbounded = 1,
          .mismatches = 3,
          .nan_mismatches = 1,
          .inf_mismatches = 1,
          .max_abs = ulp / 10,
          .max_rel = ulp / 100,
          .max_ulp = ulp,
          .bound_ratio = ulp / 2,
          .rule = "ulp<=2",
          .first = Point{first_code, "1", "2", "3", 1},
          .worst = {{first_code, "1", "2", "3", ulp / 2}, {first_code + 1, "1", "2", "3", ulp / 4}}};
}

TEST(TallyTest, CountsAddUpAndTheWorstStays) {
  Tally tally = Part(20, 4);
  tally.Add(Part(10, 8));
  EXPECT_EQ(tally.values, 200);
  EXPECT_EQ(tally.open, 4);
  EXPECT_EQ(tally.unbounded, 2);
  EXPECT_EQ(tally.mismatches, 6);
  EXPECT_EQ(tally.max_ulp, 8);
  EXPECT_EQ(tally.bound_ratio, 4);
  EXPECT_EQ(tally.first->code, 10U);
  EXPECT_EQ(tally.worst.front().code, 10U);
}

TEST(TallyTest, TheOrderOfThePartsDoesNotMatter) {
  Tally forth, back;
  for (uint64_t i = 0; i < 8; ++i) {
    forth.Add(Part(10 * i, static_cast<double>(i)));
    back.Add(Part(10 * (7 - i), static_cast<double>(7 - i)));
  }
  EXPECT_EQ(ToJson(forth), ToJson(back));
  EXPECT_EQ(forth.worst.size(), 5U);
}

TEST(TallyTest, JsonKeepsEverything) {
  Tally tally = Part(0xFFFF'FFFF, kInf);
  EXPECT_EQ(ToJson(TallyOf(nlohmann::json::parse(ToJson(tally).dump()))), ToJson(tally));
  EXPECT_EQ(ToJson(TallyOf(ToJson(Tally{}))), ToJson(Tally{}));
}

TEST(TallyTest, AComparisonIsOverTheValuesByBitPattern) {
  const Comparison comparison = Part(0x3F80'0000, 4).ToComparison("f32");
  EXPECT_EQ(comparison.elements, 100);
  EXPECT_FALSE(comparison.accepted);
  EXPECT_EQ(comparison.worst.front().index, std::vector<int64_t>{0x3F80'0000});
  EXPECT_EQ(comparison.policy, "exhaustive");
  EXPECT_TRUE(Tally{}.ToComparison("f32").accepted);
}

TEST(TallyTest, APointIsDescribedByAllItsBits) {
  EXPECT_EQ(Describe({0x3C00, "1", "2", "3", 1}, 16), "0x3c00 (1): got 2, expected 3");
  EXPECT_EQ(Describe({1, "1e-45", "0", "1e-45", 1}, 32), "0x00000001 (1e-45): got 0, expected 1e-45");
}

}  // namespace
}  // namespace opbyop::exhaustive
