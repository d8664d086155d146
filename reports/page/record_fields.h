// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fields of a result's records that a page's data has: those of manifests/results/result_fields.h but for a few.
// page_data_test.cc generates reports/web/src/record_shapes.ts from the same, so a new field is on the page.
//
//   ForEachFieldOnPage<Timing>([&](const auto& field) { names.push_back(field.key); });
#ifndef OPBYOP_REPORTS_PAGE_RECORD_FIELDS_H_
#define OPBYOP_REPORTS_PAGE_RECORD_FIELDS_H_

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "manifests/results/result_fields.h"

namespace opbyop::reports {

// Keys that the page does not show, or shows in its rows.
template <class T>
inline constexpr std::array<std::string_view, 0> kLeftOut{};
template <>
inline constexpr auto kLeftOut<Comparison> =
    std::to_array<std::string_view>({"precision_ratio", "process", "random", "range_error", "weak"});
template <>
inline constexpr auto kLeftOut<Timing> = std::to_array<std::string_view>({"clock"});
template <>
inline constexpr auto kLeftOut<InputSetRecord> =
    std::to_array<std::string_view>({"inputs_ms", "reference_cpu_ms", "reference_peak_kb"});
template <>
inline constexpr auto kLeftOut<CaseRecord> = std::to_array<std::string_view>(
    {"case", "status", "stage", "diagnostic", "first_attempt", "fixed", "reference", "placements", "partitioning",
     "left_running", "spoiled_by", "spoils", "artifact_sha256", "program_sha256", "differential"});

template <class T, class Visit>
void ForEachFieldOnPage(Visit visit) {
  const auto visit_shown = [&](const auto& field) {
    if (std::ranges::find(kLeftOut<T>, std::string_view(field.key)) == kLeftOut<T>.end()) visit(field);
  };
  std::apply([&](const auto&... field) { (visit_shown(field), ...); }, FieldsOf(static_cast<const T*>(nullptr)));
}

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_RECORD_FIELDS_H_
