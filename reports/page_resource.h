// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bundled scripts and styles of index.html and profile.html, generated from reports/web at build time.
#ifndef OPBYOP_REPORTS_PAGE_RESOURCE_H_
#define OPBYOP_REPORTS_PAGE_RESOURCE_H_

#include <string_view>

namespace opbyop::reports {

extern const std::string_view kPageScript;
extern const std::string_view kPageStyle;
extern const std::string_view kProfileScript;
extern const std::string_view kProfileStyle;

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_RESOURCE_H_
