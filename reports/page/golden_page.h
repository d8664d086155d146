// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Page data in a file that both sides are tested with: the code that writes it, and the page, which reads it
// (reports/web/src/*_test.ts).
//
//   EXPECT_EQ(data, GoldenPage("page.json", data));   // rewritten if OPBYOP_UPDATE_GOLDEN is set
#ifndef OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_
#define OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace opbyop::reports {

// The content of reports/web/src/testdata/NAME; null if it cannot be read.
nlohmann::json GoldenPage(std::string_view name, const nlohmann::json& data);

// A field of a packed item (reports/page/page_columns.h). Throws if items of its kind have no such field.
nlohmann::json PackedField(const nlohmann::json& page, std::string_view kind, const nlohmann::json& item,
                           std::string_view field);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_
