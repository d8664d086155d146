// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opbyop {
namespace {

TEST(ResultTest, AComparisonSaysWhereTheNumbersAreRandom) {
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

}  // namespace
}  // namespace opbyop
