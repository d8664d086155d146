// index.html: one self-contained page; works from file://, asks the network for nothing.
//
//   WriteFile("index.html", HtmlPage(view));
//
// The page's script and style are built from reports/web and compiled in.
#ifndef OPBYOP_REPORTS_HTML_H_
#define OPBYOP_REPORTS_HTML_H_

#include <string>

#include "reports/rows.h"

namespace opbyop {

std::string HtmlPage(const View& view);

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_HTML_H_
