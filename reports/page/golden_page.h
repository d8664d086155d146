// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of a page as a file that the tests of both sides hold to: those that write it, and the page's own, which
// read it (reports/web/src/*_test.ts).
//
//   EXPECT_EQ(data, GoldenPage("page.json", data));   // rewritten where OPBYOP_UPDATE_GOLDEN is set
#ifndef OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_
#define OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace opbyop::reports {

// What reports/web/src/testdata/NAME holds; null where it cannot be read.
nlohmann::json GoldenPage(std::string_view name, const nlohmann::json& data);

// A field of an item that is packed (reports/page/page_columns.h). Throws where its kind has no such field.
nlohmann::json PackedField(const nlohmann::json& page, std::string_view kind, const nlohmann::json& item,
                           std::string_view field);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_GOLDEN_PAGE_H_
