// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/tree_page.h"

#include <fmt/format.h>

#include <string_view>

#include "reports/page/web_page.h"

namespace opbyop::locate {
namespace {

using reports::HtmlText;

// The content security policy makes the browser block all requests.
constexpr std::string_view kFrame = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title} - opbyop</title>
<style>
:root {{ font: 15px/1.5 system-ui, sans-serif; }}
body {{ max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
ul {{ list-style: none; margin: 0; padding-left: 1.4rem; border-left: 1px solid #8884; }}
pre.command {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
pre {{ padding: 0.8rem; overflow-x: auto; background: #8882; }}
.red {{ color: light-dark(#b3261e, #ff8a80); font-weight: 600; }}
.why {{ margin-left: 1.4rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{tree}<h2>The program, reduced</h2>
<pre>{program}</pre>
<pre class="command">{repro}</pre>
</body>
</html>
)";

void AppendHtml(const Node& node, std::string& html) {
  const bool red = IsFailure(node.verdict.status);
  const std::string head = fmt::format("<span{} title=\"{}\">{} {}: {}</span>", red ? " class=\"red\"" : "",
                                       HtmlText(node.verdict.diagnostic), HtmlText(node.kind), HtmlText(node.what),
                                       HtmlText(node.verdict.Text()));
  std::string below;
  for (const Node& part : node.parts) {
    below += "<li>";
    AppendHtml(part, below);
    below += "</li>\n";
  }
  html +=
      below.empty() ? head : fmt::format("<details open><summary>{}</summary>\n<ul>\n{}</ul></details>", head, below);
  for (const std::string& note : node.notes) html += fmt::format("<p class=\"why\">{}</p>\n", HtmlText(note));
  if (node.ways) html += fmt::format("<p class=\"why\">{}</p>\n", HtmlText(node.ways->Text()));
  if (!node.why.empty()) html += fmt::format("<p class=\"why red\">{}</p>\n", HtmlText(node.why));
}

}  // namespace

std::string TreePage(const PageContents& contents) {
  std::string tree;
  AppendHtml(contents.tree, tree);
  return fmt::format(kFrame, fmt::arg("title", HtmlText(contents.tree.what + " on " + contents.target)),
                     fmt::arg("tree", tree), fmt::arg("program", HtmlText(contents.program)),
                     fmt::arg("repro", HtmlText(contents.repro)));
}

}  // namespace opbyop::locate
