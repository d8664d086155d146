#include "reports/html.h"

#include <fmt/format.h>

#include "reports/page_data.h"
#include "reports/page_resource.h"
#include "reports/summary.h"
#include "reports/web_page.h"

namespace opbyop {

std::string DataPage(std::string_view title, std::string_view summary, const std::string& data) {
  return MakeWebPage({.title = title,
                      .summary = summary,
                      .needed_for = "tables",
                      .style = kPageStyle,
                      .script = kPageScript,
                      .data = data});
}

std::string HtmlPage(const View& view, const ProfileLinks& profiles) {
  return DataPage(
      fmt::format("{} of rows pass on {} - opbyop", Percent(view.totals.pass_rate()), view.run->header.target),
      SummaryText(view), PageData(view, profiles));
}

}  // namespace opbyop
