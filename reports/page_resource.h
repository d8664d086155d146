// The bundled script and style of index.html, generated from reports/web at build time.
#ifndef OPBYOP_REPORTS_PAGE_RESOURCE_H_
#define OPBYOP_REPORTS_PAGE_RESOURCE_H_

#include <string_view>

namespace opbyop {

extern const std::string_view kPageScript;
extern const std::string_view kPageStyle;

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_PAGE_RESOURCE_H_
