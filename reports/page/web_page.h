// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes one self-contained HTML page around JSON data, which works from file:// and without a network.
//
//   WriteFile("index.html", MakeWebPage({.title = "99 % - opbyop", .summary = text, .needed_for = "tables",
//                                        .style = kPageStyle, .script = kPageScript, .data = json}));
#ifndef OPBYOP_REPORTS_PAGE_WEB_PAGE_H_
#define OPBYOP_REPORTS_PAGE_WEB_PAGE_H_

#include <functional>
#include <string>
#include <string_view>

namespace opbyop::reports {

struct WebPage {
  std::string_view title;
  std::string_view summary;     // shown to a reader without JavaScript
  std::string_view needed_for;  // "tables": what that reader lacks
  std::string_view style;       // bundled by reports/web
  std::string_view script;
  std::string_view data;     // JSON, as ScriptSafe leaves it; the element with the id `data`
  bool loads_files = false;  // loads scripts from the page's own folder
};

std::string MakeWebPage(const WebPage& page);

// The first lines of every page. Its content security policy makes the browser block all requests and everything but
// styles; `allowed` are further directives, each with "; " before it.
std::string PageStart(std::string_view allowed = "");

// The text as HTML, with neither markup nor control characters of its own.
std::string HtmlText(std::string_view text);

// The parts before and after the data, for data that is too large to hold.
std::string WebPageHead(const WebPage& page);
std::string WebPageTail(const WebPage& page);

// Receives a text in pieces.
using TextSink = std::function<void(std::string_view)>;

// JSON without "<", so that no text in it can close its <script> element.
std::string ScriptSafe(std::string_view json);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_WEB_PAGE_H_
