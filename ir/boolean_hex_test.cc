// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/boolean_hex.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(RepackBooleanHex, PacksOneBytePerElementAndKeepsTheColumnsOfTheTextAfterIt) {
  std::string text = "%c = stablehlo.constant dense<\"0x0100010101010101000001\"> : tensor<11xi1> loc(#a)";
  size_t size = text.size(), type = text.find("> : tensor");
  EXPECT_EQ(RepackBooleanHex(text), 1);
  EXPECT_EQ(text, "%c = stablehlo.constant dense<\"0xFD04\"                  > : tensor<11xi1> loc(#a)");
  EXPECT_EQ(text.size(), size);
  EXPECT_EQ(text.find("> : tensor"), type);
}

TEST(RepackBooleanHex, TakesAnyNonZeroByteForTrue) {
  std::string text = "dense<\"0xFF00\">:tensor<1x2xi1>";
  EXPECT_EQ(RepackBooleanHex(text), 1);
  EXPECT_EQ(text, "dense<\"0x01\"  >:tensor<1x2xi1>");
}

TEST(RepackBooleanHex, LeavesOtherTextUnchanged) {
  for (const char* kept : {
           "dense<\"0xFD04\"> : tensor<11xi1>",      // packed already
           "dense<\"0x01000000\"> : tensor<1xi32>",  // another type
           "dense<\"0x0100\"> : tensor<2xi16>",      // i1 is only the start of its name
           "dense<\"0x01\"> : tensor<i1>",           // one element reads the same either way
           "dense<\"0x0100\"> : tensor<?xi1>",       // no shape
           "dense<\"0x01zz\"> : tensor<2xi1>",       // no hex
           "dense<\"0x0100",                         // cut off
           "dense<\"0x0100\"> : tensor<2xi",         // cut off
           "dense<\"0x0100\"> : tensor<99999999999999999999x2xi1>",
       }) {
    std::string text = kept;
    EXPECT_EQ(RepackBooleanHex(text), 0) << kept;
    EXPECT_EQ(text, kept);
  }
}

TEST(RepackBooleanHex, FindsEveryConstant) {
  std::string text =
      "dense<\"0x0100\"> : tensor<2xi1>, dense<\"0x01\"> : tensor<2xi1>, dense<\"0x0001\"> : tensor<2xi1>";
  EXPECT_EQ(RepackBooleanHex(text), 2);
}

TEST(HasBooleanHexTest, KnowsTheTypeOfADigit) {
  EXPECT_TRUE(HasBooleanHex("dense<\"0x0000\"> : tensor<4xi32>, dense<\"0xFD04\"> : tensor<11xi1>"));
  EXPECT_FALSE(HasBooleanHex("dense<\"0x0000\"> : tensor<4xi32>, dense<true> : tensor<11xi1>"));
  EXPECT_FALSE(HasBooleanHex("dense<\"0xFD04"));
}

}  // namespace
}  // namespace opbyop
