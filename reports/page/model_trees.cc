// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/model_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "manifests/cases/case.h"
#include "reports/summary/blame.h"
#include "support/text/count_text.h"

namespace opbyop::reports {
namespace {

// Larger kinds of cases contain smaller ones.
int SizeOf(std::string_view op) {
  if (op == kWholeModel) return 3;
  if (IsJudgedAsModel(op)) return 2;
  return op == kWindow ? 1 : 0;
}

std::string VerdictText(const RowResult& row) {
  const bool has_stage = IsProblem(row.status) && !row.stage.empty();
  return has_stage ? fmt::format("{} in {}", ToString(row.status), row.stage) : std::string(ToString(row.status));
}

// How often the model has it.
int64_t TimesIn(const RowResult& row) {
  int64_t times = 0;
  for (const Origin& origin : row.c->origins) {
    if (origin.model == row.model) times += origin.count;
  }
  return times;
}

// The rows of one model.
class Tree {
 public:
  Tree(const Blame& blame, const ModelSummary& model) : blame_(blame), model_(model) {}

  void Add(const RowResult& row) {
    rows_.push_back(&row);
    of_case_[row.c->id] = &row;
  }

  bool has_groups() const {
    return std::ranges::any_of(rows_, [](const RowResult* row) { return !row->c->members.empty(); });
  }

  TreeNode Build() {
    std::unordered_map<const RowResult*, std::vector<const RowResult*>> below;  // nullptr: directly in the model
    std::unordered_set<std::string_view> placed;                                // members of some case
    for (const RowResult* row : rows_) {
      if (row->c->members.empty()) continue;
      below[ParentOf(*row)].push_back(row);
      placed.insert(row->c->members.begin(), row->c->members.end());
    }
    for (const RowResult* row : rows_) {
      if (row->c->members.empty() && !placed.contains(row->c->id)) below[nullptr].push_back(row);
    }
    const auto red =
        static_cast<int64_t>(std::ranges::count_if(rows_, [](const RowResult* row) { return IsProblem(row->status); }));
    TreeNode root = {.head = fmt::format("model {}, {}: {}", model_.model->name, CountText(model_.model->ops, "op"),
                                         red == 0 ? fmt::format("none of {} is red", CountText(rows_.size(), "row"))
                                                  : fmt::format("{} of {} red", red, CountText(rows_.size(), "row"))),
                     .is_red = red > 0};
    if (model_.whole) root.notes.push_back("In one piece: " + std::string(ToString(model_.whole->status)));
    root.parts = PartsOf(nullptr, below);
    return root;
  }

 private:
  using Below = std::unordered_map<const RowResult*, std::vector<const RowResult*>>;

  // The smallest of the larger rows that have all members; nullptr if there is none.
  const RowResult* ParentOf(const RowResult& row) const {
    const RowResult* parent = nullptr;
    for (const RowResult* other : rows_) {
      if (SizeOf(other->c->op) <= SizeOf(row.c->op) || (parent != nullptr && !IsSmaller(*other, *parent))) continue;
      if (Contains(*other, row)) parent = other;
    }
    return parent;
  }

  static bool IsSmaller(const RowResult& a, const RowResult& b) {
    return std::pair(SizeOf(a.c->op), a.c->members.size()) < std::pair(SizeOf(b.c->op), b.c->members.size());
  }

  // The lists of members are sorted.
  static bool Contains(const RowResult& large, const RowResult& small) {
    return std::ranges::includes(large.c->members, small.c->members);
  }

  std::vector<TreeNode> PartsOf(const RowResult* row, const Below& below) const {
    std::vector<const RowResult*> rows;
    if (const auto found = below.find(row); found != below.end()) rows = found->second;
    std::unordered_set<std::string_view> placed;
    for (const RowResult* group : rows) placed.insert(group->c->members.begin(), group->c->members.end());
    // The ops of a window that passes say nothing that the layer around it does not.
    const bool lists_ops = row != nullptr && (row->c->op != kWindow || IsProblem(row->status));
    for (const std::string& member : lists_ops ? row->c->members : std::vector<std::string>()) {
      const auto found = of_case_.find(member);
      if (found != of_case_.end() && !placed.contains(member)) rows.push_back(found->second);
    }
    std::vector<TreeNode> parts;
    for (const bool red : {true, false}) {
      for (const RowResult* each : rows) {
        if (IsProblem(each->status) == red) parts.push_back(NodeOf(*each, below));
      }
    }
    return parts;
  }

  TreeNode NodeOf(const RowResult& row, const Below& below) const {
    const bool is_op = row.c->members.empty();
    TreeNode node = {.detail = row.diagnostic, .is_red = IsProblem(row.status), .parts = PartsOf(&row, below)};
    const int64_t times = TimesIn(row);
    node.head = fmt::format("{}{}{}{}: {}", is_op ? "op " : "", row.c->id,
                            is_op ? "" : fmt::format(", {}", CountText(row.c->members.size(), "different op")),
                            times > 1 ? fmt::format(", {} times", Grouped(times)) : "", VerdictText(row));
    const auto has_red = [](const TreeNode& part) { return part.is_red || part.is_open; };
    node.is_open = !node.parts.empty() && (node.is_red || std::ranges::any_of(node.parts, has_red));
    if (node.is_red && !row.diagnostic.empty()) node.notes.push_back(row.diagnostic);
    if (node.is_red && !is_op && std::ranges::none_of(node.parts, &TreeNode::is_red) && !blame_.IsExplained(row)) {
      const bool together = std::ranges::find(blame_.RedTogether(), &row) != blame_.RedTogether().end();
      node.why = together ? "No op below it fails: each passes by itself."
                          : "No op below it fails, but not all of them passed.";
    }
    return node;
  }

  const Blame& blame_;
  const ModelSummary& model_;
  std::vector<const RowResult*> rows_;
  std::unordered_map<std::string_view, const RowResult*> of_case_;
};

}  // namespace

std::vector<TreeNode> ModelTrees(const View& view) {
  const Blame blame(view);
  std::vector<Tree> trees;
  std::unordered_map<std::string_view, size_t> of_model;
  for (const ModelSummary& model : view.models) {
    of_model[model.model->name] = trees.size();
    trees.emplace_back(blame, model);
  }
  for (const RowResult& row : view.rows) {
    if (const auto found = of_model.find(row.model); found != of_model.end()) trees[found->second].Add(row);
  }
  std::vector<TreeNode> nodes;
  for (Tree& tree : trees) {
    if (tree.has_groups()) nodes.push_back(tree.Build());
  }
  return nodes;
}

std::string ModelTreePage(const View& view) {
  std::vector<TreeNode> trees = ModelTrees(view);
  if (trees.empty()) return "";
  return MakeTreePage({.title = "Models on " + view.run->header.target,
                       .introduction =
                           "A model is a tree of its parts, down to its ops, each of which ran alone. Red is "
                           "what fails, with the reason if no op below it does.",
                       .trees = std::move(trees)});
}

}  // namespace opbyop::reports
