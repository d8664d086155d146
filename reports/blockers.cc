// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/blockers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace opbyop::reports {
namespace {

using Key = std::tuple<std::string, std::string, Status>;

struct Group {
  std::map<std::string, int64_t> diagnostics;
  std::set<std::string> cases;
  std::map<size_t, int64_t> rows_by_model;
  int64_t ops = 0;
};

Blocker Summarize(const Key& key, const Group& group, const View& view) {
  Blocker blocker;
  std::tie(blocker.op, blocker.stage, blocker.status) = key;
  const auto most = std::max_element(group.diagnostics.begin(), group.diagnostics.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  blocker.diagnostic = most->first;
  blocker.diagnostics = static_cast<int64_t>(group.diagnostics.size());
  blocker.cases = static_cast<int64_t>(group.cases.size());
  blocker.ops = group.ops;
  for (const auto& [model, rows] : group.rows_by_model) {
    blocker.rows += rows;
    blocker.models.push_back(model);
    if (view.models[model].counts.problems() == rows) blocker.unlocked.push_back(model);
  }
  return blocker;
}

}  // namespace

std::vector<Blocker> RankBlockers(const View& view) {
  std::map<Key, Group> groups;
  for (const RowResult& row : view.rows) {
    if (!IsProblem(row.status)) continue;
    Group& group = groups[{row.op, row.stage, row.status}];
    ++group.diagnostics[row.diagnostic];
    group.cases.insert(row.c->id);
    ++group.rows_by_model[row.model_index];
    group.ops += row.ops;
  }
  std::vector<Blocker> blockers;
  blockers.reserve(groups.size());
  for (const auto& [key, group] : groups) blockers.push_back(Summarize(key, group, view));
  const auto weight = [](const Blocker& b) { return std::make_tuple(b.unlocked.size(), b.models.size(), b.rows); };
  const auto name = [](const Blocker& b) { return std::tie(b.op, b.stage, b.status); };
  std::sort(blockers.begin(), blockers.end(), [&](const Blocker& a, const Blocker& b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : name(a) < name(b);
  });
  return blockers;
}

}  // namespace opbyop::reports
