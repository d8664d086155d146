// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models whose run has cases of several ops, as trees: the model, its layers or modules, its windows, and their ops.
//
//   const std::vector<TreeNode> trees = ModelTrees(view);   // empty if all cases are single ops
//
// A case of several ops stands in the smallest larger one that has all its ops. A red node whose ops all pass says so:
// its cause is how the target combines them.
#ifndef OPBYOP_REPORTS_PAGE_MODEL_TREES_H_
#define OPBYOP_REPORTS_PAGE_MODEL_TREES_H_

#include <string>
#include <vector>

#include "reports/page/tree_page.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

// One tree for each model that has a row of several ops, in manifest order. Parts that are red come first.
std::vector<TreeNode> ModelTrees(const View& view);

// The page of these trees; empty if there are none.
std::string ModelTreePage(const View& view);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_MODEL_TREES_H_
