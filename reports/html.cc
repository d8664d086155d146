// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/html.h"

#include <fmt/format.h>

#include "reports/page_resource.h"
#include "reports/summary.h"
#include "reports/web_page.h"

namespace opbyop::reports {

namespace {

WebPage PageOf(std::string_view title, std::string_view summary) {
  return {.title = title, .summary = summary, .needed_for = "tables", .style = kPageStyle, .script = kPageScript};
}

}  // namespace

std::string DataPage(std::string_view title, std::string_view summary, const std::string& data) {
  WebPage page = PageOf(title, summary);
  page.data = data;
  return MakeWebPage(page);
}

void HtmlPage(const View& view, const PageFiles& files, const TextSink& out) {
  const std::string title =
      fmt::format("{} of rows pass on {} - opbyop", Percent(view.totals.pass_rate()), view.run->header.target);
  const std::string summary = SummaryText(view);
  const WebPage page = PageOf(title, summary);
  out(WebPageHead(page));
  PageData(view, files, out);
  out(WebPageTail(page));
}

}  // namespace opbyop::reports
