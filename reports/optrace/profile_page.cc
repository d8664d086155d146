#include "reports/optrace/profile_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/optrace/insights.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/profile_data.h"
#include "reports/page_resource.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

// Without JavaScript the page still names the slowest operators.
constexpr size_t kSummaryRows = 20;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
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

// JSON that may stand within a <script>: no text of a trace can end it.
std::string ScriptSafe(std::string text) {
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Summary(const Trace& trace) {
  std::string text = fmt::format("{} on {}: {} ops, {} spans\n", trace.header.model, trace.header.target,
                                 trace.ops.size(), trace.spans.size());
  size_t rows = 0;
  for (const OperatorRow& row : OperatorTable(trace, Grouping::kHlo)) {
    if (++rows > kSummaryRows) break;
    text += fmt::format("{:>8.2f} %  {:>10}  {} x {}\n", row.percent, TimeText(row.time_ps), row.occurrences, row.name);
  }
  return text;
}

constexpr std::string_view kHead =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
)";

}  // namespace

std::string ProfilePage(const Trace& trace, const Trace* base) {
  std::string page(kHead);
  page += fmt::format("<title>{} on {} - opbyop profile</title>\n", Escaped(trace.header.model),
                      Escaped(trace.header.target));
  page += fmt::format("<style>{}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n", kProfileStyle);
  page +=
      fmt::format("<noscript><p>This page needs JavaScript for its views. The summary:</p><pre>{}</pre></noscript>\n",
                  Escaped(Summary(trace)));
  page += "<script type=\"application/json\" id=\"data\">";
  page += ScriptSafe(ProfileData(trace, base).dump(-1, ' ', false, json::error_handler_t::replace));
  page += fmt::format("</script>\n<script>{}</script>\n</body>\n</html>\n", kProfileScript);
  return page;
}

}  // namespace opbyop::optrace
