// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A choice among the rows of a manifest, as the header of a results file holds it: ranges of row numbers.
//
//   FormatRows({0, 1, 2, 7});              // "0-2,7"
//   *ParseRowRanges("0-2,7", 9);           // {{0, 2}, {7, 7}}
//   *ParseRows("0-2,7", 9);                // {1, 1, 1, 0, 0, 0, 0, 1, 0}
//   FormatRows({});                        // "none": an empty text would be all rows to a header
//
// Rows are numbered from 0 in the manifest's order (Rows() of manifests/cases/manifest.h); the header also holds the
// hash of the manifest, so the numbers cannot come to mean other rows.
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

// In ascending order.
std::string FormatRowRanges(const std::vector<RowRange>& ranges);
std::string FormatRows(const std::vector<size_t>& rows);

// nullopt where the text is no list of ranges below `count` in ascending order. As many as the text has: `count` may be
// what a file claims.
std::optional<std::vector<RowRange>> ParseRowRanges(std::string_view text, uint64_t count);

// For each of `count` rows, which are there, whether it is chosen.
std::optional<std::vector<bool>> ParseRows(std::string_view text, size_t count);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_ROW_RANGES_H_
