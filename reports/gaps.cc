// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "reports/fingerprint.h"
#include "reports/page_number.h"
#include "reports/safe_text.h"

namespace opbyop::reports {
namespace {

using Key = std::tuple<Status, std::string, std::string>;

struct Group {
  std::map<std::string, int64_t> reasons;
  std::set<size_t> models;
  std::map<std::string, GapOp> ops;
};

Gap Summarize(const Key& key, Group group) {
  Gap gap;
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
  std::ranges::sort(gap.of, {}, [](const GapOp& op) { return std::pair(-op.ops, std::string_view(op.op)); });
  return gap;
}

}  // namespace

std::vector<Gap> FindGaps(const View& view) {
  std::map<Key, Group> groups;
  for (const RowResult& row : view.rows) {
    if (!SaysNothing(row.status)) continue;
    Group& group = groups[{row.status, row.stage, Fingerprint(row.diagnostic, row.c->id, row.c->op)}];
    ++group.reasons[row.diagnostic];
    group.models.insert(row.model_index);
    GapOp& op = group.ops[row.op];
    op.op = row.op;
    if (op.cases.empty() || op.cases.back() != row.case_index)
      op.cases.push_back(row.case_index);  // they stand together
    ++op.rows;
    op.ops += row.ops;
  }
  std::vector<Gap> gaps;
  gaps.reserve(groups.size());
  for (auto& [key, group] : groups) gaps.push_back(Summarize(key, std::move(group)));
  std::ranges::sort(gaps, {}, [](const Gap& gap) {
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

std::string GapLine(const View& view, Status status) {
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
                                : status == Status::kInconclusive ? "passed, but proved nothing"
                                                                  : "not run";
  return fmt::format("{}: {} in {}, {} of the models", what, Counted(kinds.size(), "kind") + " of op",
                     Counted(shapes.size(), "shape"), Counted(ops, "op"));
}

}  // namespace opbyop::reports
