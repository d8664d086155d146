// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/web_page.h"

#include <fmt/format.h>

#include "reports/view/first_line.h"

namespace opbyop::reports {
namespace {

constexpr std::string_view kStart = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{}">
)";

}  // namespace

std::string HtmlText(std::string_view text) {
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

std::string PageStart(std::string_view allowed) { return fmt::format(kStart, allowed); }

std::string MakeWebPage(const WebPage& page) { return WebPageHead(page) + std::string(page.data) + WebPageTail(page); }

std::string WebPageHead(const WebPage& page) {
  // For a page from a disk, 'self' matches nothing in browsers.
  const std::string_view files = page.loads_files ? " 'self' file:" : "";
  std::string text = PageStart(
      fmt::format("; script-src 'unsafe-inline'{}; img-src data:; base-uri 'none'; form-action 'none'", files));
  text += fmt::format("<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n", HtmlText(page.title));
  text += fmt::format("<style>{}</style>\n</head>\n<body>\n<div id=\"app\"></div>\n", page.style);
  text += fmt::format("<noscript><p>This page needs JavaScript for its {}. The summary:</p><pre>{}</pre></noscript>\n",
                      page.needed_for, HtmlText(page.summary));
  return text + "<script type=\"application/json\" id=\"data\">";
}

std::string WebPageTail(const WebPage& page) {
  return fmt::format("</script>\n<script>{}</script>\n</body>\n</html>\n", page.script);
}

std::string ScriptSafe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";  // "<" occurs only inside strings
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace opbyop::reports
