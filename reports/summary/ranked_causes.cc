// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/ranked_causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/summary/blame.h"
#include "reports/summary/shared_traits.h"
#include "reports/view/cause.h"
#include "reports/view/fingerprint.h"

namespace opbyop::reports {
namespace {

struct Group {
  std::map<std::string, int64_t> diagnostics;
  std::map<std::string, int64_t> rows_by_op;
  std::set<std::string> cases;
  std::map<size_t, int64_t> rows_by_model;
  std::vector<const RowResult*> rows;
  int64_t ops = 0;
};

// `problems` are the rows of each model that have a cause of their own.
RankedCause Summarize(const Cause& cause, const Group& group, const SharedTraits& traits,
                      const std::map<size_t, int64_t>& problems) {
  RankedCause blocker;
  blocker.id = CauseId(cause);
  blocker.stage = cause.stage;
  blocker.status = cause.status;
  const auto most = std::max_element(group.diagnostics.begin(), group.diagnostics.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  blocker.diagnostic = most->first;
  blocker.diagnostics = static_cast<int64_t>(group.diagnostics.size());
  std::vector<std::pair<int64_t, std::string>> ops;
  for (const auto& [op, rows] : group.rows_by_op) ops.emplace_back(-rows, op);
  std::ranges::sort(ops);
  for (auto& [rows, op] : ops) blocker.of.push_back(std::move(op));
  blocker.cases = static_cast<int64_t>(group.cases.size());
  blocker.ops = group.ops;
  for (const SharedTrait& shared : traits.Of(group.rows)) {
    blocker.shared.push_back(SharedText(shared, group.rows_by_op.size()));
  }
  for (const auto& [model, rows] : group.rows_by_model) {
    blocker.rows += rows;
    blocker.models.push_back(model);
    if (problems.at(model) == rows) blocker.unlocked.push_back(model);
  }
  return blocker;
}

}  // namespace

std::vector<RankedCause> RankCauses(const View& view) {
  const Blame blame(view);
  std::map<Cause, Group> groups;
  std::map<size_t, int64_t> problems;
  for (const RowResult& row : view.rows) {
    if (!IsProblem(row.status) || blame.IsExplained(row)) continue;
    ++problems[row.model_index];
    Group& group = groups[CauseOf(row)];
    ++group.diagnostics[std::string(CauseText(row.diagnostic))];
    ++group.rows_by_op[row.op];
    group.cases.insert(row.c->id);
    ++group.rows_by_model[row.model_index];
    group.rows.push_back(&row);
    group.ops += row.ops;
  }
  const SharedTraits traits(view);
  std::vector<RankedCause> blockers;
  blockers.reserve(groups.size());
  for (const auto& [cause, group] : groups) blockers.push_back(Summarize(cause, group, traits, problems));
  const auto weight = [](const RankedCause& b) { return std::make_tuple(b.unlocked.size(), b.models.size(), b.rows); };
  std::ranges::sort(blockers, [&](const RankedCause& a, const RankedCause& b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : a.id < b.id;
  });
  return blockers;
}

}  // namespace opbyop::reports
