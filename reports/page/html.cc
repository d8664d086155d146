// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/html.h"

#include <fmt/format.h>

#include "reports/page/page_resource.h"
#include "reports/page/web_page.h"
#include "reports/summary/summary.h"

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

HtmlPageWriter::HtmlPageWriter(const View& view, const PageFiles& files, const TextSink& out)
    : title_(fmt::format("{} of rows pass on {} - opbyop", Percent(view.totals.pass_rate()), view.run->header.target)),
      summary_(SummaryText(view)),
      page_(PageOf(title_, summary_)),
      out_(out),
      data_(view, files, out) {
  out_(WebPageHead(page_));
  data_.Begin();
}

void HtmlPageWriter::End() {
  data_.End();
  out_(WebPageTail(page_));
}

void HtmlPage(const View& view, const PageFiles& files, const TextSink& out) {
  HtmlPageWriter page(view, files, out);
  for (const RowResult& row : view.rows) page.Add(row, view.RecordOf(row));
  page.End();
}

}  // namespace opbyop::reports
