// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manifests/results/results_file.h"

namespace opbyop {
namespace {

TEST(ResultTest, AComparisonSaysIfTheNumbersAreRandom) {
  const nlohmann::json plain = Comparison(), random = Comparison{.random = true};
  EXPECT_FALSE(plain.contains("random"));
  EXPECT_TRUE(random.get<Comparison>().random);
  EXPECT_FALSE(plain.get<Comparison>().random);
}

TEST(ResultTest, ThePoliciesThatFailedAreNamedOnce) {
  CaseRecord record;
  record.sets = {{.policy = "domain", .status = Status::kPass},
                 {.policy = "edge", .status = Status::kFail},
                 {.policy = "sweep", .status = Status::kSkipped},
                 {.policy = "edge#2", .status = Status::kCrash}};
  EXPECT_EQ(FailedPolicies(record), std::vector<std::string>{"edge"});
  EXPECT_TRUE(FailedPolicies(CaseRecord()).empty());
}

TEST(ResultTest, PoliciesThatJudgedNothingOfACaseAreNamedWithTheirReasons) {
  CaseRecord record = {.status = Status::kPass};
  record.sets = {{.policy = "domain", .status = Status::kPass},
                 {.policy = "sparse", .status = Status::kSkipped, .diagnostic = "too large", .judged_nothing = true},
                 {.policy = "edge", .status = Status::kInconclusive, .judged_nothing = true},
                 {.policy = "sweep", .status = Status::kSkipped, .twin = "add_4_f32"},
                 {.policy = "edge#seed7", .status = Status::kInconclusive, .judged_nothing = true}};
  EXPECT_EQ(UnjudgedPolicies(record), "nothing was judged under sparse: too large; under edge");
  record.status = Status::kInconclusive;
  EXPECT_EQ(UnjudgedPolicies(record), "") << "its status says so";
}

TEST(ResultTest, TheFurtherDrawCanBeRemoved) {
  CaseRecord record;
  record.sets = {{.policy = "domain", .status = Status::kFail}, {.policy = "edge#seed7", .status = Status::kFail}};
  record.comparisons.emplace_back().policy = "domain";
  record.comparisons.emplace_back().policy = "edge#seed7";
  EXPECT_EQ(FailedPolicies(record, Draws::kFixed), std::vector<std::string>{"domain"});
  EXPECT_EQ(FailedPolicies(record), (std::vector<std::string>{"domain", "edge"}));
  EXPECT_EQ(FailedFreshDraw(record), &record.sets[1]);
  DropFreshDraw(record);
  EXPECT_EQ(record.sets.size(), 1u);
  EXPECT_EQ(record.comparisons.size(), 1u);
  EXPECT_EQ(FailedFreshDraw(record), nullptr);
}

TEST(ResultTest, HowACaseEndedWithoutTheFurtherDrawIsWrittenAndRead) {
  CaseRecord record = {.id = "a", .status = Status::kFail, .stage = "compare", .diagnostic = "under edge#seed7: wrong"};
  EXPECT_EQ(EndOfFixedDraws(record).status, Status::kFail);
  record.fixed = {Status::kInconclusive, "compare", "all zero"};
  const Expected<CaseRecord> read = ParseCaseRecord(ToJsonLine(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(EndOfFixedDraws(*read).status, Status::kInconclusive);
  EXPECT_EQ(EndOfFixedDraws(*read).stage, "compare");
  EXPECT_EQ(EndOfFixedDraws(*read).diagnostic, "all zero");
}

}  // namespace
}  // namespace opbyop
