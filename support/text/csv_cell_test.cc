// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/csv_cell.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(CsvCellTest, FormulasBecomeText) {
  for (const char* text : {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "-A1", "+1-1", "-"}) {
    EXPECT_EQ(CsvCell(text), "\"'" + std::string(text) + "\"");
  }
  EXPECT_EQ(CsvCell("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(CsvCell("\r=1"), "\"'\r=1\"");
}

TEST(CsvCellTest, NumbersStayNumbers) {
  for (const char* text : {"-1.5", "+3", "-1e-300", "1.5", "0", "-inf", "+2.3 %", "-4 ms", "-1.5%"}) {
    EXPECT_EQ(CsvCell(text), text);
  }
}

TEST(CsvCellTest, OtherTextIsQuotedIfNeeded) {
  EXPECT_EQ(CsvCell("stablehlo.add"), "stablehlo.add");
  EXPECT_EQ(CsvCell("a, b"), "\"a, b\"");
  EXPECT_EQ(CsvCell("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(CsvCell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvCell(""), "");
}

TEST(CsvCellTest, ControlCharactersAreReplaced) { EXPECT_EQ(CsvCell("a\x1b[31mb\x1b"), "ab\xEF\xBF\xBD"); }

}  // namespace
}  // namespace opbyop
