// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/tree_page.h"

#include <fmt/format.h>

#include <string_view>

#include "reports/page/web_page.h"

namespace opbyop::reports {
namespace {

constexpr std::string_view kFrame = R"(<title>{title} - opbyop</title>
<style>
:root {{ font: 15px/1.5 system-ui, sans-serif; }}
body {{ max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
ul {{ list-style: none; margin: 0; padding-left: 1.4rem; border-left: 1px solid #8884; }}
pre.command {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
pre {{ padding: 0.8rem; overflow-x: auto; background: #8882; }}
.red {{ color: light-dark(#b3261e, #ff8a80); font-weight: 600; }}
.why {{ margin-left: 1.4rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{introduction}{trees}{texts}</body>
</html>
)";

void AppendHtml(const TreeNode& node, std::string& html) {
  const std::string head = fmt::format("<span{} title=\"{}\">{}</span>", node.is_red ? " class=\"red\"" : "",
                                       HtmlText(node.detail), HtmlText(node.head));
  if (node.parts.empty()) {
    html += head;
  } else {
    html += fmt::format("<details{}><summary>{}</summary>\n<ul>\n", node.is_open ? " open" : "", head);
    for (const TreeNode& part : node.parts) {
      html += "<li>";
      AppendHtml(part, html);
      html += "</li>\n";
    }
    html += "</ul></details>";
  }
  for (const std::string& note : node.notes) html += fmt::format("<p class=\"why\">{}</p>\n", HtmlText(note));
  if (!node.why.empty()) html += fmt::format("<p class=\"why red\">{}</p>\n", HtmlText(node.why));
}

}  // namespace

std::string MakeTreePage(const TreePage& page) {
  std::string trees;
  for (const TreeNode& tree : page.trees) AppendHtml(tree, trees);
  std::string texts;
  for (const TreePage::Text& text : page.texts) {
    texts += fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", HtmlText(text.heading), HtmlText(text.text));
    if (!text.command.empty()) texts += fmt::format("<pre class=\"command\">{}</pre>\n", HtmlText(text.command));
  }
  const std::string introduction =
      page.introduction.empty() ? "" : fmt::format("<p>{}</p>\n", HtmlText(page.introduction));
  return PageStart() + fmt::format(kFrame, fmt::arg("title", HtmlText(page.title)),
                                   fmt::arg("introduction", introduction), fmt::arg("trees", trees),
                                   fmt::arg("texts", texts));
}

}  // namespace opbyop::reports
