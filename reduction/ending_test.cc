// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/ending.h"

#include <gtest/gtest.h>

namespace opbyop::reduction {
namespace {

CaseRecord Wrong(std::string got, std::string expected, std::vector<int64_t> index) {
  CaseRecord record;
  record.status = Status::kFail;
  record.stage = "compare";
  record.diagnostic = "output 0: got " + got + ", expected " + expected;
  Comparison comparison;
  comparison.accepted = false;
  comparison.worst.push_back({std::move(index), std::move(got), std::move(expected), 7});
  record.comparisons.push_back(comparison);
  return record;
}

CaseRecord Failed(std::string diagnostic) {
  CaseRecord record;
  record.status = Status::kFail;
  record.stage = "lower";
  record.diagnostic = std::move(diagnostic);
  return record;
}

TEST(Ending, WrongNumbersEndAlikeForEveryShapeAndBound) {
  EXPECT_EQ(EndingOf(Wrong("1.5", "-2", {3, 4}), {}), EndingOf(Wrong("0", "1e-30", {0}), {}));
}

TEST(Ending, DistinguishesNanForANumberFromANumberForNan) {
  EXPECT_NE(EndingOf(Wrong("nan", "1", {0}), {}), EndingOf(Wrong("1", "nan", {0}), {}));
  EXPECT_EQ(EndingOf(Wrong("nan", "1", {0}), {}).Text(), "fail in compare: nan for a number");
}

TEST(Ending, IgnoresShapesAndPlacesOfADiagnostic) {
  EXPECT_EQ(EndingOf(Failed("line 3: tensor<4x4xf32> does not fit"), {}),
            EndingOf(Failed("line 12: tensor<1xf32> does not fit"), {}));
}

TEST(Ending, DistinguishesDiagnostics) {
  EXPECT_NE(EndingOf(Failed("no pattern for tanh"), {}), EndingOf(Failed("no pattern for sine"), {}));
}

TEST(Ending, IgnoresThePolicy) {
  EXPECT_EQ(EndingOf(Failed("under sweep: it hangs"), {}), EndingOf(Failed("it hangs"), {}));
}

}  // namespace
}  // namespace opbyop::reduction
