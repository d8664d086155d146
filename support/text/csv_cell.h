// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A text as a cell of CSV, RFC 4180.
//
//   CsvCell("add, f32")      // "\"add, f32\""
//   CsvCell("=1+1")          // "\"'=1+1\"": a spreadsheet would compute it
//   CsvCell("-1.5 %")        // "-1.5 %": a number is none of these
#ifndef OPBYOP_SUPPORT_TEXT_CSV_CELL_H_
#define OPBYOP_SUPPORT_TEXT_CSV_CELL_H_

#include <string>
#include <string_view>

namespace opbyop {

// Quoted where it must be; safe to print (support/text/safe_text.h). What a spreadsheet takes for a formula, because it
// begins with =, +, -, @, a tab or the end of a line, gets an apostrophe in front, unless it is a number.
std::string CsvCell(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_CSV_CELL_H_
