// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/run_differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RunDifferencesTest, LongValuesAreShownAroundTheirDifference) {
  const std::string pipeline(5000, 'x');
  const std::string text = RunDifferences({{"a", pipeline + "old" + pipeline}}, {{"a", pipeline + "new" + pipeline}});
  EXPECT_THAT(text, HasSubstr("old"));
  EXPECT_THAT(text, HasSubstr("new"));
  EXPECT_LT(text.size(), 300u);
}

TEST(RunDifferencesTest, ManyDifferencesAreCounted) {
  const std::string text =
      RunDifferences({{"a", "1"}, {"b", "1"}, {"c.d", "1"}, {"c.e", "1"}}, {{"a", "2"}, {"b", "2"}, {"x", "2"}});
  EXPECT_THAT(text, HasSubstr("and 2 more"));
  EXPECT_THAT(text, Not(HasSubstr("c.d"))) << "details come last";
}

}  // namespace
}  // namespace opbyop
