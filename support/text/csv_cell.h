// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a text as a CSV cell (RFC 4180).
//
//   CsvCell("add, f32")      // "\"add, f32\""
//   CsvCell("=1+1")          // "\"'=1+1\"": a spreadsheet would compute it
//   CsvCell("-1.5 %")        // "-1.5 %": a number is not computed
#ifndef OPBYOP_SUPPORT_TEXT_CSV_CELL_H_
#define OPBYOP_SUPPORT_TEXT_CSV_CELL_H_

#include <string>
#include <string_view>

namespace opbyop {

// Quoted if needed; safe to print (support/text/safe_text.h). A text that a spreadsheet would take for a formula,
// because it starts with =, +, -, @, a tab or the end of a line, gets an apostrophe in front, unless it is a number.
std::string CsvCell(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_CSV_CELL_H_
