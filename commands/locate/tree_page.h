// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tree of a located failure as one HTML page that works from file:// and without a network or a script.
//
//   WriteFile("locate.html", TreePage({.tree = tree, .target = "iree", .program = text, .repro = command}));
#ifndef OPBYOP_COMMANDS_LOCATE_TREE_PAGE_H_
#define OPBYOP_COMMANDS_LOCATE_TREE_PAGE_H_

#include <string>

#include "commands/locate/tree.h"

namespace opbyop::locate {

struct PageContents {
  const Node& tree;
  std::string target;
  std::string program;  // the reduced one
  std::string repro;    // a command
};
std::string TreePage(const PageContents& contents);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_TREE_PAGE_H_
