// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A selection of a manifest's rows, as ranges of row numbers. The header of a results file holds it in this form.
//
//   FormatRows({0, 1, 2, 7});              // "0-2,7"
//   *ParseRowRanges("0-2,7", 9);           // {{0, 2}, {7, 7}}
//   *ParseRows("0-2,7", 9);                // {1, 1, 1, 0, 0, 0, 0, 1, 0}
//   FormatRows({});                        // "none", because an empty text means all rows
//
// Rows are numbered from 0 in the manifest's order (Rows() of manifests/cases/manifest.h). The header also holds the
// manifest's hash, so the numbers always mean the same rows.
#ifndef OPBYOP_MANIFESTS_CASES_ROW_RANGES_H_
#define OPBYOP_MANIFESTS_CASES_ROW_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

struct RowRange {
  uint64_t first = 0;
  uint64_t last = 0;  // included

  bool operator==(const RowRange&) const = default;
};

// Both take ascending numbers.
std::string FormatRowRanges(const std::vector<RowRange>& ranges);
std::string FormatRows(const std::vector<size_t>& rows);

// nullopt if the text is not a list of ascending ranges below `count`. The result has as many ranges as the text, so a
// wrong `count` from a file cannot use up memory.
std::optional<std::vector<RowRange>> ParseRowRanges(std::string_view text, uint64_t count);

// Returns for each of `count` existing rows whether it is selected.
std::optional<std::vector<bool>> ParseRows(std::string_view text, size_t count);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_ROW_RANGES_H_
