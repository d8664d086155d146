// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One HTML page of trees: a model, its parts, and what is wrong with each. It works from file:// and without a network
// or a script.
//
//   TreeNode model{.head = "model bert, 12 ops: fail in compare", .is_red = true};
//   model.parts.push_back({.head = "op add_4_f32_11: pass"});
//   WriteFile("tree.html", MakeTreePage({.title = "bert on iree", .trees = {model}}));
#ifndef OPBYOP_REPORTS_PAGE_TREE_PAGE_H_
#define OPBYOP_REPORTS_PAGE_TREE_PAGE_H_

#include <string>
#include <vector>

namespace opbyop::reports {

// All texts are plain: markup in them is shown as it is.
struct TreeNode {
  std::string head;
  std::string detail;  // is shown when the mouse is on the head
  bool is_red = false;
  bool is_open = true;             // whether its parts are shown at first
  std::vector<std::string> notes;  // below the parts, a paragraph each
  std::string why;                 // why it is red although no part of it is
  std::vector<TreeNode> parts;
};

struct TreePage {
  std::string title;
  std::string introduction;
  std::vector<TreeNode> trees;
  struct Text {
    std::string heading;
    std::string text;     // as it is written
    std::string command;  // to be copied; empty: there is none
  };
  std::vector<Text> texts = {};  // below the trees
};
std::string MakeTreePage(const TreePage& page);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_TREE_PAGE_H_
