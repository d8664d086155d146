// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// index.html: one self-contained page; works from file://, asks the network for nothing.
//
//   HtmlPage(view, {.profiles = profiles}, [&](std::string_view text) { file.Write(text); });
//
// The page's script and style are built from reports/web and compiled in.
#ifndef OPBYOP_REPORTS_HTML_H_
#define OPBYOP_REPORTS_HTML_H_

#include <string>
#include <string_view>

#include "reports/page_data.h"
#include "reports/rows.h"
#include "reports/web_page.h"

namespace opbyop::reports {

void HtmlPage(const View& view, const PageFiles& files, const TextSink& out);

// The same page around other data; `summary` is what a reader without JavaScript sees.
std::string DataPage(std::string_view title, std::string_view summary, const std::string& data);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_HTML_H_
