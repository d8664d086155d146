// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes index.html: one self-contained page that works from file:// and without a network.
//
//   const PageFiles files = {.profiles = profiles};
//   HtmlPageWriter page(view, files, [&](std::string_view text) { file.Write(text); });
//   for (const RowResult& row : view.rows) page.Add(row, view.RecordOf(row));
//   page.End();
//
// The page's script and style are built from reports/web and compiled in.
#ifndef OPBYOP_REPORTS_PAGE_HTML_H_
#define OPBYOP_REPORTS_PAGE_HTML_H_

#include <string>
#include <string_view>

#include "reports/page/page_data.h"
#include "reports/page/web_page.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

class HtmlPageWriter {
 public:
  // `view` and `files` must outlive it.
  HtmlPageWriter(const View& view, const PageFiles& files, const TextSink& out);
  HtmlPageWriter(const HtmlPageWriter&) = delete;  // `page_` points into it
  HtmlPageWriter& operator=(const HtmlPageWriter&) = delete;

  // See PageDataWriter::Add.
  void Add(const RowResult& row, const CaseRecord* record) { data_.Add(row, record); }
  void End();

 private:
  std::string title_, summary_;
  WebPage page_;
  TextSink out_;
  PageDataWriter data_;
};

// The whole page in one call.
void HtmlPage(const View& view, const PageFiles& files, const TextSink& out);

// A page of the same kind with other data; `summary` is shown to a reader without JavaScript.
std::string DataPage(std::string_view title, std::string_view summary, const std::string& data);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_HTML_H_
