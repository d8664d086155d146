// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One self-contained HTML page around JSON data: works from file://, asks the network for nothing.
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
  std::string_view summary;     // what a reader without JavaScript sees
  std::string_view needed_for;  // "tables": what such a reader lacks
  std::string_view style;       // bundled by reports/web
  std::string_view script;
  std::string_view data;     // JSON, as ScriptSafe leaves it; the element with the id `data`
  bool loads_files = false;  // scripts from its own place, beside what stands in it
};

std::string MakeWebPage(const WebPage& page);

// What stands before and behind the data, where that is too large to hold.
std::string WebPageHead(const WebPage& page);
std::string WebPageTail(const WebPage& page);

// Takes a text in pieces.
using TextSink = std::function<void(std::string_view)>;

// JSON without "<": no text of it can close the <script> element that it stands in.
std::string ScriptSafe(std::string_view json);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_WEB_PAGE_H_
