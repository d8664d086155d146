// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opbyop {
namespace {

const std::vector<std::string> kVerbs = {"split", "profile", "report", "repro", "run", "baseline"};

TEST(NearestTest, FindsANameWithAMissingOrWrongLetter) {
  EXPECT_EQ(Nearest("pofile", kVerbs), "profile");
  EXPECT_EQ(Nearest("proflie", kVerbs), "profile");
  EXPECT_EQ(Nearest("SPLIT", kVerbs), "split");
  EXPECT_EQ(Nearest("rnu", kVerbs), "run");
  EXPECT_EQ(Nearest("reprot", kVerbs), "report") << "of two the nearer, not the first";
}

TEST(NearestTest, ProposesNothingForADifferentWord) {
  EXPECT_EQ(Nearest("xyz", kVerbs), std::nullopt);
  EXPECT_EQ(Nearest("", kVerbs), std::nullopt);
  EXPECT_EQ(Nearest("split", {}), std::nullopt);
  EXPECT_EQ(Nearest(std::string(1'000'000, 's'), kVerbs), std::nullopt);
}

TEST(NearestTest, AProposalIsPartOfAMessage) {
  EXPECT_EQ(DidYouMean("splitt", kVerbs), "did you mean split? ");
  EXPECT_EQ(DidYouMean("xyz", kVerbs), "");
}

}  // namespace
}  // namespace opbyop
