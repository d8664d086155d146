// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/unjudged_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "reports/view/fingerprint.h"
#include "reports/view/first_line.h"
#include "reports/view/page_number.h"

namespace opbyop::reports {
namespace {

using Key = std::tuple<Status, std::string, std::string>;

struct CollectedRows {
  std::map<std::string, int64_t> reasons;
  std::set<size_t> models;
  std::map<std::string, UnjudgedOp> ops;
};

UnjudgedGroup Summarize(const Key& key, CollectedRows group) {
  UnjudgedGroup gap;
  gap.status = std::get<0>(key);
  gap.stage = std::get<1>(key);
  gap.reason = std::ranges::max_element(group.reasons, {}, [](const auto& item) { return item.second; })->first;
  gap.reasons = static_cast<int64_t>(group.reasons.size());
  gap.models.assign(group.models.begin(), group.models.end());
  for (auto& [label, op] : group.ops) {
    gap.cases += static_cast<int64_t>(op.cases.size());
    gap.rows += op.rows;
    gap.ops += op.ops;
    gap.of.push_back(std::move(op));
  }
  std::ranges::sort(gap.of, {}, [](const UnjudgedOp& op) { return std::pair(-op.ops, std::string_view(op.op)); });
  return gap;
}

}  // namespace

std::vector<UnjudgedGroup> FindUnjudged(const View& view) {
  std::map<Key, CollectedRows> groups;
  for (const RowResult& row : view.rows) {
    if (!IsUnjudged(row.status)) continue;
    CollectedRows& group = groups[{row.status, row.stage, Fingerprint(row.diagnostic, row.c->id, row.c->op)}];
    ++group.reasons[row.diagnostic];
    group.models.insert(row.model_index);
    UnjudgedOp& op = group.ops[row.op];
    op.op = row.op;
    if (op.cases.empty() || op.cases.back() != row.case_index)
      op.cases.push_back(row.case_index);  // rows of a case follow each other
    ++op.rows;
    op.ops += row.ops;
  }
  std::vector<UnjudgedGroup> gaps;
  gaps.reserve(groups.size());
  for (auto& [key, group] : groups) gaps.push_back(Summarize(key, std::move(group)));
  std::ranges::sort(gaps, {}, [](const UnjudgedGroup& gap) {
    return std::tuple(gap.status, -gap.ops, -gap.rows, std::string_view(gap.stage), std::string_view(gap.reason));
  });
  return gaps;
}

std::vector<std::pair<std::string, int64_t>> ShapesOf(const View& view, const std::vector<size_t>& cases) {
  std::map<std::string, int64_t> counts;
  for (const size_t index : cases) ++counts[SignatureText(view.manifest->cases[index])];
  std::vector<std::pair<std::string, int64_t>> shapes(counts.begin(), counts.end());
  std::ranges::sort(shapes, {},
                    [](const auto& shape) { return std::pair(-shape.second, std::string_view(shape.first)); });
  return shapes;
}

std::string UnjudgedLine(const View& view, Status status) {
  std::set<std::string_view> kinds;
  std::set<std::pair<std::string_view, std::string>> shapes;
  int64_t ops = 0;
  size_t last = view.manifest->cases.size();
  for (const RowResult& row : view.rows) {
    if (row.status != status) continue;
    ops += row.ops;
    kinds.insert(row.op);
    if (row.case_index != last) shapes.emplace(row.op, SignatureText(*row.c));
    last = row.case_index;
  }
  if (kinds.empty()) return "";
  const std::string_view what = status == Status::kUnsupported    ? "still to be supported"
                                : status == Status::kInconclusive ? "passed, but inconclusive"
                                                                  : "not run";
  return fmt::format("{}: {} in {}, {} of the models", what, CountText(kinds.size(), "kind") + " of op",
                     CountText(shapes.size(), "shape"), CountText(ops, "op"));
}

}  // namespace opbyop::reports
