// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A choice among the rows of a manifest, as the header of a results file holds it: ranges of row numbers.
//
//   FormatRowRanges({0, 1, 2, 7});         // "0-2,7"
//   *ParseRowRanges("0-2,7", 9);           // {1, 1, 1, 0, 0, 0, 0, 1, 0}
//   FormatRowRanges({});                   // "none": an empty text would be all rows to a header
//
// Rows are numbered from 0 in the manifest's order (Rows() of manifests/manifest.h); the header also holds the hash of
// the manifest, so the numbers cannot come to mean other rows.
#ifndef OPBYOP_MANIFESTS_ROW_RANGES_H_
#define OPBYOP_MANIFESTS_ROW_RANGES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

// `rows` in ascending order.
std::string FormatRowRanges(const std::vector<size_t>& rows);

// For each of `count` rows whether it is chosen. nullopt where the text is no list of ranges below `count`.
std::optional<std::vector<bool>> ParseRowRanges(std::string_view text, size_t count);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_ROW_RANGES_H_
