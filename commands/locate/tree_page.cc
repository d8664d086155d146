// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/tree_page.h"

#include <fmt/format.h>

#include "reports/page/tree_page.h"

namespace opbyop::locate {
namespace {

reports::TreeNode ToPage(const Node& node) {
  reports::TreeNode shown = {.head = fmt::format("{} {}: {}", node.kind, node.what, node.verdict.Text()),
                             .detail = node.verdict.diagnostic,
                             .is_red = IsFailure(node.verdict.status),
                             .notes = node.notes,
                             .why = node.why};
  if (node.ways) shown.notes.push_back(node.ways->Text());
  for (const Node& part : node.parts) shown.parts.push_back(ToPage(part));
  return shown;
}

}  // namespace

std::string TreePage(const PageContents& contents) {
  return reports::MakeTreePage({.title = contents.tree.what + " on " + contents.target,
                                .trees = {ToPage(contents.tree)},
                                .texts = {{"The program, reduced", contents.program, contents.repro}}});
}

}  // namespace opbyop::locate
