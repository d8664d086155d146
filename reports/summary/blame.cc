// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/blame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "support/text/count_text.h"

namespace opbyop::reports {

Blame::Blame(const View& view) {
  const auto has_members = [](const RowResult& row) { return !row.c->members.empty(); };
  if (std::ranges::none_of(view.rows, has_members)) return;
  for (const RowResult& row : view.rows) {
    Ends& ends = of_case_[row.c->id];
    ends.all_pass &= row.status == Status::kPass;
    ends.any_red |= IsProblem(row.status);
  }
  for (const RowResult& row : view.rows) {
    if (!IsProblem(row.status) || row.c->members.empty()) continue;
    const Ends ends = EndsOf(*row.c);
    if (ends.all_pass) red_together_.push_back(&row);
    explained_ += ends.any_red;
  }
}

bool Blame::IsExplained(const RowResult& row) const { return IsProblem(row.status) && EndsOf(*row.c).any_red; }

// An op that this run left out has not passed.
Blame::Ends Blame::EndsOf(const Case& c) const {
  Ends ends;
  for (const std::string& member : c.members) {
    const auto found = of_case_.find(member);
    ends.all_pass &= found != of_case_.end() && found->second.all_pass;
    ends.any_red |= found != of_case_.end() && found->second.any_red;
  }
  return ends;
}

std::string RedTogetherText(const Blame& blame) {
  std::map<std::string_view, std::set<std::string_view>> cases;
  size_t count = 0;
  for (const RowResult* row : blame.RedTogether()) count += cases[row->c->op].insert(row->c->id).second;
  std::vector<std::string> counts;
  for (const auto& [op, ids] : cases) counts.push_back(CountText(ids.size(), op));
  if (counts.empty()) return "";
  return fmt::format("{} {} red though each of {} ops passes", fmt::join(counts, " and "), count == 1 ? "is" : "are",
                     count == 1 ? "its" : "their");
}

}  // namespace opbyop::reports
