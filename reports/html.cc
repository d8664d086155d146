#include "reports/html.h"

#include <fmt/format.h>

#include "reports/page_data.h"
#include "reports/page_resource.h"
#include "reports/safe_text.h"
#include "reports/summary.h"

namespace opbyop {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : SafeText(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// The policy makes the promise of no request one that the browser keeps.
constexpr std::string_view kHead =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
)";

}  // namespace

std::string DataPage(std::string_view title, std::string_view summary, const std::string& data) {
  std::string page(kHead);
  page += fmt::format("<title>{}</title>\n", Escaped(title));
  page += fmt::format("<style>{}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n", kPageStyle);
  page +=
      fmt::format("<noscript><p>This page needs JavaScript for its tables. The summary:</p><pre>{}</pre></noscript>\n",
                  Escaped(summary));
  page += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", data);
  page += fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript);
  return page;
}

std::string HtmlPage(const View& view) {
  return DataPage(
      fmt::format("{} of rows pass on {} - opbyop", Percent(view.totals.pass_rate()), view.run->header.target),
      SummaryText(view), PageData(view));
}

}  // namespace opbyop
