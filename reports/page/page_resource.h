// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bundled scripts and styles of index.html, of profile.html and of a history's page. They are generated from
// reports/web at build time.
#ifndef OPBYOP_REPORTS_PAGE_PAGE_RESOURCE_H_
#define OPBYOP_REPORTS_PAGE_PAGE_RESOURCE_H_

#include <string_view>

namespace opbyop::reports {

extern const std::string_view kPageScript;
extern const std::string_view kPageStyle;
extern const std::string_view kProfileScript;
extern const std::string_view kProfileStyle;
extern const std::string_view kHistoryScript;
extern const std::string_view kHistoryStyle;

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PAGE_RESOURCE_H_
