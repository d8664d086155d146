// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/demands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Counts Of(int pass, int unsupported = 0, int fail = 0) {
  Counts counts;
  for (int i = 0; i < pass; ++i) counts.Add(Status::kPass);
  for (int i = 0; i < unsupported; ++i) counts.Add(Status::kUnsupported);
  for (int i = 0; i < fail; ++i) counts.Add(Status::kFail);
  return counts;
}

std::vector<std::string> UnmetOf(const std::string& min_pass, const std::string& fail_on, const Counts& counts) {
  const Expected<Demands> demands = ParseDemands(min_pass, fail_on);
  EXPECT_TRUE(demands) << demands.error().message;
  return Unmet(*demands, counts);
}

TEST(DemandsTest, ANumberOfRowsMustPass) {
  EXPECT_THAT(UnmetOf("3", "", Of(3, 1)), IsEmpty());
  EXPECT_THAT(UnmetOf("4", "", Of(3, 1)), ElementsAre("3 of 4 rows pass, 4 must (--min-pass=4)"));
  EXPECT_THAT(UnmetOf("5", "", Of(4)), ElementsAre(HasSubstr("4 of 4 rows pass, 5 must"))) << "more than there are";
}

TEST(DemandsTest, AShareOfAllRowsIsNeverRoundedDown) {
  EXPECT_THAT(UnmetOf("75%", "", Of(3, 1)), IsEmpty());
  EXPECT_THAT(UnmetOf("75.1%", "", Of(3, 1)), ElementsAre(HasSubstr("4 must")));
  EXPECT_THAT(UnmetOf("66.7%", "", Of(2, 1)), ElementsAre(HasSubstr("3 must"))) << "2 of 3 are 66.67 %";
  EXPECT_THAT(UnmetOf("100%", "", Of(99999, 1)), ElementsAre(HasSubstr("100000 must")));
  EXPECT_THAT(UnmetOf("0%", "", Of(0, 1)), IsEmpty());
  EXPECT_THAT(UnmetOf("30%", "", Of(3, 7)), IsEmpty());
}

TEST(DemandsTest, AnUnjudgedStatusCanBeMadeRed) {
  EXPECT_THAT(UnmetOf("", "inconclusive,unsupported", Of(3, 2)),
              ElementsAre("2 of 5 rows are unsupported (--fail-on)"));
  EXPECT_THAT(UnmetOf("", "skipped", Of(3, 2)), IsEmpty());
  EXPECT_THAT(UnmetOf("", "mistrusted", Of(1)), IsEmpty()) << "the older word is read";
}

TEST(DemandsTest, GivenDemandsOverrideThoseOfTheRun) {
  const Demands run = ParseDemands("95%", "skipped").value();
  EXPECT_THAT(Over({}, run).Flags(), ElementsAre("--min-pass=95%", "--fail-on=skipped"));
  EXPECT_THAT(Over(ParseDemands("0", "").value(), run).Flags(), ElementsAre("--min-pass=0", "--fail-on=skipped"));
  EXPECT_THAT(Over(ParseDemands("", "unsupported").value(), run).Flags(),
              ElementsAre("--min-pass=95%", "--fail-on=unsupported"));
}

TEST(DemandsTest, NoRowsMeetEveryDemand) { EXPECT_THAT(UnmetOf("100%", "unsupported", {}), IsEmpty()); }

TEST(DemandsTest, AnInvalidDemandIsAUsageError) {
  for (const char* text : {"x", "-1", "101%", "5.5", "%", "1e99", "nan", "inf", "5 %"}) {
    const Expected<Demands> demands = ParseDemands(text, "");
    ASSERT_FALSE(demands) << text;
    EXPECT_EQ(demands.error().code, ExitCode::kUsage);
  }
  for (const char* text : {"fail", "pass", "nosuch", ",", "unsupported;skipped"}) {
    EXPECT_FALSE(ParseDemands("", text)) << text;
  }
}

TEST(DemandsTest, FlagsReproduceTheDemands) {
  EXPECT_THAT(ParseDemands("95%", "mistrusted,skipped")->Flags(),
              ElementsAre("--min-pass=95%", "--fail-on=inconclusive,skipped"));
  EXPECT_THAT(Demands().Flags(), IsEmpty());
}

}  // namespace
}  // namespace opbyop
