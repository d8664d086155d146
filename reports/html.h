// index.html: one self-contained page; works from file://, asks the network for nothing.
//
//   WriteFile("index.html", HtmlPage(view));
//
// The page's script and style are built from reports/web and compiled in.
#ifndef OPBYOP_REPORTS_HTML_H_
#define OPBYOP_REPORTS_HTML_H_

#include <string>
#include <string_view>

#include "reports/profile_links.h"
#include "reports/rows.h"

namespace opbyop {

std::string HtmlPage(const View& view, const ProfileLinks& profiles = {});

// The same page around other data; `summary` is what a reader without JavaScript sees.
std::string DataPage(std::string_view title, std::string_view summary, const std::string& data);

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_HTML_H_
